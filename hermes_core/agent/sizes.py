"""How much of a tool's result a model is given: what is too long for its window goes to a file.

One result may take 15 % of the window, the results of one answer together 30 %, reckoned at four
characters a token; never more than 100,000 and 200,000 characters, and always some thousands.
"""

import logging
from collections.abc import Callable
from pathlib import Path

from hermes_core.agent.calls import CallRequest
from hermes_core.local.outputs import LINE, keep_output
from hermes_core.tools.seen import Seen

ONE = (8_000, 100_000)
TOGETHER = (16_000, 200_000)
"""The least and the most characters of one result, and of those of one answer."""

HEAD = 1_500
TAIL = 500
"""Characters that are shown of the beginning and the end of a result that went to a file."""

_CHARACTERS = 4

_log = logging.getLogger(__name__)


class Room:
    """Room for the results of one answer. Used on one thread."""

    def __init__(self, home: Path, window: int, seen: Seen) -> None:
        self._home = home
        self._seen = seen
        self._one = _within(ONE, window * _CHARACTERS * 15 // 100)
        self._left = _within(TOGETHER, window * _CHARACTERS * 30 // 100)

    def fit(self, request: CallRequest, text: str) -> str:
        """Return ``text``, or what the model is given in its place."""
        allowed = min(self._one, max(self._left, HEAD + TAIL))
        if len(text) > allowed:
            text = self._shortened(request, text, allowed)
        self._left -= len(text)
        return text

    def _shortened(self, request: CallRequest, text: str, allowed: int) -> str:
        if request.name == "read_file":
            return _first_lines(text, int(request.arguments.get("offset", 1)), allowed)
        head, tail = _until_line_end(text[:HEAD]), text[-TAIL:]
        left_out = len(text) - len(head) - len(tail)
        return f"{head}\n[... {left_out:,} characters left out; {self._kept(text)}]\n{tail}"

    def _kept(self, text: str) -> str:
        try:
            path = keep_output(self._home, _folded(text))
        except OSError as error:
            _log.warning("a long result could not be kept: %s", error)
            return "they could not be kept. Ask for less at a time"
        self._seen.keep(path)
        return f"all {len(text):,} are in {path}, to be read in parts with read_file"


RoomFor = Callable[[], Room]
"""Makes the room for the results of one answer."""


def _within(bounds: tuple[int, int], size: int) -> int:
    return min(max(size, bounds[0]), bounds[1])


def _first_lines(text: str, first: int, allowed: int) -> str:
    """Return the first lines of a file's text, and where to read on."""
    shown = _until_line_end(text[:allowed])
    last = max(first, 1) + shown.count("\n")
    return f"{shown}\n[cut to fit the model's window; read on with offset={last + 1}]"


def _until_line_end(text: str) -> str:
    end = text.rfind("\n")
    return text[:end] if end > len(text) // 2 else text


def _folded(text: str) -> str:
    """Return ``text`` with every line short enough to be read."""
    if len(text) <= LINE:
        return text
    lines = text.split("\n")
    return "\n".join(
        line[start : start + LINE] for line in lines for start in range(0, max(len(line), 1), LINE)
    )
