from pathlib import Path

import pytest

from hermes_core.approval.operands import MAX_MATCHES, Grounds, TooMany, is_below
from hermes_core.approval.shell_words import Word, read_steps


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with a link that leads out, a secret and a named pipe's lack."""
    place = tmp_path.resolve() / "proj"
    (place / "src").mkdir(parents=True)
    (place / "src/a.py").write_text("")
    (place / "src/b.py").write_text("")
    (place / ".env").write_text("")
    (tmp_path / "outside").write_text("")
    (place / "link").symlink_to(tmp_path / "outside")
    return place


def grounds(folder: Path, own: str = "") -> Grounds:
    return Grounds((str(folder),), own)


@pytest.mark.parametrize(
    ("text", "role", "reason"),
    [
        ("src/a.py", "path", ""),
        ("src", "path", ""),
        ("src", "file", "is a folder"),
        ("not-there", "path", ""),
        ("../outside", "path", "outside the workspace"),
        ("src/../../outside", "meta", "outside the workspace"),
        ("link", "path", "leads outside"),
        (".env", "path", "secrets"),
        (".env", "meta", ""),
        ("a\0b", "path", "NUL"),
        ("/dev/null", "path", "outside"),
    ],
)
def test_a_path_is_judged_on_disk(folder: Path, text: str, role: str, reason: str) -> None:
    found = grounds(folder).objection(text, str(folder), role)
    assert (reason in found) if reason else (found == "")


def test_our_own_folder_is_no_part_of_the_workspace(folder: Path) -> None:
    assert grounds(folder, str(folder / "src")).objection("src/a.py", str(folder), "path")


def pattern(text: str) -> Word:
    return read_steps(f"ls {text}")[0].words[1]


def test_a_pattern_stands_for_what_bash_finds(folder: Path) -> None:
    ground = grounds(folder)
    assert ground.expand(pattern("src/*.py"), str(folder)) == ["src/a.py", "src/b.py"]
    assert ground.expand(pattern("src/[a].py"), str(folder)) == ["src/a.py"]
    assert ground.expand(pattern("*.no"), str(folder)) == ["*.no"]
    assert ground.expand(Word("src"), str(folder)) == ["src"]
    with pytest.raises(TooMany):
        ground.expand(pattern(".e*"), str(folder))


def test_a_pattern_that_depends_on_the_locale_is_refused(folder: Path) -> None:
    (folder / "src/\u00e9.c").write_text("")
    with pytest.raises(TooMany):
        grounds(folder).expand(pattern("src/?.c"), str(folder))
    assert grounds(folder).expand(pattern("src/*.c"), str(folder)) == ["src/\u00e9.c"]


def test_too_many_files_are_refused(folder: Path) -> None:
    for number in range(MAX_MATCHES + 1):
        (folder / f"src/{number}.txt").write_text("")
    with pytest.raises(TooMany):
        grounds(folder).expand(pattern("src/*.txt"), str(folder))


def test_a_walk_tells_secrets_and_credentials(folder: Path) -> None:
    ground = grounds(folder)
    assert "secrets" in ground.walk_objection(".", str(folder), bool)
    assert ground.walk_objection(".", str(folder), lambda name: name.endswith(".py")) == ""
    assert ground.walk_objection("src", str(folder), bool) == ""
    (folder / "src/.git").mkdir()
    config = folder / "src/.git/config"
    config.write_text('[remote "o"]\n\turl = https://e.example/x\n')
    assert ground.walk_objection("src", str(folder), bool) == ""
    config.write_text('[remote "o"]\n\turl = https://u:p@e.example/x\n')
    assert "credentials" in ground.walk_objection("src", str(folder), bool)


def test_a_folder_holds_itself_and_what_is_in_it() -> None:
    assert is_below("/a", "/a")
    assert is_below("/a/b", "/a")
    assert is_below("/a", "/")
    assert not is_below("/ab", "/a")
