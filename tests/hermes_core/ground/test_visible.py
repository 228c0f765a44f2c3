import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core.ground.visible import code, fence, many_lines, one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("git status", "git status"),
        ("printf 'größe 日本 \U0001f600'", "printf 'größe 日本 \U0001f600'"),
        ("a\x1b[2Kb", r"a\x1b[2Kb"),
        ("rm \u202exe.txt", r"rm \u202exe.txt"),
        ("a\u200bb\u2060c\ufeffd", r"a\u200bb\u2060c\ufeffd"),
        ("a\xa0b\u3000c\u2028d", r"a\xa0b\u3000c\u2028d"),
        ("a\u3164b\u2800c\ufe0fd\u034fe", r"a\u3164b\u2800c\ufe0fd\u034fe"),
        ("tag\U000e0041\U000e0100", r"tag\U000e0041\U000e0100"),
        ("a\tb\rc\0d", r"a\tb\rc\x00d"),
        ("a\nb", "a \u21b5 b"),
        ("a \u21b5 b", r"a \u21b5 b"),
        ("\ud800\ue000\U0010ffff", r"\ud800\ue000\U0010ffff"),
    ],
)
def test_everything_unseen_is_shown_on_one_line(text: str, shown: str) -> None:
    assert one_line(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        # drawn as nothing, or over what stands before
        ("a\U0001d159b", r"a\U0001d159b"),
        ("rm a\u0338b /\u20d2", r"rm a\u0338b /\u20d2"),
        ("a \u0301b -\u0323rf", r"a \u0301b -\u0323rf"),
        ("a\u0301\u0301\u0301", "a\u0301\u0301\\u0301"),
        # letters that pretend
        ("p\u0430ypal", r"p\u0430ypal"),
        ("\u0441\u043e\u0440 x", r"\u0441\u043e\u0440 x"),
        ("\u0430pt install", r"\u0430pt install"),
        ("\u03bfpen", r"\u03bfpen"),
        ("\uff52\uff4d x", r"\uff52\uff4d x"),
        ("\U0001d42b\U0001d426 x", r"\U0001d42b\U0001d426 x"),
        ("\u212ae \u017fh \ufb01le", r"\u212ae \u017fh \ufb01le"),
        # signs that pretend
        ("rm \u2010rf \u2013rf", r"rm \u2010rf \u2013rf"),
        ("a\u2215b\u2044c\uff0fd", r"a\u2215b\u2044c\uff0fd"),
        ("a\u037eb\uff1bc\u2223d", r"a\u037eb\uff1bc\u2223d"),
        ("echo \u2019$(id)\u2019", r"echo \u2019$(id)\u2019"),
        ("echo \u201cx\u201d", r"echo \u201cx\u201d"),
        # the order of what stands beside letters from right to left
        ("rm \u05d0 1", r"rm \u05d0 1"),
        ("rm \u05d0/\u05d1", r"rm \u05d0/\u05d1"),
    ],
)
def test_what_pretends_is_shown(text: str, shown: str) -> None:
    assert one_line(text) == shown
    assert many_lines(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Привет, мир: рисунок",
        "größe façade naïve Łódź",
        "café — a – b don’t",
        "日本語 한국어 ไทย",
        "ελληνικά δοκιμή",
        "rm שלום עולם x",
        "اسم الملف",
        "हिन्दी",
        "m² x₁ ½ …",
        "→ ✓ │ ├──",
    ],
)
def test_what_is_written_in_any_script_stays(text: str) -> None:
    assert one_line(text) == text


@given(text=st.text(max_size=30))
def test_what_was_made_visible_once_stays_so(text: str) -> None:
    shown = one_line(text)
    assert many_lines(shown) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a", "`a`"), ("a`b", "``a`b``"), ("`a", "`` `a ``"), ("``", "``` `` ```")],
)
def test_code_cannot_be_closed(text: str, shown: str) -> None:
    assert code(text) == shown


def test_lines_and_tabs_stay_where_there_is_room_for_them() -> None:
    assert many_lines("if x\n\tthen\r\n\x07") == "if x\n\tthen\\r\n\\x07"


@given(text=st.text())
def test_nothing_hidden_remains_and_nothing_is_cut(text: str) -> None:
    shown = one_line(text)
    assert shown.isprintable()
    assert "Cf" not in {unicodedata.category(char) for char in shown}
    assert len(shown) >= len(text)


@given(
    first=st.text("ab\n\t\u21b5\u200b ", max_size=4),
    second=st.text("ab\n\t\u21b5\u200b ", max_size=4),
)
def test_commands_that_differ_in_what_is_unseen_look_different(first: str, second: str) -> None:
    assert (one_line(first) == one_line(second)) == (first == second)


@pytest.mark.parametrize("inside", ["plain", "a ``` b", "`````\n````"])
def test_nothing_inside_closes_a_fence(inside: str) -> None:
    first, *lines, last = fence(inside, "console").split("\n")
    assert first == f"{last}console"
    assert set(last) == {"`"}
    assert "\n".join(lines) == inside
    assert last not in inside
