"""One queue and one thread through which all messages go to the client, in order.

A message that the pipe takes without waiting is written by the thread that sends it, which saves
two switches of threads for each piece of text; all else waits for the writer's thread. While the
client does not read, text merges with text, the event loop is never held up, and other threads
wait for room. Text that comes in quick succession is gathered for ``GATHER`` seconds; the first
piece of it, and everything that is not text, goes out at once.
"""

import logging
import os
import select
import stat
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
QUICK = 0.001
"""Seconds since the last text within which a further piece counts as quick succession."""

_BATCH = 64 << 10
_HARD_BOUND = 4
_GIVEN_UP = 16
"""Times the bound: a client that leaves so much unread, and goes on sending, is gone."""
_KEYS_KEPT = 64

_logger = logging.getLogger(__name__)


class Writer:
    """Writes to ``fd``; ``on_broken`` runs once if that fails, on any thread."""

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
        self._broken = False
        self._ending = -1
        self._signal: SimpleQueue[None] = SimpleQueue()
        self._asleep = False
        self._timer_until = 0.0  # when the sleeping thread wakes by itself
        self._written: dict[str, float] = {}
        self._poll = _poll_if_atomic(fd)
        self._thread = threading.Thread(target=self._run, name="stdout", daemon=True)

    def start(self) -> None:
        """Begin to write; what was put before waits until then."""
        self._thread.start()
        if self._poll is not None:
            ended, self._ending = os.pipe()
            threading.Thread(
                target=self._watch, args=(ended,), name="stdout-end", daemon=True
            ).start()

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
            self._close()
            self._room.notify_all()
            self._wake()

    def drain(self, seconds: float) -> bool:
        """Close, and wait for the queue to be written; return whether it was."""
        self.close()
        if self._thread.is_alive():
            self._thread.join(seconds)
        return not self._thread.is_alive()

    # The sender's side; the lock is held

    def _add(self, message: Outgoing) -> bool:
        if self._closed:
            return False
        if self._size > self._bound * _GIVEN_UP:
            self._give_up("the client sends, but reads no answer")
            return False
        last = self._queue[-1] if message.key and self._queue else None
        before = last.size if last else 0
        if last and last.merge(message):
            self._size += last.size - before
        else:
            message.due = self._due(message)
            self._queue.append(message)
            self._size += message.size
        if self._asleep and not self._waits_for_timer() and not self._write_at_once():
            self._wake()
        return True

    def _due(self, message: Outgoing) -> float:
        """Return until when a message may gather more; 0.0 for one that goes out at once."""
        written = self._written.get(message.key, 0.0) if message.key else 0.0
        quick = time.monotonic() - written < min(QUICK, self._gather)
        return written + self._gather if quick else 0.0

    def _waits_for_timer(self) -> bool:
        due = min(message.due for message in self._queue)
        return time.monotonic() < due <= self._timer_until

    def _write_at_once(self) -> bool:
        """Write all that waits if that cannot block and nothing of it gathers."""
        if not self._poll or self._size > select.PIPE_BUF or self._time_to_hold():
            return False
        data = b"".join([message.encode() for message in self._queue])
        if len(data) > select.PIPE_BUF:
            return False
        try:
            if not self._poll.poll(0):
                return False
            written = os.write(self._fd, data)
        except OSError:
            return False  # the thread will meet it again, and tell
        self._take()
        self._size = 0
        if written < len(data):
            rest = Line(data[written:])
            self._queue.append(rest)
            self._size = rest.size
        return not self._queue

    def _wake(self) -> None:
        if self._asleep:
            self._asleep = False
            self._signal.put(None)

    def _wake_waiting(self) -> None:
        with self._room:
            self._room.notify_all()

    # The writer's thread

    def _run(self) -> None:
        try:
            while batch := self._next_batch():
                self._write_all(b"".join([message.encode() for message in batch]))
                self._release(batch)
        except Exception as error:
            self._break(error)

    def _next_batch(self) -> list[Outgoing]:
        """Return messages to write now; an empty list when the writer is closed and all is done."""
        gathered = False
        while True:
            with self._lock:
                if self._closed and not self._queue:
                    return []
                seconds = self._time_to_hold() if self._queue else 0.0
                if self._queue and not seconds:
                    return self._take()
                if gathered and not self._queue:
                    seconds = self._gather
                gathered = seconds > 0
                self._timer_until = time.monotonic() + seconds
                self._asleep = True
            with suppress(Empty):
                self._signal.get(timeout=seconds or None)
            with self._lock:
                self._asleep = False

    def _time_to_hold(self) -> float:
        """Return for how many seconds all that waits may go on gathering."""
        if self._closed:
            return 0.0
        due = min(message.due for message in self._queue)
        return max(due - time.monotonic(), 0.0)

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
        self._written[key] = time.monotonic()

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
            self._give_up(str(error))

    def _watch(self, ended: int) -> None:
        """Wait for the client to close its end, which is else noticed at the next message only.

        ``ended`` is readable once this writer is closed: its stream is then let go.
        """
        poll = select.poll()
        poll.register(self._fd, 0)  # errors are told unasked
        poll.register(ended, 0)
        poll.poll()
        os.close(ended)
        with self._room:
            if not self._closed:
                self._give_up("its end is closed")

    def _close(self) -> None:
        self._closed = True
        if self._ending >= 0:
            os.close(self._ending)
            self._ending = -1

    def _give_up(self, reason: str) -> None:
        """Forget what waits and take no more; ``on_broken`` must not use this writer."""
        self._close()
        self._queue.clear()
        self._size = 0
        self._room.notify_all()
        if not self._broken:
            self._broken = True
            _logger.info("Nothing more can be written to the client: %s", reason)
            self._on_broken()


def _poll_if_atomic(fd: int) -> "select.poll | None":
    """Return a poll for ``fd`` if it says when a small write would not block."""
    mode = os.fstat(fd).st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return None
    poll = select.poll()
    poll.register(fd, select.POLLOUT)
    return poll
