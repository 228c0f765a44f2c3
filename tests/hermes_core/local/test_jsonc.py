"""Reading JSON with comments: what is accepted, what is refused and where."""

import json
import string
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core.local.jsonc import JsoncError, parse

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


def value_of(text: str) -> object:
    node = parse(text)
    assert node is not None
    return node.value


@given(VALUES, st.booleans(), st.sampled_from([None, 2, "\t"]))
def test_plain_json_reads_as_it_does_elsewhere(
    value: object, ascii_only: bool, indent: int | str | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert value_of(text) == value
    node = parse(f" {text}\n")
    assert node is not None
    assert (node.start, node.end) == (1, 1 + len(text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("\ufeff{} ", {}),
        ("// one\n/* two\n */ {}// three", {}),
        ('{"a": 1,}', {"a": 1}),
        ('{"a": [1, 2, /* no more */ ], // b\r\n}\r\n', {"a": [1, 2]}),
        ('{"url": "http://x/*y*/", "b": "\\"//"}', {"url": "http://x/*y*/", "b": '"//'}),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ("{/**/}", {}),
        ("[]", []),
    ],
)
def test_what_editors_accept(text: str, value: object) -> None:
    assert value_of(text) == value


@pytest.mark.parametrize("text", ["", " \n", "// only a comment", "/* one */\n// two\n", "\ufeff"])
def test_a_text_without_a_value(text: str) -> None:
    assert parse(text) is None


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("{", (1, 2), "a key in double quotes"),
        ('{"a" 1}', (1, 6), "a colon"),
        ('{"a": }', (1, 7), "a value"),
        ('{\n  "a": 1\n  "b": 2\n}', (3, 3), "a comma or }"),
        ('{"a": 1,,}', (1, 9), "a key in double quotes"),
        ("{a: 1}", (1, 2), "a key in double quotes"),
        ("{'a': 1}", (1, 2), "a key in double quotes"),
        ("[1 2]", (1, 4), "a comma or ]"),
        ("[1,,2]", (1, 4), "a value"),
        ('{"a": "b', (1, 7), "unterminated string"),
        ('{"a": tru}', (1, 7), "expecting value"),
        ("{} {}", (1, 4), "more after the end"),
        ("{ /* open", (1, 3), "not closed"),
        ('{"a": 1e999}', (1, 7), "too large"),
        ("NaN", (1, 1), "no JSON value"),
        ("-Infinity", (1, 1), "too large"),
        ("[" * 300, (1, 202), "nested"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, where: tuple[int, int], what: str) -> None:
    with pytest.raises(JsoncError) as caught:
        parse(text)
    assert what.lower() in caught.value.what.lower()
    assert str(caught.value).startswith(f"line {where[0]}, column {where[1]}: ")


@given(st.text(alphabet='{}[]",:/*\n a1' + string.whitespace, max_size=30))
def test_any_text_reads_or_is_refused(text: str) -> None:
    with suppress(JsoncError):
        node = parse(text)
        assert node is None or text[node.start : node.end].strip()
