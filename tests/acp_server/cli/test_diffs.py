"""Diffs as numbered lines."""

import time

import pytest

from acp_server.cli.diffs import NO_NEWLINE, lines_of


def rows(old: str | None, new: str) -> list[str]:
    return [f"{line.mark}{line.number} {line.text}".rstrip() for line in lines_of(old, new)]


def test_a_change_has_three_lines_around_it() -> None:
    old = "".join(f"{n}\n" for n in range(1, 12))
    assert rows(old, old.replace("6\n", "six\n")) == [
        " 3 3", " 4 4", " 5 5", "-6 6", "+6 six", " 7 7", " 8 8", " 9 9",
    ]  # fmt: skip


def test_far_changes_are_parted_by_a_gap() -> None:
    old = "".join(f"{n}\n" for n in range(1, 21))
    new = old.replace("2\n", "two\n", 1).replace("19\n", "nineteen\n")
    shown = rows(old, new)
    assert shown[:3] == [" 1 1", "-2 2", "+2 two"]
    assert shown.count("~0") == 1
    assert shown[shown.index("~0") + 1] == " 16 16"
    assert shown[-2:] == ["+19 nineteen", " 20 20"]


def test_numbers_follow_each_text() -> None:
    assert rows("a\nb\nc\n", "new\na\nb\n") == ["+1 new", " 2 a", " 3 b", "-3 c"]


@pytest.mark.parametrize("old", [None, ""])
def test_a_new_file_is_all_added(old: str | None) -> None:
    assert rows(old, "x\ny\n") == ["+1 x", "+2 y"]


def test_equal_texts_show_nothing() -> None:
    assert rows("same\n", "same\n") == []
    assert rows("same", "same") == []


def test_a_lost_final_newline_shows() -> None:
    assert rows("x\n", "x") == [" 1 x", f"+2 {NO_NEWLINE}"]
    assert rows("x", "y") == ["-1 x", "+1 y"]


def test_carriage_returns_show_only_where_line_ends_differ() -> None:
    assert rows("a\r\nb\r\n", "a\r\nc\r\n") == [" 1 a", "-2 b", "+2 c"]
    assert rows("a\r\nb\n", "a\nb\n") == ["-1 a\\r", "+1 a", " 2 b"]


def test_escapes_are_made_visible() -> None:
    assert rows("", "\x1b[2J\n") == ["+1 \\x1b[2J"]


def test_long_files_are_quick() -> None:
    old = "".join(f"line {n}\n" for n in range(50_000))
    began = time.monotonic()
    assert len(lines_of(old, old.replace("line 25000\n", "changed\n"))) == 8
    assert len(lines_of(old, old.upper())) == 100_000
    assert time.monotonic() - began < 30
