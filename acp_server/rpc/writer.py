"""One thread that writes all messages, in order, from a bounded queue.

While the client does not read, messages wait here: text merges with text, the event loop is never
held up, and other threads wait for room. A stream of text is written in steps of ``GATHER``
seconds; its first piece, and everything that is not text, goes out at once.
"""

import logging
import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue

from acp_server.rpc.outgoing import Line, Outgoing
from hermes_core.ground.interrupt import Interrupt

QUEUE_BOUND = 4 << 20
"""Bytes that may wait before threads other than the loop's have to."""

GATHER = 0.004

_BATCH = 64 << 10
_HARD_BOUND = 4
_KEYS_KEPT = 64

_logger = logging.getLogger(__name__)


class Writer:
    """Writes to ``fd`` from a thread of its own; ``on_broken`` runs there if that fails, once."""

    def __init__(
        self,
        fd: int,
        on_broken: Callable[[], None],
        *,
        bound: int = QUEUE_BOUND,
        gather: float = GATHER,
    ) -> None:
        self._fd = fd
        self._on_broken = on_broken
        self._bound = bound
        self._gather = gather
        self._lock = threading.Lock()
        self._room = threading.Condition(self._lock)
        self._queue: deque[Outgoing] = deque()
        self._size = 0
        self._closed = False
        self._signal: SimpleQueue[None] = SimpleQueue()
        self._asleep = False
        self._written: dict[str, float] = {}  # key: until when more of it is gathered
        self._holding = False
        self._thread = threading.Thread(target=self._run, name="stdout", daemon=True)

    def start(self) -> None:
        """Begin to write; what was put before waits until then."""
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Queue one encoded line, without waiting."""
        self.put(Line(data))

    def put(self, message: Outgoing) -> bool:
        """Queue a message, without waiting; False if the connection is gone."""
        with self._lock:
            return self._add(message)

    def put_or_wait(self, message: Outgoing, interrupt: Interrupt | None = None) -> bool:
        """Queue a message, waiting while the queue is over its bound; return whether it was queued.

        ``interrupt`` ends the wait: then text is dropped, while anything else (the end of a tool
        card) is still queued, up to a harder bound.
        """
        with self._lock:
            if self._size < self._bound:
                return self._add(message)
        interrupt = interrupt or Interrupt()
        forget = interrupt.listen(self._wake_waiting)
        try:
            with self._room:
                self._room.wait_for(
                    lambda: self._closed or self._size < self._bound or interrupt.is_set()
                )
                bound = self._bound * (1 if message.key else _HARD_BOUND)
                return self._size < bound and self._add(message)
        finally:
            forget()

    def close(self) -> None:
        """Take no more messages; what is queued is still written."""
        with self._lock:
            self._closed = True
            self._room.notify_all()
            self._wake()

    def drain(self, seconds: float) -> bool:
        """Close, and wait for the queue to be written; return whether it was."""
        self.close()
        if self._thread.is_alive():
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def _add(self, message: Outgoing) -> bool:
        if self._closed:
            return False
        last = self._queue[-1] if message.key and self._queue else None
        before = last.size if last else 0
        if last and last.merge(message):
            self._size += last.size - before
        else:
            self._queue.append(message)
            self._size += message.size
        if self._asleep and not self._gathers(message):
            self._wake()
        return True

    def _gathers(self, message: Outgoing) -> bool:
        """Return whether the writer sleeps to gather more text of this message's kind."""
        due = self._written.get(message.key, 0.0) if message.key else 0.0
        return self._holding and due > time.monotonic()

    def _wake(self) -> None:
        if self._asleep:
            self._asleep = False
            self._signal.put(None)

    def _wake_waiting(self) -> None:
        with self._room:
            self._room.notify_all()

    def _run(self) -> None:
        try:
            while batch := self._next_batch():
                self._write_all(b"".join([message.encode() for message in batch]))
                self._release(batch)
        except Exception as error:
            self._break(error)

    def _next_batch(self) -> list[Outgoing]:
        """Return messages to write now; an empty list when the writer is closed and all is done."""
        while True:
            with self._lock:
                seconds: float | None = None
                if self._queue:
                    seconds = self._time_to_hold()
                    if not seconds:
                        return self._take()
                elif self._closed:
                    return []
                self._asleep = True
                self._holding = seconds is not None
            with suppress(Empty):
                self._signal.get(timeout=seconds)
            with self._lock:
                self._asleep = self._holding = False

    def _time_to_hold(self) -> float:
        """Return for how many seconds what waits may go on gathering; 0.0 to write it now."""
        if self._closed:
            return 0.0
        now = time.monotonic()
        until = now + self._gather
        for message in self._queue:
            due = self._written.get(message.key, 0.0) if message.key else 0.0
            if due <= now:
                return 0.0
            until = min(until, due)
        return until - now

    def _take(self) -> list[Outgoing]:
        batch: list[Outgoing] = []
        size = 0
        while self._queue and size < _BATCH:
            message = self._queue.popleft()
            size += message.size
            batch.append(message)
            if message.key:
                self._remember(message.key)
        return batch

    def _remember(self, key: str) -> None:
        if len(self._written) >= _KEYS_KEPT:
            self._written.clear()
        self._written[key] = time.monotonic() + self._gather

    def _release(self, batch: list[Outgoing]) -> None:
        with self._room:
            self._size -= sum(message.size for message in batch)
            if self._size < self._bound:
                self._room.notify_all()

    def _write_all(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._fd, view) :]
            except BlockingIOError:
                select.select([], [self._fd], [])

    def _break(self, error: Exception) -> None:
        with self._room:
            self._closed = True
            self._queue.clear()
            self._size = 0
            self._room.notify_all()
        _logger.info("Nothing more can be written to the client: %s", error)
        self._on_broken()
