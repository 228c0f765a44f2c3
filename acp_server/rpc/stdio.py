"""The process's standard streams, taken over so that stdout carries the protocol and nothing else.

After ``claim_stdio`` the protocol reads and writes duplicates that no child inherits. File
descriptor 0 reads from ``/dev/null``; 1 and 2 lead to ``/dev/null``, or with ``debug`` to the
stderr that the process was started with. What Python code prints goes to the log.
"""

import io
import logging
import os
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TextIO, cast

_logger = logging.getLogger("hermes.output")


@dataclass(frozen=True, slots=True)
class Stdio:
    """File descriptors to read messages from, to write them to, and to tell a fatal error on.

    ``claimed`` says that they were the process's own standard streams: its end is then ours too.
    """

    read_fd: int
    write_fd: int
    error_fd: int = 2
    claimed: bool = False

    def report(self, text: str) -> None:
        """Write ``text`` to the stderr that the process was started with, debugging or not."""
        with suppress(OSError):
            os.write(self.error_fd, text.rstrip("\n").encode("utf-8", "replace") + b"\n")


def claim_stdio(*, debug: bool = False) -> Stdio:
    """Take over the standard streams of this process; call it once, before anything can print."""
    _open_closed_streams()
    stdio = Stdio(os.dup(0), os.dup(1), os.dup(2), claimed=True)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    if not debug:
        os.dup2(null, 2)
        sys.stderr = cast("TextIO", _LoggedText())
    os.dup2(2, 1)
    os.close(null)
    sys.stdout = sys.stderr
    return stdio


def _open_closed_streams() -> None:
    """Give a stream that the parent closed to ``/dev/null``, lest a later file gets its number."""
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


class _LoggedText(io.TextIOBase):
    """A text stream that logs each line it gets, unless logging itself is what writes."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.buffer = _LoggedBytes(self)
        self._rest = ""
        self._lock = threading.Lock()
        self._inside = threading.local()

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 2

    def write(self, text: str, /) -> int:
        with self._lock:
            *lines, self._rest = (self._rest + text).split("\n")
        self._log(lines)
        return len(text)

    def flush(self) -> None:
        with self._lock:
            line, self._rest = self._rest, ""
        self._log([line])

    def _log(self, lines: list[str]) -> None:
        if getattr(self._inside, "busy", False):
            return
        self._inside.busy = True
        try:
            for line in filter(str.strip, lines):
                _logger.info("%s", line.encode("utf-8", "backslashreplace").decode())
        finally:
            self._inside.busy = False


class _LoggedBytes(io.RawIOBase):
    """The stream below ``text``, for what writes bytes."""

    def __init__(self, text: _LoggedText) -> None:
        self._text = text

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 2

    def write(self, data: Any, /) -> int:
        self._text.write(bytes(data).decode("utf-8", "replace"))
        return len(data)
