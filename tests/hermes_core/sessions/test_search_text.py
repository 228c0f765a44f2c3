"""What is found in a message, and how a find is shown."""

import pytest

from hermes_core.ground.messages import tool_message, user_message
from hermes_core.sessions.search_text import (
    HEAD,
    TAIL,
    fold,
    match_expression,
    searchable,
    searchable_of_stored,
    snippet,
    words_of,
)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("HELLO", "hello"),
        ("Ärger", "ärger"),
        ("A\u0308rger", "ärger"),
        ("ＦＵＬＬ", "full"),
        ("STRASSE ß", "strasse ss"),
        ("nul\0é", "nul é"),
        ("nul\0", "nul "),
        ("lone \ud800", "lone ?"),
    ],
)
def test_case_width_and_composition_do_not_count(text: str, folded: str) -> None:
    assert fold(text) == folded
    fold(text).encode()


def test_every_kind_of_message_can_be_found_but_the_system_s() -> None:
    assert searchable(user_message("Ask")) == "ask"
    assert searchable(user_message([{"type": "text", "text": "Part"}])) == "part"
    assert searchable(tool_message("c", "f", "Out")) == "out"
    assert searchable({"role": "assistant", "content": None}) == ""
    assert searchable({"role": "system", "content": "x"}) == ""


def test_of_a_long_message_beginning_and_end_can_be_found() -> None:
    text = searchable(user_message("a" * HEAD + "middle" * 1_000 + "z" * TAIL))
    assert len(text) == HEAD + TAIL + 1
    assert text.endswith("z" * TAIL)
    assert "middle" not in text


@pytest.mark.parametrize(
    "data", ["", "nonsense", "[]", '{"role":"user"}', '{"role":1,"content":2}']
)
def test_a_damaged_row_cannot_be_found_and_does_no_harm(data: str) -> None:
    assert searchable_of_stored(data) == ""


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("Fix the Bug", ["fix", "the", "bug"]),
        ('"the  bug" fix fix', ["the bug", "fix"]),
        ("“the bug” now", ["the bug", "now"]),
        ('open "quote', ["open", "quote"]),
        ("  ", []),
        ('""', []),
        ("日本 a", ["日本", "a"]),
    ],
)
def test_a_query_is_its_words(query: str, words: list[str]) -> None:
    assert words_of(query) == words


def test_an_index_is_asked_for_trigrams_alone() -> None:
    assert match_expression(["ab", "日本"]) == ""
    assert match_expression(["abcd", 'a"b']) == '"abc" AND "bcd" AND "a""b"'


def test_a_snippet_stands_around_the_word() -> None:
    text = "x " * 300 + "the NEEDLE here" + " y" * 300
    piece = snippet(text, ["needle"], 60)
    assert "the NEEDLE here" in piece
    assert piece.startswith("…")
    assert piece.endswith("…")
    assert len(piece) <= 62
    assert snippet("two\nlines", ["lines"]) == "two lines"
    assert snippet("Straße NEEDLE", ["needle"]) == "strasse needle"
    assert snippet("nothing", ["needle"]) == "nothing"
