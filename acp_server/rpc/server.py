"""The server: where methods are registered, and the life of its one connection.

The connection ends with the end of stdin, a signal (TERM, INT, HUP), a client that no longer
reads, or ``stop``. Then the shutdown hooks run, open requests fail, handlers are cancelled, and
what is queued is written if the client reads it; all within three seconds.
"""

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any, BinaryIO, TypeVar

import cattrs
from pygls.server import JsonRPCServer

from acp_server.rpc.errors import INTERNAL_ERROR, RequestTimeout
from acp_server.rpc.messages import encode
from acp_server.rpc.outgoing import Line as OutgoingLine
from acp_server.rpc.outgoing import Outgoing, TextFrames
from acp_server.rpc.protocol import CURRENT, AcpProtocol, Handler, run_safely
from acp_server.rpc.reader import Inbox, Line, Mark, start_reader
from acp_server.rpc.stdio import Stdio, claim_stdio
from acp_server.rpc.writer import Writer
from acp_server.schema.check import check
from hermes_core.ground.interrupt import Interrupt

HOOK_SECONDS = 2.0
CANCEL_SECONDS = 0.2
DRAIN_SECONDS = 0.4
EXIT_SECONDS = 2.75
"""From the end of the connection; a process that still runs then is ended by ``os._exit``."""

_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

_H = TypeVar("_H", bound=Handler)
_ShutdownHook = Callable[[], Awaitable[None]]

_logger = logging.getLogger(__name__)


class AcpServer(JsonRPCServer):
    """A JSON-RPC server over the process's standard streams."""

    protocol: AcpProtocol

    def __init__(self) -> None:
        super().__init__(AcpProtocol, cattrs.Converter)
        self._hooks: list[_ShutdownHook] = []
        self._frames = TextFrames()
        self._outbox: Writer | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._loop_thread = 0
        self._stopping = asyncio.Event()

    # Methods

    def method(
        self, name: str, params: type | None, *, before_initialize: bool = False
    ) -> Callable[[_H], _H]:
        """Register ``async def handler(params: dict) -> dict | None`` for a request.

        params: the ``TypedDict`` that what the client sends is checked against; None to let any
        object pass. A result of None is answered as ``{}``; an ``RpcError`` as that error; any
        other exception as -32603, with its traceback in the log alone.
        """
        self.protocol.requests.add(name)
        if before_initialize:
            self.protocol.early.add(name)
        return self._register(name, params)

    def notification(self, name: str, params: type | None) -> Callable[[_H], _H]:
        """Register ``async def handler(params: dict) -> None`` for a notification."""
        return self._register(name, params)

    def _register(self, name: str, params: type | None) -> Callable[[_H], _H]:
        def register(handler: _H) -> _H:
            async def checked(sent: Any) -> Mapping[str, Any] | None:
                return await handler(check(sent, params))

            self.feature(name)(checked)
            return handler

        return register

    def on_shutdown(self, hook: _ShutdownHook) -> _ShutdownHook:
        """Run ``hook`` when the connection ends; all hooks together have ``HOOK_SECONDS``."""
        self._hooks.append(hook)
        return hook

    def after_reply(self, callback: Callable[[], None]) -> None:
        """Run ``callback`` right after the result of the request being handled was queued.

        After an error answer it does not run. Outside a request, or after its answer, it runs now.
        """
        call = CURRENT.get()
        if call is None or call.answered:
            run_safely(callback)
        else:
            call.after.append(callback)

    # To the client

    def notify(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        interrupt: Interrupt | None = None,
        merge_key: str | None = None,
    ) -> bool:
        """Send a notification, from any thread; return whether it was queued.

        On the loop's thread this never waits. On others it waits while too much is unread, until
        ``interrupt`` is set (see ``Writer.put_or_wait``). ``merge_key`` marks a piece of streamed
        text at ``params["update"]["content"]["text"]``: pieces that follow each other and have the
        same key may become one message, so everything else in their params must be equal.
        """
        message: Outgoing | None = None
        if merge_key is not None:
            message = self._frames.chunk(merge_key, method, params)
        if message is None:
            data = encode({"jsonrpc": "2.0", "method": method, "params": params})
            message = OutgoingLine(data)
        if self._outbox is None:
            return False
        if threading.get_ident() == self._loop_thread:
            return self._outbox.put(message)
        return self._outbox.put_or_wait(message, interrupt)

    async def request(
        self, method: str, params: Mapping[str, Any], *, timeout: float | None
    ) -> dict[str, Any]:
        """Send a request and return its result. ``timeout``: seconds, None to wait for ever.

        Raises ``RpcError`` for an error answer, ``RequestTimeout`` and ``ConnectionClosed`` (both
        are ``RpcError``). Giving up, by timeout or cancellation, sends ``$/cancel_request``.
        """
        return await asyncio.wrap_future(self.request_from_thread(method, params, timeout=timeout))

    def request_from_thread(
        self, method: str, params: Mapping[str, Any], *, timeout: float | None
    ) -> Future[dict[str, Any]]:
        """Send a request from any thread; the future fails as ``request`` raises.

        Cancel the future to give up.
        """
        future = self.protocol.open_request(method, params)
        if timeout is not None and self._loop is not None:
            with suppress(RuntimeError):  # the loop was closed; the future has failed
                self._loop.call_soon_threadsafe(self._limit, future, method, timeout)
        return future

    def _limit(self, future: Future[dict[str, Any]], method: str, seconds: float) -> None:
        loop = asyncio.get_running_loop()

        def expire() -> None:
            text = f"The client did not answer {method} within {seconds:g} s."
            with suppress(InvalidStateError):
                future.set_exception(RequestTimeout(INTERNAL_ERROR, text))

        def forget(_: Future[dict[str, Any]]) -> None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(timer.cancel)

        timer = loop.call_later(seconds, expire)
        future.add_done_callback(forget)

    # Life

    def start_io(self, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> None:
        """Serve the given streams, or the process's own, until the connection ends."""
        given = stdin and stdout and Stdio(stdin.fileno(), stdout.fileno())
        self.run(given or None)

    def run(self, stdio: Stdio | None = None) -> int:
        """Serve until the connection ends; return the process's exit code.

        stdio: what ``claim_stdio`` returned; called here if it was not called before. With
        claimed streams, the process ends within three seconds after the connection, whatever its
        threads do.
        """
        stdio = stdio or claim_stdio()
        loop = asyncio.new_event_loop()
        try:
            loop.run_until_complete(self.serve(stdio))
            loop.run_until_complete(loop.shutdown_asyncgens())
        except Exception as error:
            _logger.exception("The connection failed")
            stdio.report(f"hermes: the connection failed ({type(error).__name__}).")
            return 1
        finally:
            loop.close()
            if stdio.claimed:
                _ignore_signals()
        return 0

    def stop(self) -> None:
        """End the connection, from any thread."""
        if self._loop is not None:
            with suppress(RuntimeError):  # it has ended
                self._loop.call_soon_threadsafe(self._stopping.set)

    async def serve(self, stdio: Stdio) -> None:
        """Serve ``stdio`` until the connection ends."""
        loop = self._loop = asyncio.get_running_loop()
        self._loop_thread = threading.get_ident()
        self._outbox = Writer(stdio.write_fd, self.stop)
        self._outbox.start()
        self.protocol.set_writer(self._outbox, include_headers=False)
        self._catch_signals()
        inbox = Inbox(loop, self._take)
        start_reader(stdio.read_fd, inbox)
        await self._stopping.wait()
        if stdio.claimed:
            _exit_after(EXIT_SECONDS)
        inbox.close()
        await self._wind_up()
        self._outbox.drain(DRAIN_SECONDS)

    def _take(self, line: Line) -> None:
        if line is Mark.END:
            self._stopping.set()
        else:
            self.protocol.handle_line(line)

    async def _wind_up(self) -> None:
        self.protocol.refuse()
        hooks = [asyncio.ensure_future(_run_hook(hook)) for hook in self._hooks]
        await asyncio.sleep(0)  # each hook has begun: what it stops will not see failed requests
        self.protocol.fail_requests()
        if hooks:
            _, late = await asyncio.wait(hooks, timeout=HOOK_SECONDS)
            for hook in late:
                _logger.warning("A shutdown hook took too long")
                hook.cancel()
        await self.protocol.cancel_calls(CANCEL_SECONDS)

    def _catch_signals(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup
                loop.add_signal_handler(number, self._stopping.set)


async def _run_hook(hook: _ShutdownHook) -> None:
    try:
        await hook()
    except Exception:
        _logger.exception("A shutdown hook failed")


def _ignore_signals() -> None:
    if threading.current_thread() is threading.main_thread():
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)


def _exit_after(seconds: float) -> None:
    """End the process if a thread that hangs keeps it from ending by itself."""
    timer = threading.Timer(seconds, os._exit, (0,))
    timer.daemon = True
    timer.start()
