"""A pseudo-terminal to run a program in, and to wait for what it shows."""

import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from fcntl import ioctl
from pathlib import Path
from types import TracebackType

WATCHDOG = 60.0
ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07]*\x07|[()][A-Z0-9]|[=>])")

ADOPT = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Makes stdin the controlling terminal, so that Ctrl-C is a signal, and becomes the program."""


class Terminal:
    """Runs a program on a terminal of 100 by 40; ``expect`` is how one waits for it."""

    def __init__(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], kind: str = "xterm"
    ) -> None:
        self._ours, theirs = pty.openpty()
        ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        self.raw = b""
        self._mark = 0
        self._process = subprocess.Popen(
            [sys.executable, "-c", ADOPT, *argv],
            cwd=cwd,
            env={**env, "TERM": kind, "PROMPT_TOOLKIT_NO_CPR": "1"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._ours)

    @property
    def words(self) -> str:
        """Everything shown so far, without escapes."""
        return ESCAPE.sub("", self.raw.decode("utf-8", "replace")).replace("\r", "")

    def expect(self, text: str) -> None:
        """Wait until ``text`` is shown after what was expected last."""
        deadline = time.monotonic() + WATCHDOG
        while (found := self.words.find(text, self._mark)) < 0:
            if not self._read(deadline):
                raise AssertionError(f"{text!r} never came; the terminal shows:\n{self.words}")
        self._mark = found + len(text)

    def expect_raw(self, escape: bytes, count: int) -> None:
        """Wait until ``escape`` was sent ``count`` times in all."""
        deadline = time.monotonic() + WATCHDOG
        while self.raw.count(escape) < count:
            if not self._read(deadline):
                raise AssertionError(f"{escape!r} never came; the terminal shows:\n{self.words}")

    def send(self, keys: str) -> None:
        """Type ``keys``."""
        os.write(self._ours, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        """Change the size, as somebody does who drags the window."""
        ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def end(self, number: int) -> None:
        """Send the program a signal."""
        self._process.send_signal(number)

    def exit_code(self) -> int:
        """Wait for the program's end and return its exit code."""
        deadline = time.monotonic() + WATCHDOG
        while self._read(deadline):
            pass
        return self._process.wait(WATCHDOG)

    def _read(self, deadline: float) -> bool:
        """Read some; return False at the end, or when the watchdog strikes."""
        left = max(deadline - time.monotonic(), 0)
        ready, _, _ = select.select([self._ours], [], [], left)
        try:
            data = os.read(self._ours, 65536) if ready else b""
        except OSError:
            return False
        self.raw += data
        return bool(data)
