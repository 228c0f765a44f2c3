"""JSON-RPC as ACP speaks it: one object a line, plain dictionaries, an answer to every request.

What pygls brings: the registry of handlers, the routing of a message by its kind within a context
of its own, and the futures of outgoing requests. What is replaced: framing, the structure of
messages, ids and cancellation, and all answers (pygls puts tracebacks into them).
"""

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcMethodNotFound
from pygls.protocol.json_rpc import JsonRPCProtocol

from acp_server.rpc.envelope import error_of, plain, structure
from acp_server.rpc.errors import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    REQUEST_CANCELLED,
    ConnectionClosed,
    RequestTimeout,
    RpcError,
)
from acp_server.rpc.messages import InvalidMessage, MessageId, decode, encode
from acp_server.rpc.reader import Line, Mark

if TYPE_CHECKING:
    from cattrs import Converter
    from pygls.server import JsonRPCServer

INITIALIZE = "initialize"
CANCEL_REQUEST = "$/cancel_request"
CANCELLED = "The request was cancelled."

Handler = Callable[[Any], Awaitable[Mapping[str, Any] | None]]

_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Call:
    """A request of the client that is being answered."""

    id: MessageId
    method: str
    task: "asyncio.Task[None] | None" = None
    answered: bool = False
    after: list[Callable[[], None]] = field(default_factory=list)


CURRENT: ContextVar[Call | None] = ContextVar("call", default=None)
"""The request that the running handler answers."""


class AcpProtocol(JsonRPCProtocol):
    """One connection. All of it runs on the loop's thread, but for ``open_request``."""

    def __init__(self, server: "JsonRPCServer", converter: "Converter") -> None:
        super().__init__(server, converter)
        self.requests: set[str] = set()
        self.early: set[str] = set()
        self.initialized = False
        self._calls: dict[tuple[type, MessageId], Call] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    # Incoming

    def handle_line(self, line: Line) -> None:
        """Take one line as it came; answer at once what is no message."""
        if line is Mark.OVERSIZED:
            too_long = RpcError(INVALID_REQUEST, "The line is longer than this agent reads.")
            self._answer(None, error=too_long)
        elif isinstance(line, bytearray) and not line.isspace() and line:
            try:
                message = self.structure_message(decode(line))
            except InvalidMessage as error:
                _logger.warning("Refused a line: %s", error.message)
                self._answer(error.id, error=error)
            else:
                self.handle_message(message)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return the message in ``data``; raise ``InvalidMessage`` if it is none."""
        return structure(data)

    def _handle_request(self, msg_id: Any, method_name: str, params: Any) -> None:
        key = (type(msg_id), msg_id)
        try:
            if key in self._calls:
                raise RpcError(INVALID_REQUEST, "id: a request with this id is still running.")
            handler = self._handler_for(method_name)
        except RpcError as error:
            self._answer(msg_id, error=error)
            return
        call = self._calls[key] = Call(msg_id, method_name)
        CURRENT.set(call)
        call.task = self._spawn(self._serve(call, handler, params))
        call.task.add_done_callback(partial(self._ended, call))

    def _handler_for(self, method: str) -> Handler:
        try:
            handler: Handler = self._get_handler(method)
        except JsonRpcMethodNotFound:
            text = f"Unknown method: {method[:80]!r}."
            raise RpcError(METHOD_NOT_FOUND, text) from None
        if not self.initialized and method not in self.early:
            raise RpcError(INVALID_REQUEST, "Call initialize before any other method.")
        return handler

    async def _serve(self, call: Call, handler: Handler, params: Any) -> None:
        try:
            result = await handler(params)
            self._answer_call(call, result={} if result is None else result)
        except asyncio.CancelledError:
            self._answer_call(call, error=RpcError(REQUEST_CANCELLED, CANCELLED))
        except RpcError as error:
            self._answer_call(call, error=error)
        except Exception as error:
            _logger.exception("The handler of %r failed", call.method)
            text = f"Internal error ({type(error).__name__}); the agent's log has the details."
            self._answer_call(call, error=RpcError(INTERNAL_ERROR, text))
        else:
            self.initialized = self.initialized or call.method == INITIALIZE
            for callback in call.after:
                run_safely(callback)

    def _ended(self, call: Call, task: "asyncio.Task[None]") -> None:
        """Answer what has no answer yet: cancelled before its first step, or not to be encoded."""
        if call.answered:
            return
        if task.cancelled():
            self._answer_call(call, error=RpcError(REQUEST_CANCELLED, CANCELLED))
        else:
            _logger.error("No answer of %r could be sent", call.method, exc_info=task.exception())
            text = "Internal error; the agent's log has the details."
            self._answer_call(call, error=RpcError(INTERNAL_ERROR, text))

    def _answer_call(self, call: Call, **answer: Any) -> None:
        self._answer(call.id, **answer)
        call.answered = True
        self._calls.pop((type(call.id), call.id), None)

    def _handle_notification(self, method_name: str, params: Any) -> None:
        if method_name == CANCEL_REQUEST:
            request_id = params.get("requestId") if isinstance(params, dict) else None
            self._handle_cancel_notification(request_id)
            return
        try:
            handler = self._handler_for(method_name)
        except RpcError as error:
            _logger.info("Ignored a notification: %s", error.message)
            return
        if method_name in self.requests:
            _logger.info("Ignored a request without an id: %.80r", method_name)
            return
        self._spawn(self._hear(method_name, handler, params))

    async def _hear(self, method: str, handler: Handler, params: Any) -> None:
        try:
            await handler(params)
        except RpcError as error:
            _logger.warning("Ignored a notification %r: %s", method, error.message)
        except Exception:
            _logger.exception("The handler of %r failed", method)

    def _handle_cancel_notification(self, msg_id: Any) -> None:
        known = isinstance(msg_id, str | int | float | None)
        call = self._calls.get((type(msg_id), msg_id)) if known else None
        if call is None or call.task is None:
            _logger.info("Asked to cancel a request that is not running")
        else:
            call.task.cancel()

    def _handle_response(self, msg_id: Any, result: Any = None, error: Any = None) -> None:
        self._result_types.pop(msg_id, None)
        future = self._request_futures.pop(msg_id, None)
        if future is None:
            _logger.info("Ignored an answer to no open request: %.80r %.200r", msg_id, error)
            return
        with suppress(InvalidStateError):  # given up meanwhile
            if error is not None:
                future.set_exception(error_of(error))
            elif result is None or isinstance(result, dict):
                future.set_result(result or {})
            else:
                future.set_exception(RpcError(INTERNAL_ERROR, "The client's result is no object."))

    # Outgoing

    def _answer(
        self, msg_id: MessageId, *, result: Any = None, error: RpcError | None = None
    ) -> None:
        outcome = {"result": result} if error is None else {"error": error.to_json()}
        self._send_data({"jsonrpc": self.VERSION, "id": msg_id, **outcome})

    def _send_data(self, data: Any) -> None:
        if self.writer is not None:
            self.writer.write(encode(data if isinstance(data, dict) else plain(data)))

    def open_request(self, method: str, params: Mapping[str, Any]) -> Future[dict[str, Any]]:
        """Send a request, from any thread; return its future.

        A future that is cancelled, or fails with ``RequestTimeout``, tells the client so.
        """
        msg_id = str(uuid.uuid4())
        try:
            future = self.send_request(method, params, msg_id=msg_id)
        except Exception:
            self._forget(msg_id)
            raise
        future.add_done_callback(partial(self._request_ended, msg_id))
        if self._shutdown:
            self.fail_requests()
        return future

    def _request_ended(self, msg_id: str, future: Future[dict[str, Any]]) -> None:
        if future.cancelled() or isinstance(future.exception(), RequestTimeout):
            self._forget(msg_id)
            self.notify(CANCEL_REQUEST, {"requestId": msg_id})

    def _forget(self, msg_id: str) -> None:
        self._request_futures.pop(msg_id, None)
        self._result_types.pop(msg_id, None)

    # The end

    def refuse(self) -> None:
        """Handle no message from now on."""
        self._shutdown = True

    def fail_requests(self) -> None:
        """Fail every open request of ours: no answer will come."""
        for msg_id, future in list(self._request_futures.items()):
            self._forget(str(msg_id))
            with suppress(InvalidStateError):
                future.set_exception(ConnectionClosed(INTERNAL_ERROR, "The connection has ended."))

    async def cancel_calls(self, seconds: float) -> None:
        """Cancel every running handler and give them ``seconds`` to end."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=seconds)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def run_safely(callback: Callable[[], None]) -> None:
    """Run ``callback``; what it raises is logged."""
    try:
        callback()
    except Exception:
        _logger.exception("A callback failed")
