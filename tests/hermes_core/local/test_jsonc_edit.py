"""Changing JSONC in place: one value comes or goes, every other byte stays."""

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hermes_core.local.jsonc import JsoncError
from hermes_core.local.jsonc_edit import load, put, put_text, take, text_at

SETTINGS = """\
// Settings of a person with habits
{
\t"theme": "One Dark", // or Light?
\t/* servers */
\t"agent_servers": {
\t\t"Other": { "command": "x" }, // keep
\t},
\t"list": [1, 2,],
}
"""


def test_a_member_comes_last_and_is_indented_as_its_neighbours() -> None:
    assert put(SETTINGS, ["agent_servers", "Hermes"], {"command": "h", "args": ["acp"]}) == (
        SETTINGS.replace(
            "// keep\n",
            '// keep\n\t\t"Hermes": {\n\t\t\t"command": "h",\n\t\t\t"args": ["acp"]\n\t\t},\n',
        )
    )


def test_a_value_is_replaced_where_it_stands() -> None:
    assert put(SETTINGS, ["theme"], "Light") == SETTINGS.replace("One Dark", "Light")
    assert put(SETTINGS, ["agent_servers", "Other", "command"], "y") == SETTINGS.replace(
        '"x"', '"y"'
    )


def test_what_was_put_in_is_taken_out_to_the_byte() -> None:
    path = ["agent_servers", "Hermes"]
    assert take(put(SETTINGS, path, {"a": {}}), path) == SETTINGS
    assert take(SETTINGS, path) == SETTINGS
    assert take(SETTINGS, ["nowhere", "Hermes"]) == SETTINGS


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "k": {\n    "n": 1\n  }\n}\n'),
        ("{}", '{\n  "k": {\n    "n": 1\n  }\n}'),
        ("// mine\n", '// mine\n{\n  "k": {\n    "n": 1\n  }\n}\n'),
        ('{"a": 1}', '{"a": 1, "k": {"n": 1}}'),
        ('{"a": 1,}', '{"a": 1, "k": {"n": 1},}'),
        ('{\n  "a": 1\n}\n', '{\n  "a": 1,\n  "k": {\n    "n": 1\n  }\n}\n'),
        ('{\n  "a": 1 // one\n}\n', '{\n  "a": 1, // one\n  "k": {\n    "n": 1\n  }\n}\n'),
        ("{\n  // none yet\n}", '{\n  // none yet\n  "k": {\n    "n": 1\n  }\n}'),
        ('{\r\n "a": 1\r\n}', '{\r\n "a": 1,\r\n "k": {\r\n  "n": 1\r\n }\r\n}'),
        ('\ufeff{"k": {}}', '\ufeff{"k": {\n  "n": 1\n}}'),
        ('{\n    "k": {\n    }\n}', '{\n    "k": {\n        "n": 1\n    }\n}'),
    ],
)
def test_the_style_of_the_text_is_kept(before: str, after: str) -> None:
    assert put(before, ["k", "n"], 1) == after


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        ('{"a": 1, "b": 2, "c": 3}', ["a"], '{"b": 2, "c": 3}'),
        ('{"a": 1, "b": 2, "c": 3}', ["b"], '{"a": 1, "c": 3}'),
        ('{"a": 1, "b": 2, "c": 3}', ["c"], '{"a": 1, "b": 2}'),
        ('{"a": 1}', ["a"], "{}"),
        ('{\n  "a": 1, // of a\n  "b": 2\n}', ["a"], '{\n  "b": 2\n}'),
        ('{\n  "a": 1,\n  "b": 2 // of b\n}', ["b"], '{\n  "a": 1\n}'),
        ('{\n  "a": 1,\n  "b": 2, "c": 3\n}', ["b"], '{\n  "a": 1, "c": 3\n}'),
        ('{ // why\n  "a": 1\n}', ["a"], "{ // why\n}"),
        ('{"k": {\n  "a": 1\n}}', ["k", "a"], '{"k": {}}'),
    ],
)
def test_members_go_with_their_comma(before: str, path: list[str], after: str) -> None:
    assert take(before, path) == after


def test_the_text_of_a_value_comes_back_as_it_was_written() -> None:
    old = '{ "command": "x" }'
    assert text_at(SETTINGS, ["agent_servers", "Other"]) == old
    assert text_at(SETTINGS, ["agent_servers", "None"]) is None
    changed = put(SETTINGS, ["agent_servers", "Other"], {"command": "y", "env": {}})
    assert put_text(changed, ["agent_servers", "Other"], old) == SETTINGS


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[]", "no object"),
        ('{"k": [1]}', "no object"),
        ('{"k": {}, "k": {}}', "twice"),
        ('{"k": {"n": 1, "n": 2}}', "twice"),
        ('{"k": ', "missing"),
    ],
)
def test_what_cannot_be_changed_is_refused(text: str, what: str) -> None:
    with pytest.raises(JsoncError, match=what):
        put(text, ["k", "n"], 3)


# Any text that a person may have written


GAPS = st.sampled_from(
    ["", " ", "\n", "\n  ", "\r\n\t", " // c\n", "\n/* c */ ", "/* c\n */", "\n\n"]
)
KEYS = st.sampled_from(["a", "b", "agents", "ä", 'q"', ""])


@st.composite
def objects(draw: st.DrawFn, depth: int = 2) -> str:
    """An object with gaps and comments anywhere, and perhaps a comma behind its last member."""
    parts = []
    for key in draw(st.lists(KEYS, max_size=3, unique=True)):
        scalars = st.sampled_from(["1", '"x//y"', "null", "[1, 2,]", "{}"])
        value = draw(objects(depth - 1) if depth and draw(st.booleans()) else scalars)
        gaps = [draw(GAPS) for _ in range(4)]
        parts.append(f"{gaps[0]}{json.dumps(key)}{gaps[1]}:{gaps[2]}{value}{gaps[3]}")
    trail = draw(st.sampled_from(["", ","])) if parts else ""
    return "{" + ",".join(parts) + trail + draw(GAPS) + "}"


@given(objects(), st.sampled_from([["agents", "hermes"], ["hermes"], ["a", "b", "hermes"]]))
def test_putting_in_adds_that_alone_and_taking_out_undoes_it(text: str, path: list[str]) -> None:
    value: dict[str, Any] = {"command": "/h", "args": ["acp"], "env": {}}
    try:
        made = put(text, path, value)
    except JsoncError as error:
        assume(error.what.endswith("no object"))
        return
    assert put(made, path, value) == made
    data = load(made)
    inside = data
    for key in path[:-1]:
        inside = inside[key]
    assert inside.pop(path[-1]) == value
    assert load(take(made, path)) == data
    if text_at(text, path[:-1]) is not None:  # no object had to be made around it
        assert "".join(take(made, path).split()) == "".join(text.split())
    for comment in ("// c", "/* c"):
        assert made.count(comment) == text.count(comment)
