"""The top level of messages: which kind one is, and what is wrong with one that is none."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pygls.protocol.json_rpc import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
)

from acp_server.rpc.errors import INTERNAL_ERROR, INVALID_REQUEST, RpcError
from acp_server.rpc.messages import InvalidMessage, MessageId, check_id

VERSION = "2.0"


@dataclass(slots=True)
class ErrorMessage:
    """An error answer of the client."""

    id: MessageId
    error: Any
    jsonrpc: str = VERSION


Message = JsonRPCRequestMessage | JsonRPCNotification | JsonRPCResponseMessage | ErrorMessage


def structure(data: Mapping[str, Any]) -> Message:
    """Return the message in ``data``; nothing below its top level is looked at.

    Raises ``InvalidMessage``. Answers of the client are taken leniently, since an error that
    answers an answer would help nobody: one with an impossible id counts as one with none.
    """
    if "method" in data:
        return _call(data)
    if "result" not in data and "error" not in data:
        raise InvalidMessage(INVALID_REQUEST, "method: missing.", check_id(data))
    msg_id: Any = data.get("id")
    if not isinstance(msg_id, str):
        msg_id = None  # ours are strings
    error = data.get("error")
    if error is not None or "result" not in data:
        return ErrorMessage(msg_id, error or {})
    return JsonRPCResponseMessage(id=msg_id, jsonrpc=VERSION, result=data["result"])


def _call(data: Mapping[str, Any]) -> Message:
    msg_id: Any = check_id(data)
    if data.get("jsonrpc") != VERSION:
        raise InvalidMessage(INVALID_REQUEST, 'jsonrpc: "2.0" expected.', msg_id)
    method = data["method"]
    if not isinstance(method, str):
        raise InvalidMessage(INVALID_REQUEST, "method: string expected.", msg_id)
    params = data.get("params")
    if params is None:
        params = {}
    if "id" in data:
        return JsonRPCRequestMessage(id=msg_id, method=method, jsonrpc=VERSION, params=params)
    return JsonRPCNotification(method=method, jsonrpc=VERSION, params=params)


def plain(message: JsonRPCRequestMessage | JsonRPCNotification) -> dict[str, Any]:
    """Return a message of ours as it goes on the wire."""
    data: dict[str, Any] = {"jsonrpc": VERSION}
    if isinstance(message, JsonRPCRequestMessage):
        data["id"] = message.id
    data["method"] = message.method
    if message.params is not None:
        data["params"] = message.params
    return data


def error_of(error: Any) -> RpcError:
    """Return the client's error answer as an exception, whatever shape it has."""
    if not isinstance(error, dict):
        return RpcError(INTERNAL_ERROR, "The client answered with an error.", error)
    code, message = error.get("code"), error.get("message")
    return RpcError(
        code if isinstance(code, int) else INTERNAL_ERROR,
        message if isinstance(message, str) else "The client answered with an error.",
        error.get("data"),
    )
