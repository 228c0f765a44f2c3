"""The streams of an MCP server that the client serves itself, over a line of its own.

The line takes requests alone, and brings their answers and what the server tells meanwhile. That is
all that MCP of 2026-07-28 needs. What the SDK says beside it: a cancelled request is given up; that
it has initialized, which older servers are told, stays unsaid, since the line has no words for it.
"""

import asyncio
import logging
import math
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from hermes_core.ground.errors import ToolError
from hermes_core.ground.mcp_line import McpAnswer, McpLine
from hermes_core.local.mcp_settings import McpServer
from hermes_core.tools.bridges.reasons import NONSENSE

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.client._transport import TransportStreams
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCMessage

MOST_NOTES = 100
"""Notifications of a server that may wait to be read; further ones are dropped."""

_CANCELLED = "notifications/cancelled"

_log = logging.getLogger(__name__)


@asynccontextmanager
async def channel_streams(server: McpServer) -> "AsyncIterator[TransportStreams]":
    """Talk to a server over its line while the block runs; what is open at its end is given up.

    Raises ``ToolError`` for a server that has no line.
    """
    import anyio

    if server.line is None:
        raise ToolError("there is no connection to the editor that serves it.")
    to_us, incoming = anyio.create_memory_object_stream["SessionMessage | Exception"](math.inf)
    outgoing, from_us = anyio.create_memory_object_stream["SessionMessage"](0)
    talk = _Talk(server, server.line, to_us)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(talk.write, from_us)
            try:
                yield incoming, outgoing
            finally:
                tasks.cancel_scope.cancel()
    finally:
        talk.end()
        for stream in (to_us, incoming, outgoing, from_us):
            stream.close()


class _Talk:
    """What is open on one line. Runs on the bridges' loop, but for what the line calls."""

    def __init__(
        self,
        server: McpServer,
        line: McpLine,
        to_us: "MemoryObjectSendStream[SessionMessage | Exception]",
    ) -> None:
        self._server = server
        self._line = line
        self._to_us = to_us
        self._loop = asyncio.get_running_loop()
        self._open: dict[str | int, Callable[[], None]] = {}
        self._room = threading.Semaphore(MOST_NOTES)
        self._ended = False

    async def write(self, from_us: "MemoryObjectReceiveStream[SessionMessage]") -> None:
        """Hand on what the SDK says."""
        from mcp_types import JSONRPCNotification, JSONRPCRequest

        async for said in from_us:
            message = said.message
            if isinstance(message, JSONRPCRequest):
                self._ask(message.id, message.method, message.params)
            elif isinstance(message, JSONRPCNotification) and message.method == _CANCELLED:
                self._give_up((message.params or {}).get("requestId"))
            else:
                _log.debug("a message was kept back for which the line has no words")

    def end(self) -> None:
        """Give up what is open, and take nothing more."""
        self._ended = True
        for request_id in list(self._open):
            self._give_up(request_id)

    def _ask(self, request_id: str | int, method: str, params: Mapping[str, Any] | None) -> None:
        self._open[request_id] = self._line.ask(
            self._server.server_id,
            method,
            params,
            timeout=self._server.timeout,
            heard=self._heard,
            answered=lambda answer: self._soon(self._settle, request_id, answer),
        )

    def _give_up(self, request_id: Any) -> None:
        give_up = self._open.pop(request_id, None) if isinstance(request_id, str | int) else None
        if give_up is not None:
            give_up()

    def _heard(self, method: str, params: Mapping[str, Any] | None) -> None:
        """Take a notification, on any thread; what comes too fast is dropped."""
        if self._room.acquire(blocking=False):
            self._soon(self._note, method, params)

    def _soon(self, function: Callable[..., None], *arguments: Any) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(partial(function, *arguments))

    def _note(self, method: str, params: Mapping[str, Any] | None) -> None:
        from mcp_types import JSONRPCNotification

        self._room.release()
        if self._to_us.statistics().current_buffer_used < MOST_NOTES:
            told = None if params is None else dict(params)
            self._take(JSONRPCNotification(jsonrpc="2.0", method=method, params=told))

    def _settle(self, request_id: str | int, answer: McpAnswer) -> None:
        if self._open.pop(request_id, None) is not None:
            self._take(_message_of(request_id, answer))

    def _take(self, message: "JSONRPCMessage") -> None:
        import anyio
        from mcp.shared.message import SessionMessage

        if not self._ended:
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                self._to_us.send_nowait(SessionMessage(message))


def _message_of(request_id: str | int, answer: McpAnswer) -> "JSONRPCMessage":
    """Return an answer as the SDK reads it; one that is none becomes an error.

    The codes are those by which a connection tells what came of a call.
    """
    from mcp_types import (
        CONNECTION_CLOSED,
        INTERNAL_ERROR,
        REQUEST_TIMEOUT,
        ErrorData,
        JSONRPCError,
        JSONRPCResponse,
    )

    if answer.outcome == "result" and answer.result is not None:
        return JSONRPCResponse(jsonrpc="2.0", id=request_id, result=dict(answer.result))
    errors = {
        "silent": ErrorData(code=REQUEST_TIMEOUT, message=answer.message),
        "lost": ErrorData(
            code=CONNECTION_CLOSED,
            message=f"the editor's line to it is closed ({answer.message})",
        ),
        "error": ErrorData(code=answer.code, message=answer.message, data=answer.data),
    }
    nonsense = ErrorData(code=INTERNAL_ERROR, message=NONSENSE)
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=errors.get(answer.outcome, nonsense))
