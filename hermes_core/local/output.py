"""A command's output as people would see it on a terminal, in bounded memory."""

import codecs
import re
from collections.abc import Callable

from hermes_core.ground.secrets import REDACTOR
from hermes_core.local.redrawn import BLANK, Rows, with_returns

_ESCAPE = re.compile(
    r"""(?x)
      \x1b \[ [0-?]* [ -/]* [@-~]                      # colours, cursor movements
    | \x1b [\]PX^_] [^\x07\x1b\n]* (?:\x07 | \x1b\\)?  # titles, links and other strings
    | \x1b [ -/]* [0-~]                                # everything shorter
    | \x1b
    """
)
_SPECIAL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Output:
    """Takes bytes in any pieces; keeps the beginning and the end of their text.

    Escape sequences and control characters are dropped, a line that was redrawn keeps its last
    state (see ``redrawn``), bytes that are not UTF-8 become U+FFFD. Secrets are masked before
    anything is cut, so that no part of one stays. At most ``limit`` bytes (UTF-8) are kept, half of
    them from the beginning; what is left out between is counted. spill: gets all of the text, in
    pieces.
    """

    def __init__(self, limit: int, spill: Callable[[str], None] | None = None) -> None:
        self._spill = spill
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rows = Rows()
        self._head = bytearray()
        self._tail = bytearray()
        self._head_limit = limit // 2
        self._tail_limit = limit - limit // 2
        self._left_out = 0

    def feed(self, data: bytes) -> None:
        """Add what was read next."""
        settled = self._rows.write(self._decoder.decode(data))
        if settled:
            self._keep(clean(settled))

    def finish(self) -> None:
        """Tell that nothing follows."""
        settled = self._rows.write(self._decoder.decode(b"", final=True))
        self._keep(clean(settled + self._rows.drain()))

    @property
    def truncated(self) -> bool:
        """Whether something was left out so far."""
        return self._left_out > 0 or len(self._tail) > self._tail_limit

    def text(self) -> str:
        """Return all that is kept so far, with the lines that may still be drawn anew."""
        pending = REDACTOR.redact(clean(self._rows.text))
        tail = bytes(self._tail) + pending.encode()
        cut = len(tail) - self._tail_limit
        left_out = self._left_out + max(cut, 0)
        if not left_out:
            return (self._head + tail).decode()
        marker = f"\n[... {left_out:,} bytes left out ...]\n"
        end = tail[max(cut, 0) :].decode(errors="ignore")
        return self._head.decode(errors="ignore") + marker + end

    def _keep(self, text: str) -> None:
        text = REDACTOR.redact(text)
        if self._spill is not None:
            self._spill(text)
        data = text.encode()
        room = self._head_limit - len(self._head)
        if room > 0 and not self._tail:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > 2 * self._tail_limit:
            cut = len(self._tail) - self._tail_limit
            self._left_out += cut
            del self._tail[:cut]


def clean(text: str) -> str:
    """Return ``text`` without escape sequences, redrawn states and control characters."""
    if not _SPECIAL.search(text):
        return text
    if "\x1b" in text:
        text = _ESCAPE.sub("", with_returns(text))
    if "\r" in text:
        text = "\n".join(_last_state(line) for line in text.split("\n"))
    text = text.replace(BLANK, "")
    if "\b" in text:
        text = "\n".join(_erased(line) for line in text.split("\n"))
    return _SPECIAL.sub("", text)


def _last_state(line: str) -> str:
    line = line.rstrip("\r")
    return line[line.rfind("\r") + 1 :]


def _erased(line: str) -> str:
    if "\b" not in line:
        return line
    kept: list[str] = []
    for character in line:
        if character != "\b":
            kept.append(character)
        elif kept:
            kept.pop()
    return "".join(kept)
