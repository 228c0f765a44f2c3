"""What the model is told of foreign tools, and which arguments pass."""

import json
from typing import Any

import pytest

from hermes_core.ground.errors import ToolError
from hermes_core.tools.bridges.schemas import (
    LONGEST_DESCRIPTION,
    LONGEST_SCHEMA,
    bounded,
    check,
    function_schema,
    short,
)

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "s": {"type": "string"}, "any": {}},
    "required": ["s"],
}


def test_a_usual_schema_is_passed_on_as_it_is() -> None:
    assert bounded({**SCHEMA, "$schema": "http://json-schema.org/draft-07/schema#"}) == SCHEMA
    assert function_schema("f", "Does.", SCHEMA)["function"]["parameters"] == SCHEMA


@pytest.mark.parametrize("odd", [None, [], "x", {"type": "string"}, {"properties": {1: {}}}])
def test_what_is_no_schema_of_an_object_takes_anything(odd: Any) -> None:
    assert bounded(odd) == {"type": "object", "properties": {}}


def test_a_long_schema_loses_its_words_first() -> None:
    wordy = {"a": {"type": "string", "description": "x" * LONGEST_SCHEMA}}
    assert bounded({"type": "object", "properties": wordy})["properties"] == {
        "a": {"type": "string"}
    }


def test_a_property_that_is_called_description_stays() -> None:
    long = {"description": {"type": "string"}, "z": {"description": "x" * LONGEST_SCHEMA}}
    kept = bounded({"type": "object", "properties": long})["properties"]
    assert kept["description"] == {"type": "string"}


def test_no_schema_is_beyond_all_bounds() -> None:
    many = {f"{n:05}" * 100: {"enum": ["x" * 50] * 20} for n in range(500)}
    assert len(json.dumps(bounded({"type": "object", "properties": many}))) < LONGEST_SCHEMA
    deep: dict[str, Any] = {}
    for _ in range(100):
        deep = {"properties": {"a": deep}}
    assert bounded(deep) == {"type": "object", "properties": {}}


def test_a_description_is_short_and_hides_nothing() -> None:
    assert short("a\u202eb\x1b[2J") == "ab[2J"
    assert len(short("x" * 10_000)) == LONGEST_DESCRIPTION


def test_arguments_that_fit_pass_unchanged() -> None:
    given = {"s": "x", "n": 2, "any": [None], "more": True}
    assert check("f", SCHEMA, given) == given


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "'s' is missing"),
        ({"s": 1}, "'s' must be of type string"),
        ({"s": "x", "n": "2"}, "'n' must be of type integer"),
        ({"s": "x", "n": True}, "'n' must be of type integer"),
    ],
)
def test_arguments_that_are_plainly_wrong_are_told(arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(ToolError, match=told):
        check("f", SCHEMA, arguments)
    with pytest.raises(ToolError, match="'more' is unknown"):
        check("f", {**SCHEMA, "additionalProperties": False}, {"s": "x", "more": 1})
