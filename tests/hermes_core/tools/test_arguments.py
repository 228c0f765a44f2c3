from typing import Any, Literal, NotRequired, TypedDict

import pytest

from hermes_core.ground.errors import ToolError
from hermes_core.tools.arguments import check_fields
from hermes_core.tools.shapes import fields_of


class Edit(TypedDict):
    old: str
    new: str
    all: NotRequired[bool]


def patch(
    _ctx: object,
    path: str,
    edits: list[Edit],
    *,
    limit: int = 10,
    timeout: float | None = None,
    mode: Literal["content", "files"] = "content",
) -> None: ...


FIELDS = fields_of(patch)
GOOD = {"path": "a", "edits": [{"old": "x", "new": "y"}]}


def checked(**arguments: Any) -> dict[str, Any]:
    return check_fields("patch", FIELDS, {**GOOD, **arguments})


@pytest.mark.parametrize(
    ("sent", "taken"),
    [
        ({}, {}),
        ({"limit": "5"}, {"limit": 5}),
        ({"limit": 5.0}, {"limit": 5}),
        ({"limit": None}, {}),
        ({"timeout": " 1.5 "}, {"timeout": 1.5}),
        ({"path": 404}, {"path": "404"}),
        ({"mode": "Files"}, {"mode": "files"}),
        ({"edits": '[{"old": "x", "new": "y"}]'}, {}),
        ({"edits": {"old": "x", "new": "y"}}, {}),
        ({"edits": '{"old": "x", "new": "y"}'}, {}),
        ({"edits": ['{"old": "x", "new": "y"}']}, {}),
        (
            {"edits": [{"old": "x", "new": "y", "all": "true"}]},
            {"edits": [{"old": "x", "new": "y", "all": True}]},
        ),
        (
            {"edits": [{"old": "[1]", "new": "", "all": 0}]},
            {"edits": [{"old": "[1]", "new": "", "all": False}]},
        ),
        ({"edits": []}, {"edits": []}),
    ],
)
def test_values_with_one_reading_are_put_right(sent: dict[str, Any], taken: dict[str, Any]) -> None:
    result = checked(**sent)
    assert result == {**GOOD, **taken}
    assert check_fields("patch", FIELDS, result) == result


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"limit": "many"}, 'limit must be an integer, not "many"'),
        ({"limit": 1.5}, "limit must be an integer, not 1.5"),
        ({"limit": True}, "limit must be an integer, not a boolean"),
        ({"limit": 1e400}, "limit must be an integer"),
        ({"timeout": "nan"}, "timeout must be a number"),
        ({"path": {"a": 1}}, "path must be a string, not an object"),
        ({"path": 3.10}, "path must be a string, not 3.1"),
        ({"path": None}, "path is missing"),
        ({"mode": "lines"}, "mode must be one of content, files, not"),
        ({"edits": "x"}, 'edits must be an array, not "x"'),
        ({"edits": [5]}, r"edits\[0\] must be an object, not 5"),
        ({"edits": [{"old": "x"}]}, r"edits\[0\].new is missing"),
        ({"edits": [{"old": "x", "new": "", "all": "maybe"}]}, r"edits\[0\].all must be a boolean"),
        ({"file_path": "a"}, r"file_path is unknown \(did you mean path\?\)"),
        ({"colour": "a"}, "colour is unknown[.;]"),
    ],
)
def test_what_is_wrong_is_named(sent: dict[str, Any], said: str) -> None:
    with pytest.raises(ToolError, match=said):
        checked(**sent)


def test_everything_wrong_is_named_at_once() -> None:
    with pytest.raises(ToolError) as caught:
        check_fields(
            "patch", FIELDS, {"file": "a", "edits": [{"old_string": "x", "newString": ""}]}
        )
    text = str(caught.value)
    for said in (
        "patch: ",
        "path is missing",
        "edits[0].old is missing",
        "edits[0].old_string is unknown (did you mean edits[0].old?)",
        "edits[0].newString is unknown (did you mean edits[0].new?)",
        "Its arguments are: path, edits, limit?, timeout?, mode?.",
    ):
        assert said in text


@pytest.mark.parametrize("arguments", [None, 5, [1], "text"])
def test_arguments_are_an_object(arguments: Any) -> None:
    with pytest.raises(ToolError, match="must be an object"):
        check_fields("patch", FIELDS, arguments)
