"""Moves what a child writes to those who want it, until something ends that."""

import os
import selectors
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Literal, Protocol

from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.children import Child, start_child
from hermes_core.local.wall import Wall

Ending = Literal["exited", "timed_out", "interrupted", "halted"]

_PIECE = 65_536


class Wake:
    """A pipe that wakes a waiting ``Pump`` from any thread; harmless once closed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        self._open = True

    def __call__(self) -> None:
        """Wake the pump."""
        with self._lock:
            if self._open:
                with suppress(BlockingIOError):
                    os.write(self._writer, b".")

    def close(self) -> None:
        """Give the pipe back."""
        with self._lock:
            self._open = False
            os.close(self.reader)
            os.close(self._writer)


class Ticker(Protocol):
    """Something that wants to be looked after between two reads."""

    def tick(self, now: float) -> float | None:
        """Act if it is time; return the seconds until the next time, None for no need."""
        ...


class Pump:
    """Reads a child's pipes. Used by one thread; closes the pipes at the end."""

    def __init__(self, child: Child, wake: Wake, interrupt: Interrupt) -> None:
        self._child = child
        self._interrupt = interrupt
        self._streams: list[IO[bytes]] = []
        self._open = 0
        self._halted = False
        self._selector = selectors.PollSelector()
        self._selector.register(wake.reader, selectors.EVENT_READ, None)

    def add(self, stream: IO[bytes] | None, take: Callable[[bytes], None]) -> None:
        """Hand everything that comes out of ``stream`` to ``take``."""
        if stream is not None:
            self._streams.append(stream)
            self._open += 1
            self._selector.register(stream, selectors.EVENT_READ, take)

    def halt(self) -> None:
        """Let ``run`` return; for those who take the output."""
        self._halted = True

    def run(self, seconds: float, ticker: Ticker | None = None) -> Ending:
        """Read until the child has exited, ``seconds`` are over, or something ends it before."""
        deadline = time.monotonic() + seconds
        while True:
            now = time.monotonic()
            ending = self._ending(now >= deadline)
            if ending is not None:
                return ending
            due = ticker.tick(now) if ticker else None
            left = deadline - now
            self._read(left if due is None else min(due, left))

    def drain(self, seconds: float) -> None:
        """Read what is still in the pipes: once at least, until their end or for ``seconds``."""
        deadline = time.monotonic() + seconds
        self._read(0)
        while self._open and not self._halted and not self._interrupt.is_set():
            left = deadline - time.monotonic()
            if left <= 0:
                break
            self._read(left)

    def _ending(self, late: bool) -> Ending | None:
        if self._interrupt.is_set():
            return "interrupted"
        if self._halted:
            return "halted"
        if self._child.exited.is_set():
            return "exited"
        return "timed_out" if late else None

    def close(self) -> None:
        """Close the pipes."""
        self._selector.close()
        for stream in self._streams:
            stream.close()

    def _read(self, seconds: float) -> None:
        for key, _ in self._selector.select(seconds):
            if key.data is None:
                os.read(key.fd, 64)
                continue
            try:
                data = os.read(key.fd, _PIECE)
            except BlockingIOError:
                continue
            if data:
                key.data(data)
            else:
                self._selector.unregister(key.fileobj)
                self._open -= 1


@contextmanager
def running(
    argv: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    interrupt: Interrupt,
    *,
    merge: bool,
    wall: Wall | None = None,
) -> Iterator[tuple[Child, Pump]]:
    """Run a child while the block reads from it; whatever happens, nothing of it stays.

    An interrupt wakes the pump. wall: what it is started behind. Raises ``ToolError`` if the child
    cannot be started.
    """
    wake = Wake()
    unlisten = interrupt.listen(wake)
    try:
        child = start_child(argv, cwd, env, merge=merge, exited=wake, wall=wall)
        pump = Pump(child, wake, interrupt)
        try:
            yield child, pump
        finally:
            child.finish()
            pump.close()
    finally:
        unlisten()
        wake.close()
