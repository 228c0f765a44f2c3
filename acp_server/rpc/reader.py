"""From bytes to lines to the event loop, in order and with bounded memory."""

import asyncio
import enum
import os
import select
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress

LINE_CAP = 64 << 20
"""Bytes of one line; a longer one is thrown away up to its newline."""

WAITING_BOUND = 8 << 20
"""Bytes of lines that may wait for the loop before the reader stops reading."""

_CHUNK = 64 << 10
_LINE_COST = 100


class Mark(enum.Enum):
    """What may come in place of a line."""

    OVERSIZED = "a line over the cap was thrown away"
    END = "no more lines will come"


Line = bytearray | Mark


class LineSplitter:
    """Cuts a stream of bytes at newlines; holds at most ``cap`` bytes of an unfinished line."""

    def __init__(self, cap: int = LINE_CAP) -> None:
        self._cap = cap
        self._line = bytearray()
        self._skipping = False

    def feed(self, chunk: bytes) -> Iterator[Line]:
        """Take bytes as they come; yield each line that they complete, without its newline."""
        view = memoryview(chunk)
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            self._add(view[start:end])
            yield self._finish()
            start = end + 1
        self._add(view[start:])

    def _add(self, part: memoryview) -> None:
        if self._skipping:
            return
        if len(self._line) + len(part) > self._cap:
            self._line = bytearray()
            self._skipping = True
        else:
            self._line += part

    def _finish(self) -> Line:
        line, self._line = self._line, bytearray()
        oversized, self._skipping = self._skipping, False
        return Mark.OVERSIZED if oversized else line


class Inbox:
    """Hands lines from the reader's thread to the loop, one in each pass of the loop.

    A task that handling a line creates has thus run up to its first wait before the next line is
    handled.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        handle: Callable[[Line], None],
        bound: int = WAITING_BOUND,
    ) -> None:
        self._loop = loop
        self._handle = handle
        self._bound = bound
        self._lines: deque[Line] = deque()
        self._size = 0
        self._awake = False
        self._closed = False
        self._room = threading.Condition()

    def put(self, line: Line) -> bool:
        """Add a line, from the reader's thread; waits while too much is unread. False: closed."""
        with self._room:
            self._room.wait_for(lambda: self._size < self._bound or self._closed)
            if self._closed:
                return False
            self._lines.append(line)
            self._size += _size_of(line)
            if self._awake:
                return True
            self._awake = True
        try:
            self._loop.call_soon_threadsafe(self._pump)
        except RuntimeError:  # the loop was closed
            return False
        return True

    def close(self) -> None:
        """Drop what waits and take no more."""
        with self._room:
            self._closed = True
            self._lines.clear()
            self._room.notify_all()

    def _pump(self) -> None:
        with self._room:
            if not self._lines:
                self._awake = False
                return
            line = self._lines.popleft()
            self._size -= _size_of(line)
            self._room.notify_all()
        try:
            self._handle(line)
        finally:
            self._loop.call_soon(self._pump)


def _size_of(line: Line) -> int:
    return _LINE_COST + (len(line) if isinstance(line, bytearray) else 0)


def start_reader(fd: int, inbox: Inbox, cap: int = LINE_CAP) -> threading.Thread:
    """Read ``fd`` on a thread of its own until its end; an unfinished last line is dropped.

    The thread is a daemon: nothing wakes a blocked read, and none holds up the process's end.
    """
    thread = threading.Thread(target=_read, args=(fd, inbox, cap), name="stdin", daemon=True)
    thread.start()
    return thread


def _read(fd: int, inbox: Inbox, cap: int) -> None:
    splitter = LineSplitter(cap)
    with suppress(OSError):  # a terminal that hung up reads as the end
        while chunk := _read_some(fd):
            for line in splitter.feed(chunk):
                if not inbox.put(line):
                    return
    inbox.put(Mark.END)


def _read_some(fd: int) -> bytes:
    while True:
        try:
            return os.read(fd, _CHUNK)
        except BlockingIOError:
            select.select([fd], [], [])
