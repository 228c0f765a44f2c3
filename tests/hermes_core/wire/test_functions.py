"""Tools and calls, as strict endpoints take them."""

import re

import pytest

from hermes_core.wire.functions import arguments_of, arguments_text, call_id, function_name

TAKEN = re.compile(r"[a-zA-Z0-9_-]{1,64}")
IDS = ["", "functions.read:0", "functions_read_0", "a" * 65, "a" * 64 + "b", "é", "\ud800", "a b"]


@pytest.mark.parametrize("text", ["call_1", "toolu_01-Ab", "a" * 64])
def test_an_id_that_everybody_takes_stays(text: str) -> None:
    assert call_id(text) == text


def test_other_ids_become_takeable_and_stay_apart() -> None:
    made = [call_id(text) for text in IDS]
    assert all(TAKEN.fullmatch(text) for text in made)
    assert len(set(made)) == len(IDS)
    assert made == [call_id(text) for text in IDS]


@pytest.mark.parametrize("name", ["", "functions.read", "a" * 80, "\ud800", "läs en fil"])
def test_a_name_becomes_takeable(name: str) -> None:
    assert TAKEN.fullmatch(function_name(name))


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", '"a"', "null", '{"a": NaN}', '{"a": 1e999}', "[" * 9_000, '{"a": 1} x']
)
def test_what_is_no_object_counts_as_no_arguments(text: str) -> None:
    assert arguments_of(text) == {}
    assert arguments_text(text) == "{}"


def test_arguments_keep_their_order_and_their_text() -> None:
    text = '{"b": 1,  "a": {"c": "\N{GRINNING FACE}"}}'
    assert arguments_text(text) == text
    assert list(arguments_of(text)) == ["b", "a"]
