import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core.tools.visible import fence, many_lines, one_line


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
