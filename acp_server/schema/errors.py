"""Errors as the protocol knows them: the codes of JSON-RPC and of ACP, and the exception."""

from typing import Any

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
REQUEST_CANCELLED = -32800
AUTH_REQUIRED = -32000
RESOURCE_NOT_FOUND = -32002


class RpcError(Exception):
    """An error answer: raised by a handler to give one, raised by ``request`` on getting one.

    ``message`` is one short sentence; ``data`` carries details for people or programs.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def to_json(self) -> dict[str, Any]:
        """Return the ``error`` member of a response."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        return error


class RequestTimeout(RpcError):
    """The client did not answer one of our requests in time."""


class ConnectionClosed(RpcError):
    """The client has gone, or this process is ending; no answer will come."""


def invalid_params(text: str, field: str = "") -> RpcError:
    """Return the error for params of a wrong shape; ``field`` is the path of the wrong one."""
    return RpcError(INVALID_PARAMS, text, {"field": field} if field else None)
