"""What a pipe or a file hands to ``hermes chat`` on stdin, beside the prompt or in its place."""

import os
import select
import stat
import sys
from io import TextIOWrapper
from typing import TextIO

from acp_server.cli.console import remark

LIMIT = 200_000
"""Characters that are read; a model's window holds few more."""

PATIENCE = 2.0
"""Seconds without a byte after which it is said what is waited for."""

WAITING = "Reading stdin until it ends. `< /dev/null` leaves it out."
CUT = f"stdin is longer than {LIMIT:,} characters; only its beginning was sent."


def with_piped(prompt: str) -> str:
    """Return ``prompt``, followed by what stdin holds if that is a pipe or a file."""
    if sys.stdin is None or not _is_piped(sys.stdin):
        return prompt
    text = read_piped()
    return f"{prompt}\n\nFrom stdin:\n\n{text}" if text.strip() else prompt


def read_piped() -> str:
    """Return the text of stdin, at most ``LIMIT`` characters of it; if it was cut, that is said."""
    if sys.stdin is None:
        return ""
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    if _is_piped(sys.stdin) and not select.select([sys.stdin], [], [], PATIENCE)[0]:
        remark(WAITING)
    text = sys.stdin.read(LIMIT + 1)
    if len(text) <= LIMIT:
        return text
    remark(CUT)
    return f"{text[:LIMIT]}\n[cut here: stdin goes on]"


def _is_piped(stream: TextIO) -> bool:
    """Return whether ``stream`` is a pipe, a socket or a file; a terminal or device is none."""
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISREG(mode)
