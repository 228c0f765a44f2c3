"""What the command line writes to people. No other module prints."""

import os
import shutil
import sys
import textwrap
from collections.abc import Mapping
from contextlib import suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, TextIO

from acp_server.cli.printable import visible, visible_line

if TYPE_CHECKING:
    from rich.console import Console

_RED = "\x1b[31m"
_PLAIN = "\x1b[0m"
_STYLES = {
    "markdown.code": "cyan",
    "markdown.code_block": "none",
    "markdown.block_quote": "dim",
    "markdown.item.bullet": "dim",
    "markdown.item.number": "dim",
    **{f"markdown.h{level}": "bold" for level in range(1, 7)},
}
"""Markdown without coloured backgrounds: it has to look well on dark and on light terminals."""


class Failure(Exception):
    """An error to be told in two lines: what happened, and what to do next."""

    def __init__(self, what: str, next_step: str) -> None:
        super().__init__(what)
        self.what = what
        self.next_step = next_step


class Quit(Exception):
    """The person wants to leave at once."""


def say(text: str = "", *, end: str = "\n") -> None:
    """Write ``text`` to stdout at once; characters that it cannot encode become ``?``."""
    print(_encodable(text, sys.stdout), end=end, flush=True)


def remark(text: str) -> None:
    """Write one line to stderr; a closed stderr is no reason to fail."""
    with suppress(OSError, ValueError):
        print(_encodable(text, sys.stderr), file=sys.stderr, flush=True)


def explain(what: str, next_step: str) -> None:
    """Write an error to stderr in two lines: what happened, and what to do next."""
    first = wrapped(visible_line(" ".join(what.split())), sys.stderr)
    next_step = "\n".join(wrapped(line, sys.stderr) for line in next_step.split("\n"))
    if coloured(sys.stderr, os.environ):
        first = f"{_RED}{first}{_PLAIN}"
    remark(first)
    remark(visible(next_step))


def wrapped(line: str, stream: TextIO, indent: int = 0) -> str:
    """Return ``line`` broken between words where ``stream`` is a terminal narrower than it.

    Its further lines are indented by ``indent`` columns. What holds no space stays whole.
    """
    if not is_terminal(stream):
        return line
    width = shutil.get_terminal_size().columns
    return textwrap.fill(
        line,
        max(width - 1, indent + 20),
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
        drop_whitespace=True,
    )


def is_terminal(stream: TextIO) -> bool:
    """Return whether ``stream`` is an open terminal."""
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def coloured(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Return whether to colour what goes to ``stream`` (https://no-color.org is respected)."""
    return is_terminal(stream) and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def terminal() -> "Console":
    """Return a console for the terminal that stdout is; it interprets no markup of its own."""
    from rich.console import Console
    from rich.theme import Theme

    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    return Console(
        file=sys.stdout,
        theme=Theme(_STYLES),
        markup=False,
        emoji=False,
        highlight=False,
        no_color=not coloured(sys.stdout, os.environ),
    )


def _encodable(text: str, stream: TextIO) -> str:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)
