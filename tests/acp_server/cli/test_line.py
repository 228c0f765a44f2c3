"""The line that is typed while a turn runs: keys, pastes, rows."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from acp_server.cli.line import LIMIT, PASTE, PASTED, Line, drawn

LEFT, RIGHT, UP, DOWN = "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[B"
HOME, END, DELETE = "\x1b[H", "\x1b[F", "\x1b[3~"


def fed(*pieces: str) -> tuple[str, list[str]]:
    """Return what stands in the line after ``pieces``, and what was sent from it."""
    line, sent = Line(), list[str]()
    for piece in pieces:
        line.feed(piece, taking(sent))
    return line.text, sent


def taking(sent: list[str]) -> Callable[[str], bool]:
    def take(text: str) -> bool:
        sent.append(text)
        return True

    return take


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("word", "word"),
        ("wordx\x7f", "word"),
        ("wordx\x08", "word"),
        (f"wrd{LEFT}{LEFT}o", "word"),
        (f"ord{HOME}w", "word"),
        (f"ord\x01w{END}s", "words"),
        (f"wo!rd\x02\x02\x02{DELETE}", "word"),
        ("one two\x17", "one "),
        ("one two\x1b\x7f", "one "),
        ("one two\x15three", "three"),
        (f"one two{HOME}\x1bf\x0b", "one"),
        ("one two\x1bb\x0b", "one "),
        (f"one two\x1b[1;5D{DELETE}", "one wo"),
        ("one\x1b\rtwo", "one\ntwo"),
        (f"ac\x1b\nx{UP}b", "abc\nx"),
        (f"a\x1b\rb{UP}{DOWN}{RIGHT}c", "a\nbc"),
        ("naïve 日本語 🙂", "naïve 日本語 🙂"),
        ("\x00\x03\x04\x1b[5~\x1bOPa\x07", "a"),
        ("\x7f\x17\x15\x0b\x04", ""),
        ("a\u202eb\u200bc", "abc"),
    ],
)
def test_what_keys_come_to(keys: str, text: str) -> None:
    assert fed(keys) == (text, [])
    assert fed(*keys.replace("\x1b", "\0\x1b").split("\0")) == (text, [])


@pytest.mark.parametrize("enter", ["\r", "\n"])
def test_enter_sends_the_line_and_empties_it(enter: str) -> None:
    assert fed(f"next task{enter}") == ("", ["next task"])
    assert fed("next", f" task{LEFT}{enter}", "more") == ("more", ["next task"])
    assert fed(enter, f"  {enter}") == ("  ", [])


def test_a_line_that_is_not_taken_stays() -> None:
    line = Line()
    line.feed("/quit\r", lambda _: False)
    assert line.text == "/quit"


def test_without_anybody_to_send_it_to_lines_are_kept() -> None:
    line = Line()
    for piece in ("one\r", "two\nthree"):
        line.feed(piece)
    assert line.take() == "one\ntwo\nthree"
    assert line.take() == ""


def test_a_paste_is_text_and_sends_nothing() -> None:
    pasted = f"{PASTE}one\r\ntwo\n\x1b[31mthree{PASTED}"
    assert fed(pasted) == ("one\ntwo\n[31mthree", [])
    assert fed(pasted, "\r") == ("", ["one\ntwo\n[31mthree"])
    assert fed(*pasted) == ("one\ntwo\n[31mthree", [])
    for cut in range(1, len(pasted)):
        assert fed(pasted[:cut], pasted[cut:], "!") == ("one\ntwo\n[31mthree!", [])


def test_lines_that_come_all_at_once_are_a_paste_too() -> None:
    assert fed("one\rtwo\r") == ("one\rtwo".replace("\r", "\n"), [])
    assert fed("one\n\ntwo") == ("one\n\ntwo", [])


def test_a_paste_of_any_length_comes_to_its_end_and_is_bounded() -> None:
    line, sent = Line(), list[str]()
    text = "x" * 999 + "\n"
    line.feed(PASTE, taking(sent))
    for _ in range(300):
        line.feed(text, taking(sent))
    line.feed(PASTED, taking(sent))
    assert sent == []
    assert line.text == (text * 300)[:LIMIT]
    line.feed("y\r", taking(sent))
    assert [len(one) for one in sent] == [LIMIT]


def test_escape_by_itself_takes_nothing_with_it() -> None:
    assert fed("a\x1b", "b") == ("ab", [])
    assert fed("a\x1b", "\r") == ("", ["a"])
    assert fed("ab\x1b", "[D", "c") == ("acb", [])


@given(st.lists(st.text(st.sampled_from("ab日\x1b[~O20\r\n\x7f\x15D"), max_size=9), max_size=6))
def test_nothing_that_is_typed_breaks_it(pieces: list[str]) -> None:
    text, sent = fed(*pieces)
    for one in (text, *sent):
        assert all(char.isprintable() or char == "\n" for char in one)


def rows(text: str, cursor: int, width: int, height: int = 6) -> list[str]:
    return drawn(text, cursor, width, height).plain.split("\n")


def test_short_text_is_one_row_with_the_cursor_behind_it() -> None:
    shown = drawn("hello", 5, 20, 6)
    assert shown.plain == "› hello "
    (reversed_span,) = [span for span in shown.spans if span.style == "reverse"]
    assert shown.plain[reversed_span.start : reversed_span.end] == " "
    assert reversed_span.start == 7


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("abcdefgh", 6, ["› abcd", "  efgh", "   "]),
        ("日本語", 6, ["› 日本", "  語 "]),
        ("日本語", 5, ["› 日", "  本", "  語 "]),
        ("日本", 1, ["› 日", "  本", "   "]),
        ("one\ntwo", 20, ["› one", "  two "]),
        ("one\n", 20, ["› one", "   "]),
        ("a\tb\x1b", 20, ["› a\\tb\\x1b "]),
    ],
)
def test_text_is_broken_by_cells(text: str, width: int, shown: list[str]) -> None:
    assert rows(text, len(text), width) == shown


def test_the_rows_around_the_cursor_are_shown() -> None:
    text = "\n".join(f"row {number}" for number in range(20))
    assert rows(text, 0, 20, 3) == ["› row 0", "  row 1", "  row 2"]
    assert rows(text, len(text), 20, 3) == ["  row 17", "  row 18", "  row 19 "]
    assert len(rows("x" * LIMIT, LIMIT // 2, 40, 4)) == 4


@given(
    st.text(st.sampled_from("ab 日🙂\u0301\t\n"), max_size=60),
    st.integers(0, 60),
    st.integers(4, 30),
    st.integers(1, 5),
)
def test_rows_fit_and_show_one_cursor(text: str, cursor: int, width: int, height: int) -> None:
    cursor = min(cursor, len(text))
    shown = drawn(text, cursor, width, height)
    laid = shown.plain.split("\n")
    assert len(laid) <= height
    assert all(cell_len(row) <= width for row in laid)
    assert [span.style for span in shown.spans].count("reverse") == 1
