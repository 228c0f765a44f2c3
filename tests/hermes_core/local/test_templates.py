"""Prompts of the user's own: which files count, and why others do not."""

import os
from pathlib import Path

import pytest

from hermes_core.local.templates import (
    LONGEST_FILE,
    MOST,
    Template,
    Templates,
    read_templates,
    stamp_of,
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "commands").mkdir()
    return tmp_path


def write(home: Path, name: str, text: str | bytes) -> Path:
    path = home / "commands" / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_there_need_be_none(tmp_path: Path) -> None:
    assert read_templates(tmp_path) == Templates()
    assert stamp_of(tmp_path) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "---\ndescription: Review\nargument-hint: FILE\n---\nReview $1.\n",
            Template("a", "Review", "FILE", "Review $1."),
        ),
        (
            "\ufeff---\r\ndescription: >\r\n  two\r\n  lines\r\n---\r\nDo\r\nit\r\n",
            Template("a", "two lines", "", "Do\r\nit"),
        ),
        ("---\nargument-hint: [file]\n---\nx", Template("a", "x", "[file]", "x")),
        ("---\nargument_hint: 1\n---\nx", Template("a", "x", "1", "x")),
        ("# Review it\n\nWell.", Template("a", "Review it", "", "# Review it\n\nWell.")),
        ("---\nno end", Template("a", "---", "", "---\nno end")),
    ],
)
def test_a_file_is_a_prompt_with_what_its_front_matter_says(
    home: Path, text: str, expected: Template
) -> None:
    write(home, "a.md", text)
    assert read_templates(home) == Templates((expected,))


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("help.md", "x", "is a command of Hermes"),
        ("HELP.md", "x", "is a command of Hermes"),
        ("a b.md", "x", "a name has letters"),
        (".hidden.md", "x", "a name has letters"),
        ("é.md", "x", "a name has letters"),
        ("a.md", "---\ndescription: y\n---\n \n", "holds no prompt"),
        ("a.md", "", "holds no prompt"),
        ("a.md", "---\n[broken\n---\nx", "front matter"),
        ("a.md", "---\n- list\n---\nx", "no names and values"),
        ("a.md", b"\xff\xfe", "not UTF-8"),
        ("a.md", "x" * (LONGEST_FILE + 1), "100,000 is the limit"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(
    home: Path, name: str, text: str | bytes, why: str
) -> None:
    write(home, name, text)
    write(home, "good.md", "x")
    found = read_templates(home, frozenset({"help"}))
    assert [one.name for one in found.usable] == ["good"]
    (broken,) = found.broken
    assert broken.name == name.removesuffix(".md")
    assert why in broken.why
    assert "\n" not in broken.why


def test_links_pipes_and_folders_are_named_and_never_read(home: Path) -> None:
    secret = home / "secret"
    secret.write_text("key")
    (home / "commands" / "link.md").symlink_to(secret)
    os.mkfifo(home / "commands" / "pipe.md")
    (home / "commands" / "folder.md").mkdir()
    write(home, "notes.txt", "x")
    found = read_templates(home)
    assert found.usable == ()
    assert [one.name for one in found.broken] == ["folder", "link", "pipe"]


def test_of_very_many_only_some_are_looked_at(home: Path) -> None:
    for number in range(MOST + 5):
        write(home, f"c{number:04}.md", "x")
    assert len(read_templates(home).usable) == MOST
    assert len(stamp_of(home)) == MOST


def test_a_change_changes_the_stamp(home: Path) -> None:
    path = write(home, "a.md", "x")
    before = stamp_of(home)
    assert before == stamp_of(home)
    path.write_text("xy")
    assert stamp_of(home) != before
