"""Forms of others: what is shown of one, what is refused, what answers it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core.ground.forms import (
    LONGEST_ANSWER,
    LONGEST_WORDS,
    MOST_CHOICES,
    MOST_FIELDS,
    FormRefused,
    choices_of,
    content_of,
    form_schema,
)
from tests.schema.validate import WireValidator


def schema(required: list[str] | None = None, **fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": required or []}


FULL = schema(
    ["name", "age"],
    name={"type": "string", "title": "Name", "minLength": 1, "maxLength": 5, "format": "email"},
    age={"type": "integer", "minimum": 0, "maximum": 150},
    share={"type": "number", "maximum": 1.5},
    sure={"type": "boolean", "default": True},
    colour={"type": "string", "enum": ["red", "blue"], "default": "blue"},
    size={"type": "string", "oneOf": [{"const": "s", "title": "Small"}]},
    tags={"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "maxItems": 1},
    kinds={"type": "array", "items": {"anyOf": [{"const": "k", "title": "Kind"}]}},
)


def valid(made: dict[str, Any]) -> None:
    params = {"sessionId": "s", "mode": "form", "message": "m", "requestedSchema": made}
    line = {"jsonrpc": "2.0", "id": "1", "method": "elicitation/create", "params": params}
    WireValidator().check(json.dumps(line).encode(), "agent")


def test_every_kind_of_field_is_shown_validly() -> None:
    made = form_schema(FULL)
    valid(made)
    fields = made["properties"]
    assert list(fields) == list(FULL["properties"])
    assert made["required"] == ["name", "age"]
    assert fields["name"]["format"] == "email"
    assert fields["sure"]["default"] is True
    assert fields["colour"]["enum"] == ["red", "blue"]
    assert choices_of(fields["size"]) == [("s", "Small")]
    assert choices_of(fields["tags"]) == [("a", "a"), ("b", "b")]
    assert choices_of(fields["kinds"]) == [("k", "Kind")]


def test_what_is_not_understood_is_left_out() -> None:
    field = {
        "type": "string",
        "title": "T",
        "pattern": "(a+)+$",
        "format": "odd",
        "minLength": -1,
        "maxLength": "x",
        "default": 5,
        "$ref": "http://x",
        "_meta": {},
    }
    made = form_schema({**schema(a=field), "additionalProperties": False, "$defs": {}})
    assert made == {"type": "object", "properties": {"a": {"type": "string", "title": "T"}}}
    valid(made)


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (None, "no fields"),
        ([], "no fields"),
        ({"properties": []}, "no fields"),
        ({"type": "array", "properties": {}}, "no form"),
        (schema(a={"type": "object", "properties": {}}), "neither text"),
        (schema(a={"type": ["string", "null"]}), "neither text"),
        (schema(a={}), "neither text"),
        (schema(a="string"), "one of its fields"),
        (schema(a={"type": "array", "items": {"type": "string"}}), "without choices"),
        (schema(a={"type": "array"}), "without choices"),
        (schema(a={"type": "string", "enum": []}), "no choices"),
        (schema(a={"type": "string", "enum": [1]}), "no text"),
        (schema(a={"type": "string", "enum": ["x"] * (MOST_CHOICES + 1)}), "too many"),
        (schema(a={"type": "string", "enum": ["x" * (LONGEST_WORDS + 1)]}), "no text"),
        (schema(**{f"f{n}": {"type": "string"} for n in range(MOST_FIELDS + 1)}), "more than"),
        (schema(**{"": {"type": "string"}}), "name"),
        (schema(**{"x\u202e": {"type": "string"}}), "name"),
        (schema(**{"x" * 101: {"type": "string"}}), "name"),
        (schema(["b"], a={"type": "string"}), "requires"),
        (schema(password={"type": "string"}), "secret"),
        (schema(a={"type": "string", "title": "API key"}), "secret"),
        (schema(a={"type": "string", "description": "Enter your password"}), "secret"),
        (schema(a={"type": "string", "format": "password"}), "secret"),
        (schema(a={"type": "string", "writeOnly": True}), "secret"),
        (schema(pin={"type": "integer"}), "secret"),
    ],
)
def test_what_is_refused(raw: Any, why: str) -> None:
    with pytest.raises(FormRefused, match=why):
        form_schema(raw)


def test_the_message_may_not_ask_for_a_secret_that_can_be_typed() -> None:
    with pytest.raises(FormRefused, match="secret"):
        form_schema(schema(value={"type": "string"}), "Please paste your API key.")
    form_schema(schema(value={"type": "boolean"}), "Please paste your API key.")
    form_schema(schema(token={"type": "string", "enum": ["one", "two"]}), "Which?")


def test_what_a_person_reads_hides_nothing() -> None:
    odd = "a\u202eb\x1b[2J"
    made = form_schema(
        schema(
            a={"type": "string", "title": odd, "description": odd, "default": odd},
            b={"type": "string", "enum": ["red", odd]},
            c={"type": "string", "enum": ["x"], "enumNames": ["The X"]},
        )
    )
    valid(made)
    fields = made["properties"]
    shown = "a\\u202eb\\x1b[2J"
    assert (fields["a"]["title"], fields["a"]["description"]) == (shown, shown)
    assert "default" not in fields["a"]
    assert choices_of(fields["b"]) == [("red", "red"), (odd, shown)]
    assert choices_of(fields["c"]) == [("x", "The X")]


def test_long_words_are_cut() -> None:
    made = form_schema(schema(a={"type": "string", "description": "y" * 9_000}))
    assert len(made["properties"]["a"]["description"]) == LONGEST_WORDS


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ({"name": "me", "age": 3}, {"name": "me", "age": 3}),
        ({"name": "me", "age": 3.0, "share": 1}, {"name": "me", "age": 3, "share": 1}),
        ({"name": "me", "age": 3, "odd": 1, "colour": None}, {"name": "me", "age": 3}),
        ({"name": "me", "age": 3, "colour": ""}, {"name": "me", "age": 3}),
        ({"name": "me", "age": 3, "tags": ["a"]}, {"name": "me", "age": 3, "tags": ["a"]}),
        ({"name": "me", "age": 3, "sure": False}, {"name": "me", "age": 3, "sure": False}),
        ({"name": "me"}, None),
        ({"name": "", "age": 3}, None),
        ({"name": "longer", "age": 3}, None),
        ({"name": 5, "age": 3}, None),
        ({"name": ["me"], "age": 3}, None),
        ({"name": "me", "age": "3"}, None),
        ({"name": "me", "age": 3.5}, None),
        ({"name": "me", "age": True}, None),
        ({"name": "me", "age": -1}, None),
        ({"name": "me", "age": float("nan")}, None),
        ({"name": "me", "age": 3, "share": float("inf")}, None),
        ({"name": "me", "age": 3, "share": 1.6}, None),
        ({"name": "me", "age": 3, "sure": 1}, None),
        ({"name": "me", "age": 3, "sure": "true"}, None),
        ({"name": "me", "age": 3, "colour": "green"}, None),
        ({"name": "me", "age": 3, "tags": "a"}, None),
        ({"name": "me", "age": 3, "tags": ["c"]}, None),
        ({"name": "me", "age": 3, "tags": ["a", "b"]}, None),
        ({"name": "me", "age": 3, "kinds": ["k", "k"]}, None),
        ({"name": "me", "age": 3, "kinds": [1]}, None),
        ([], None),
        (None, None),
        ("x", None),
    ],
)
def test_what_answers_a_form(content: Any, found: Any) -> None:
    assert content_of(form_schema(FULL), content) == found


def test_a_form_that_requires_nothing_may_stay_empty() -> None:
    made = form_schema(schema(a={"type": "string"}))
    assert content_of(made, None) == {}
    assert content_of(made, {"a": "x" * (LONGEST_ANSWER + 1)}) is None


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ("type", "title", "enum", "items", "anyOf", "oneOf", "const", "default", "minimum")
            ),
            inner | st.sampled_from(("string", "integer", "number", "boolean", "array")),
            max_size=4,
        )
    ),
    max_leaves=10,
)


@given(st.dictionaries(st.text(max_size=4), ANYTHING, max_size=3), ANYTHING)
def test_whatever_is_asked_is_valid_or_refused(fields: Any, content: Any) -> None:
    try:
        made = form_schema({"properties": fields})
    except FormRefused:
        return
    valid(made)
    content_of(made, dict.fromkeys(fields, content))
