"""A program that is talked to line by line, over its stdin and stdout."""

import os
import selectors
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.children import Child, start_child
from hermes_core.local.pump import Wake

MAX_LINE: Final = 32 * 1024 * 1024
"""Bytes that one line may have."""

_PIECE: Final = 65_536
_KEPT_STDERR: Final = 4096
_DRAIN: Final = 0.25


class Pipe:
    """A running program. Used by one thread; an interrupt wakes it from any."""

    def __init__(self, child: Child, wake: Wake, interrupt: Interrupt) -> None:
        self._child = child
        self._wake = wake
        self._interrupt = interrupt
        self._stdin = _given(child.process.stdin)
        self._stdout = _given(child.process.stdout)
        self._stderr = _given(child.process.stderr)
        self._out = bytearray()
        self._in = bytearray()
        self._scanned = 0
        self._last_words = b""
        self._selector = selectors.PollSelector()
        self._selector.register(wake.reader, selectors.EVENT_READ)
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr, selectors.EVENT_READ)

    def write(self, line: bytes) -> None:
        """Send ``line``, which has no end of line; what does not fit yet follows while reading."""
        self._out += line + b"\n"
        self._flush()

    def read_line(self, seconds: float, before_wait: Callable[[], None] | None = None) -> bytes:
        """Return the next line without its end.

        ``before_wait`` is called whenever nothing whole is there. Raises ``Interrupted``,
        ``TimeoutError`` after ``seconds`` in which the program wrote nothing, ``EOFError`` once
        it has ended or closed its stdout, and ``ValueError`` for a line beyond ``MAX_LINE``.
        """
        while (end := self._in.find(b"\n", self._scanned)) < 0:
            self._scanned = len(self._in)
            if self._scanned > MAX_LINE:
                raise ValueError("a line without an end")
            if before_wait is not None:
                before_wait()
            self._receive(seconds)
        self._interrupt.raise_if_set()
        line = bytes(self._in[:end])
        del self._in[: end + 1]
        self._scanned = 0
        return line

    @property
    def last_words(self) -> str:
        """The end of what the program wrote to stderr."""
        with suppress(OSError):
            self._take_stderr()
        return self._last_words.decode("utf-8", "replace")

    def close(self) -> None:
        """Close the pipes."""
        self._selector.close()
        for stream in (self._stdin, self._stdout, self._stderr):
            with suppress(OSError):
                stream.close()

    def _receive(self, seconds: float) -> None:
        """Wait until stdout has something."""
        deadline = time.monotonic() + seconds
        while True:
            self._interrupt.raise_if_set()
            ended = self._child.exited.is_set()
            left = min(deadline - time.monotonic(), _DRAIN if ended else seconds)
            files = [key.fileobj for key, _ in self._selector.select(max(0.0, left))]
            self._interrupt.raise_if_set()
            if self._wake.reader in files:
                os.read(self._wake.reader, 64)
            if self._stdin in files:
                self._flush()
            if self._stderr in files:
                self._take_stderr()
            if self._stdout in files:
                data = os.read(self._stdout.fileno(), _PIECE)
                if not data:
                    raise EOFError
                self._in += data
                return
            if ended and not files:
                raise EOFError  # a descendant that is left may still hold the pipe
            if time.monotonic() >= deadline:
                raise TimeoutError

    def _flush(self) -> None:
        try:
            while self._out:
                sent = os.write(self._stdin.fileno(), self._out[: 16 * _PIECE])
                del self._out[:sent]
        except BlockingIOError:
            pass
        except OSError:
            self._out.clear()  # the program is gone, as the end of its stdout is about to tell
        self._watch_stdin(bool(self._out))

    def _watch_stdin(self, wanted: bool) -> None:
        watched = self._stdin in [key.fileobj for key in self._selector.get_map().values()]
        if wanted and not watched:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        elif watched and not wanted:
            self._selector.unregister(self._stdin)

    def _take_stderr(self) -> None:
        try:
            data = os.read(self._stderr.fileno(), _PIECE)
        except BlockingIOError:
            return
        if data:
            self._last_words = (self._last_words + data)[-_KEPT_STDERR:]
        else:
            with suppress(KeyError):
                self._selector.unregister(self._stderr)


@contextmanager
def talking(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str], interrupt: Interrupt
) -> Iterator[Pipe]:
    """Run a program while the block talks to it; whatever happens, nothing of it stays.

    Raises ``ToolError`` if it cannot be started.
    """
    wake = Wake()
    unlisten = interrupt.listen(wake)
    try:
        child = start_child(argv, cwd, env, merge=False, exited=wake, talk=True)
        pipe = Pipe(child, wake, interrupt)
        try:
            yield pipe
        finally:
            pipe.close()
            child.finish()
    finally:
        unlisten()
        wake.close()


def _given(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise ValueError("the program has no such pipe")
    return stream
