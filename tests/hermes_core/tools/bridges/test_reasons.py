"""What a person is told of a server that does not keep to the protocol."""

import logging

import pytest
from mcp_types import CallToolResult, ListToolsResult
from pydantic import BaseModel, ValidationError

from hermes_core.ground.errors import ToolError
from hermes_core.tools.bridges.reasons import NONSENSE, is_nonsense, reason_of, silence_sdk


def validation(model: type[BaseModel], value: object) -> ValidationError:
    with pytest.raises(ValidationError) as raised:
        model.model_validate(value)
    return raised.value


@pytest.mark.parametrize(
    ("model", "value", "told"),
    [
        (ListToolsResult, {}, " (it lacks tools)"),
        (ListToolsResult, {"tools": [None]}, " (tools.0 is wrong)"),
        (CallToolResult, {"content": [{"type": "odd", "text": "x"}]}, " (content.0.type is wrong)"),
        (ListToolsResult, [], ""),
    ],
)
def test_an_answer_of_another_form_is_told_in_a_sentence(
    model: type[BaseModel], value: object, told: str
) -> None:
    error = validation(model, value)
    assert reason_of(error) == NONSENSE + told
    assert is_nonsense(ExceptionGroup("", [error]))


def test_what_could_not_be_read_at_all_is_told_in_a_sentence() -> None:
    error = RuntimeError(
        "Failed to parse JSON response: 1 validation error for union[A,B] [type=x]"
    )
    assert reason_of(error) == NONSENSE
    kind = RuntimeError("Unexpected content type: text/html")
    assert "but with text/html; is its address right?" in reason_of(kind)
    assert "token may be wrong" in reason_of(RuntimeError("Server returned an error response"))


def test_what_a_server_says_itself_is_left_as_it_is() -> None:
    said = RuntimeError("1 validation error for the arguments: a date is needed.")
    assert reason_of(said) == "1 validation error for the arguments: a date is needed"
    assert not is_nonsense(said)
    assert reason_of(ExceptionGroup("", [ToolError("Full.")])) == "Full"


def test_the_sdk_writes_nothing_to_stderr_by_itself() -> None:
    silence_sdk()
    silence_sdk()
    for name in ("mcp", "client"):
        handlers = logging.getLogger(name).handlers
        assert [type(one) for one in handlers] == [logging.NullHandler]
