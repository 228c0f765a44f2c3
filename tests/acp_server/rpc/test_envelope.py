from typing import Any

import pytest
from pygls.protocol.json_rpc import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
)

from acp_server.rpc.envelope import ErrorMessage, error_of, plain, structure
from acp_server.rpc.errors import INTERNAL_ERROR, INVALID_REQUEST
from acp_server.rpc.messages import InvalidMessage


def test_each_kind_of_message_is_told_apart() -> None:
    call = {"jsonrpc": "2.0", "method": "m", "params": {"jsonrpc": "nested", "id": 1}}
    heard = structure(call)
    assert isinstance(heard, JsonRPCNotification)
    assert heard.params == call["params"]
    asked = structure({**call, "id": None})
    assert isinstance(asked, JsonRPCRequestMessage)
    assert asked.id is None
    answered = structure({"jsonrpc": "2.0", "id": "a", "result": None, "error": None})
    assert isinstance(answered, JsonRPCResponseMessage)
    failed = structure({"jsonrpc": "2.0", "id": "a", "error": {"code": 1, "message": "no"}})
    assert isinstance(failed, ErrorMessage)


@pytest.mark.parametrize("params", [{}, {"params": None}])
def test_params_may_be_absent(params: dict[str, Any]) -> None:
    asked = structure({"jsonrpc": "2.0", "id": 1, "method": "m", **params})
    assert isinstance(asked, JsonRPCRequestMessage)
    assert asked.params == {}


@pytest.mark.parametrize(
    ("data", "answered_id", "named"),
    [
        ({"id": 1, "method": "m"}, 1, "jsonrpc"),
        ({"jsonrpc": "1.0", "id": "x", "method": "m"}, "x", "jsonrpc"),
        ({"jsonrpc": 2.0, "method": "m"}, None, "jsonrpc"),
        ({"jsonrpc": "2.0", "id": 1, "method": 5}, 1, "method"),
        ({"jsonrpc": "2.0", "id": 1, "method": None}, 1, "method"),
        ({"jsonrpc": "2.0", "id": 1}, 1, "method"),
        ({}, None, "method"),
        ({"jsonrpc": "2.0", "id": [1], "method": "m"}, None, "id"),
        ({"jsonrpc": "2.0", "id": True, "method": "m"}, None, "id"),
    ],
)
def test_a_broken_envelope_is_named(data: dict[str, Any], answered_id: object, named: str) -> None:
    with pytest.raises(InvalidMessage) as caught:
        structure(data)
    assert caught.value.code == INVALID_REQUEST
    assert caught.value.id == answered_id
    assert caught.value.message.startswith(named)


@pytest.mark.parametrize("msg_id", [None, 777, [1], {}])
def test_answers_with_impossible_ids_are_no_error(msg_id: object) -> None:
    for part in ({"result": {}}, {"error": {"code": 1, "message": "no"}}):
        message = structure({"jsonrpc": "2.0", "id": msg_id, **part})
        assert isinstance(message, JsonRPCResponseMessage | ErrorMessage)
        assert message.id is None


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        ({"code": -32002, "message": "gone", "data": 1}, -32002, "gone"),
        ({"code": "x"}, INTERNAL_ERROR, "The client answered with an error."),
        ("no", INTERNAL_ERROR, "The client answered with an error."),
        ({}, INTERNAL_ERROR, "The client answered with an error."),
    ],
)
def test_an_error_answer_of_any_shape_is_an_exception(
    error: object, code: int, message: str
) -> None:
    caught = error_of(error)
    assert (caught.code, caught.message) == (code, message)


def test_our_messages_leave_out_absent_params() -> None:
    asked = JsonRPCRequestMessage(id="a", method="m", jsonrpc="2.0", params=None)
    assert plain(asked) == {"jsonrpc": "2.0", "id": "a", "method": "m"}
    told = JsonRPCNotification(method="m", jsonrpc="2.0", params={"x": 1})
    assert plain(told) == {"jsonrpc": "2.0", "method": "m", "params": {"x": 1}}
