"""``mcp/message``, of the unstable schema: MCP servers that the client serves itself.

We ask, by requests; the client answers, and notifies while a request of ours is open. Nothing else
has a form: no notification of ours, and no request of the server's.
"""

import asyncio
import logging
import threading
import uuid
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from acp_server.rpc.errors import METHOD_NOT_FOUND, RequestTimeout, RpcError
from acp_server.rpc.protocol import CURRENT
from acp_server.schema.unstable import MessageMcpNotification
from acp_server.session import Ask
from hermes_core.ground.mcp_line import Heard, McpAnswer
from hermes_core.local.mcp_settings import McpServer

if TYPE_CHECKING:
    from acp_server.methods.connection import Connection

METHOD = "mcp/message"

Answered = Callable[[McpAnswer], None]

_log = logging.getLogger(__name__)


def register(connection: "Connection") -> None:
    """Register the notification."""
    method = connection.server.notification(METHOD, MessageMcpNotification)
    method(partial(hear, connection.listeners))


async def hear(listeners: "Listeners", params: dict[str, Any]) -> None:
    """Hand on what a server tells; nothing happens if no request of ours is open that it is for."""
    if CURRENT.get() is not None:
        raise RpcError(METHOD_NOT_FOUND, "An MCP server cannot ask: mcp/message is a notification.")
    heard = listeners.find(params["serverId"], params["requestId"])
    if heard is None:
        _log.info("Ignored a message of an MCP server to no open request")
    else:
        heard(params["method"], params.get("params"))


@dataclass(frozen=True, slots=True)
class _Listener:
    server_id: str
    heard: Heard


class Listeners:
    """Who hears what the client's servers tell, by the id of the open request; for any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, _Listener] = {}

    def add(self, server_id: str, heard: Heard) -> str:
        """Return the id of a new request."""
        request_id = str(uuid.uuid4())
        with self._lock:
            self._open[request_id] = _Listener(server_id, heard)
        return request_id

    def find(self, server_id: str, request_id: str) -> Heard | None:
        """Return who asked a server what is still open; None if there is nobody."""
        with self._lock:
            found = self._open.get(request_id)
        return found.heard if found is not None and found.server_id == server_id else None

    def drop(self, request_id: str) -> None:
        """Forget a request that is no longer open."""
        with self._lock:
            self._open.pop(request_id, None)


class Line:
    """The line of one session to the servers that its client serves. See ``McpLine``."""

    def __init__(self, ask: Ask, listeners: Listeners) -> None:
        self._ask = ask
        self._listeners = listeners

    def ask(
        self,
        server_id: str,
        method: str,
        params: Mapping[str, Any] | None,
        *,
        timeout: float,
        heard: Heard,
        answered: Answered,
    ) -> Callable[[], None]:
        """Send a request; giving it up tells the client (``$/cancel_request``)."""
        request_id = self._listeners.add(server_id, heard)
        message: dict[str, Any] = {
            "serverId": server_id,
            "requestId": request_id,
            "method": method,
        }
        if params is not None:
            message["params"] = dict(params)
        try:
            future = self._ask(METHOD, message, timeout=timeout)
        except Exception as error:
            self._listeners.drop(request_id)
            _log.warning("a message to an MCP server was not sent: %s", error)
            answered(McpAnswer("lost", message="the message could not be sent"))
            return lambda: None
        future.add_done_callback(partial(self._ended, request_id, answered))
        return lambda: _give_up(future)

    def _ended(self, request_id: str, answered: Answered, future: "Future[dict[str, Any]]") -> None:
        """Tell the answer, after what came before it and waits on this thread's loop."""

        def tell() -> None:
            self._listeners.drop(request_id)
            if not future.cancelled():
                answered(answer_of(future))

        try:
            asyncio.get_running_loop().call_soon(tell)
        except RuntimeError:
            tell()


def on_line(servers: Iterable[McpServer], line: Line) -> tuple[McpServer, ...]:
    """Return servers with the line to those that need one."""
    return tuple(replace(one, line=line) if one.carrier == "acp" else one for one in servers)


def answer_of(future: "Future[dict[str, Any]]") -> McpAnswer:
    """Return what a request came to, whatever shape it has.

    An error of the connection's own means that the server cannot be reached: its own errors stand
    within a result.
    """
    try:
        told = future.result(0)
    except RequestTimeout as error:
        return McpAnswer("silent", message=error.message)
    except RpcError as error:
        return McpAnswer("lost", message=_clause(error.message))
    except (CancelledError, TimeoutError):
        return McpAnswer("lost", message="the request was given up")
    result, failure = told.get("result"), told.get("error")
    if isinstance(result, dict):
        return McpAnswer("result", result)
    if "result" not in told and isinstance(failure, dict):
        code, message = failure.get("code"), failure.get("message")
        if isinstance(code, int) and not isinstance(code, bool) and isinstance(message, str):
            return McpAnswer("error", None, code, message, failure.get("data"))
    return McpAnswer("nonsense", message="it answered with what is no answer")


def _clause(text: str) -> str:
    return text.strip().rstrip(".") or "it said nothing more"


def _give_up(future: "Future[dict[str, Any]]") -> None:
    future.cancel()
