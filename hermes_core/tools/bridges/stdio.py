"""The streams of an MCP server that is a program: started through our own door to processes.

So it gets the environment of commands, a process group of its own, and the guardian, and nothing
of it outlives us. What it writes to stdout and is no message is passed over.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from hermes_core.local.children import Child, start_child

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.client._transport import TransportStreams
    from mcp.shared.message import SessionMessage

LONGEST_LINE = 32 * 1024 * 1024
"""Bytes of one message."""

PATIENCE = 0.3
"""Seconds that a server has to end by itself once its stdin is closed."""

_DRAIN = 0.25
_PIECE = 262_144
_KEPT_STDERR = 4_096

_log = logging.getLogger(__name__)


class LastWords:
    """The end of what a server wrote to stderr, and how it ended.

    odd: whether the last line it wrote to stdout was no message.
    """

    def __init__(self) -> None:
        self._data = b""
        self.odd = False
        self.returncode: int | None = None

    def add(self, data: bytes) -> None:
        """Take more of it."""
        self._data = (self._data + data)[-_KEPT_STDERR:]

    def __str__(self) -> str:
        """Return the last line that says something."""
        lines = self._data.decode("utf-8", "replace").splitlines()
        return next((line.strip() for line in reversed(lines) if line.strip()), "")


@asynccontextmanager
async def program_streams(
    argv: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    words: LastWords,
    lost: Callable[[], None],
) -> "AsyncIterator[TransportStreams]":
    """Run a server while the block talks to it; ``lost`` is called once it has ended by itself.

    Raises ``ToolError`` if it cannot be started.
    """
    import anyio

    loop = asyncio.get_running_loop()
    exited = asyncio.Event()

    def tell() -> None:
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(exited.set)

    child = await _start(argv, cwd, env, tell)
    talk = _Talk(child, words)
    to_us, incoming = anyio.create_memory_object_stream["SessionMessage | Exception"](0)
    outgoing, from_us = anyio.create_memory_object_stream["SessionMessage"](0)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(talk.read, to_us, exited, lost)
            tasks.start_soon(talk.write, from_us, to_us)
            tasks.start_soon(talk.listen)
            try:
                yield incoming, outgoing
            finally:
                with anyio.CancelScope(shield=True):
                    incoming.close()
                    outgoing.close()
                    await talk.end(exited)
                tasks.cancel_scope.cancel()
    finally:
        words.returncode = child.process.returncode
        talk.close()
        for stream in (to_us, incoming, outgoing, from_us):
            stream.close()


async def _start(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str], exited: Callable[[], None]
) -> Child:
    def start() -> Child:
        return start_child(argv, cwd, env, merge=False, exited=exited, talk=True)

    starting = asyncio.ensure_future(asyncio.to_thread(start))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        starting.add_done_callback(_stop_started)
        raise


def _stop_started(starting: "asyncio.Future[Child]") -> None:
    if not starting.cancelled() and starting.exception() is None:
        child = starting.result()
        child.stop()


class _Talk:
    """The three pipes of one server."""

    def __init__(self, child: Child, words: LastWords) -> None:
        self._child = child
        self._words = words

    async def read(
        self,
        to_us: "MemoryObjectSendStream[SessionMessage | Exception]",
        exited: asyncio.Event,
        lost: Callable[[], None],
    ) -> None:
        """Hand on what the server says, until its stdout ends or it does."""
        import anyio

        async with anyio.create_task_group() as tasks:

            async def watch() -> None:
                await exited.wait()
                await anyio.sleep(_DRAIN)  # a descendant may hold the pipe for ever
                tasks.cancel_scope.cancel()

            tasks.start_soon(watch)
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
                await self._hand_on(to_us)
            tasks.cancel_scope.cancel()
        to_us.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(exited.wait(), _DRAIN)
        self._words.returncode = self._child.process.returncode
        lost()

    async def _hand_on(self, to_us: "MemoryObjectSendStream[SessionMessage | Exception]") -> None:
        from mcp.shared.message import SessionMessage
        from mcp_types import jsonrpc_message_adapter

        rest = bytearray()
        while data := await _receive(self._child.process.stdout):
            rest += data
            if b"\n" not in data:
                if len(rest) > LONGEST_LINE:
                    self._words.add(b"\nit sent a message beyond all bounds")
                    return
                continue
            *lines, tail = bytes(rest).split(b"\n")
            rest = bytearray(tail)
            for line in filter(None, map(bytes.strip, lines)):
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError:
                    _log.debug("an MCP server wrote a line that is no message")
                    self._words.odd = True
                    continue
                self._words.odd = False
                await to_us.send(SessionMessage(message))

    async def write(
        self,
        from_us: "MemoryObjectReceiveStream[SessionMessage]",
        to_us: "MemoryObjectSendStream[SessionMessage | Exception]",
    ) -> None:
        """Hand on what we say; a server that no longer reads counts as gone."""
        import anyio

        try:
            async for said in from_us:
                line = said.message.model_dump_json(by_alias=True, exclude_unset=True)
                await _send(self._child.process.stdin, line.encode() + b"\n")
        except (OSError, ValueError, anyio.ClosedResourceError):
            to_us.close()

    async def listen(self) -> None:
        """Keep the end of what the server writes to stderr."""
        with suppress(OSError, ValueError):
            while data := await _receive(self._child.process.stderr):
                self._words.add(data)

    async def end(self, exited: asyncio.Event) -> None:
        """Close the server's stdin, give it a moment to end, then end all that is left of it."""
        if self._child.process.stdin is not None:
            with suppress(OSError):
                self._child.process.stdin.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(exited.wait(), PATIENCE)
        if exited.is_set():
            await asyncio.to_thread(self._child.finish)
        else:
            self._child.stop()

    def close(self) -> None:
        """Close the pipes."""
        process = self._child.process
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


async def _receive(stream: IO[bytes] | None) -> bytes:
    """Return what comes next, ``b""`` at the end."""
    import anyio

    if stream is None:
        return b""
    while True:
        await anyio.wait_readable(stream.fileno())
        with suppress(BlockingIOError):
            return os.read(stream.fileno(), _PIECE)


async def _send(stream: IO[bytes] | None, data: bytes) -> None:
    import anyio

    if stream is None:
        return
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(stream.fileno(), view[:_PIECE]) :]
        except BlockingIOError:
            await anyio.wait_writable(stream.fileno())
