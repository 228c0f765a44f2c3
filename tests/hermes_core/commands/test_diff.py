"""``/diff``: what a session has changed, as it is shown."""

from pathlib import Path

from hermes_core.agent.rewind import Changed
from hermes_core.commands.diff import LONGEST, LONGEST_FILE, diff_text

CWD = Path("/w/project")


def changed(
    name: str, old: str | None, new: str | None, *, since: bool = False, binary: bool = False
) -> Changed:
    return Changed(
        CWD / name,
        old,
        new,
        is_new=old is None and not binary,
        is_gone=new is None and not binary,
        since=since,
    )


def test_nothing_changed_is_said() -> None:
    assert diff_text([], CWD) == "This session has changed no files so far."


def test_files_are_shown_with_their_numbers() -> None:
    text = diff_text(
        [
            changed("a.py", "one\ntwo\n", "one\nthree\nfour\n"),
            changed("new.py", None, "x\n"),
            changed("old.py", "y\n", None),
            changed("b.bin", None, None, binary=True),
            changed("c.py", "1\n", "2\n", since=True),
        ],
        CWD,
    )
    assert text.startswith("This session has changed 5 files so far: +4 \u22123 lines.")
    assert "`a.py`: +2 \u22121" in text
    assert "@@ -1,2 +1,3 @@\n one\n-two\n+three\n+four" in text
    assert "`new.py` (new): +1 \u22120" in text
    assert "`old.py` (deleted): +0 \u22121" in text
    assert "`b.bin` (binary or large, or its permissions alone)" in text
    assert "`c.py` (changed again since, which is not shown)" in text


def test_a_path_elsewhere_is_shown_whole() -> None:
    other = Changed(Path("/other/x"), "", "a\n", is_new=False, is_gone=False, since=False)
    assert "`/other/x`: +1" in diff_text([other], CWD)


def test_what_is_long_is_cut_and_counted() -> None:
    long = "\n".join(map(str, range(5_000)))
    many = [changed(f"f{number}", None, long) for number in range(10)]
    text = diff_text(many, CWD)
    shown = [line for line in text.splitlines() if line.startswith("+") and line[1:].isdigit()]
    assert LONGEST - 20 < len(shown) < LONGEST
    assert f"({5_001 - LONGEST_FILE:,} more lines of it are not shown.)" in text
    assert "`f9` (new): +5,000" in text
    wide = diff_text([changed("w", None, "x" * 10_000)], CWD)
    assert len(wide) < 1_000


def test_what_is_unseen_in_a_file_is_shown() -> None:
    text = diff_text([changed("a", None, "\x1b[2J\u202e```\n")], CWD)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "````diff" in text
