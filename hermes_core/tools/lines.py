"""A text as an editor shows it, and the way back to its exact characters.

Files are handled as text decoded with ``surrogateescape``, which loses no byte. The *view* of such
a text is what a model can have read: every line ends in a line feed, and each character that
stands for an undecodable byte is U+FFFD. An edit is found in the view and made in the text.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from difflib import SequenceMatcher

from hermes_core.ground.errors import ToolError

MARK = "\ufffd"
BOM = "\ufeff"

_UNDECODABLE = re.compile("[\udc80-\udcff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def decode(data: bytes) -> str:
    """Return the bytes as text; ``encode`` gives exactly these bytes back."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Return the bytes of a text that ``decode`` made."""
    return text.encode("utf-8", "surrogateescape")


def require_characters(text: str) -> None:
    """Raise ``ToolError`` if a text that was sent holds a surrogate, which is no character."""
    found = _SURROGATE.search(text)
    if found:
        raise ToolError(
            f"The text holds half of a character (U+{ord(found[0]):04X}), which no file can hold. "
            "Send the whole character."
        )


def readable(text: str) -> str:
    """Return ``text`` with every undecodable byte as U+FFFD."""
    return _UNDECODABLE.sub(MARK, text)


def plain(text: str) -> str:
    """Return ``text`` with line feeds alone as its line ends."""
    return text.replace("\r\n", "\n")


class View:
    """The view of one text, with the positions of both."""

    def __init__(self, original: str) -> None:
        self.original = original
        self.text = readable(plain(original))
        starts = (m.start() for m in re.finditer("\r\n", original))
        self._returns = [start - before for before, start in enumerate(starts)]

    def slice(self, start: int, end: int) -> tuple[int, int]:
        """Return where the view's characters ``start`` to ``end`` stand in the original."""
        return self._position(start), self._position(end)

    def line_number(self, position: int) -> int:
        """Return the line, counted from 1, in which a position of the view stands."""
        return self.text.count("\n", 0, position) + 1

    def rewrite(self, start: int, end: int, new: str) -> str:
        """Return the original's text for ``new`` in place of the view's ``start`` to ``end``.

        Line ends are those of the lines that are replaced, and undecodable bytes are kept.
        Raises ``ToolError`` if it cannot be told which U+FFFD is which byte.
        """
        first, last = self.slice(start, end)
        region = self.original[first:last]
        return _with_line_ends(region, _with_bytes(region, new), self._line_end_at(last, first))

    def _position(self, position: int) -> int:
        return position + bisect_left(self._returns, position)

    def _line_end_at(self, after: int, before: int) -> str:
        """Return the line end that follows, or else precedes, a place of the original."""
        found = self.original.find("\n", after)
        if found < 0:
            found = self.original.rfind("\n", 0, before)
        return "\r\n" if found > 0 and self.original[found - 1] == "\r" else "\n"


def _with_bytes(region: str, new: str) -> str:
    """Put the region's own characters back where ``new`` has U+FFFD."""
    wanted = new.count(MARK)
    kept = re.findall("[\udc80-\udcff\ufffd]", region)
    if not wanted or not any(_UNDECODABLE.match(char) for char in kept):
        return new
    if wanted != len(kept):
        raise ToolError(
            f"The new text holds U+FFFD {wanted} times, but the lines it replaces hold "
            f"{len(kept)} bytes that are shown so. Leave these lines out of the edit."
        )
    chars = iter(kept)
    return re.sub(MARK, lambda _: next(chars), new)


def _with_line_ends(region: str, new: str, default: str) -> str:
    if "\r\n" not in region and default == "\n":
        return new
    old_lines = region.split("\n")
    ends = ["\r\n" if line.endswith("\r") else "\n" for line in old_lines[:-1]]
    kinds = set(ends) or {default}
    if len(kinds) == 1:
        return new.replace("\n", kinds.pop())
    contents = [line.removesuffix("\r") for line in old_lines]
    return _aligned(contents, ends, new.split("\n"), default)


def _aligned(old: Sequence[str], ends: Sequence[str], new: Sequence[str], default: str) -> str:
    """Join ``new`` with the ends of the old lines that its lines stand for."""
    chosen = [""] * len(new)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "delete":
            for j in range(j1, j2):
                i = i1 + j - j1
                own = ends[i] if i < min(i2, len(ends)) else ""
                chosen[j] = own or (chosen[j - 1] if j else ends[0] if ends else default)
    return "".join(line + end for line, end in zip(new[:-1], chosen, strict=False)) + new[-1]
