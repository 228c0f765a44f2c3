"""The last lines of an output, which a program may still draw anew. Pure, and bounded.

Programs that show progress go back to the beginning of a line (``ESC[G``), erase it (``ESC[K``,
``ESC[2K``) or go up some lines (``ESC[A``) and write over what stands there. All of that counts as
a carriage return does: what is written next takes the place of the whole line. Columns are not
kept, and what lies further up than ``ROWS`` is settled.
"""

import re

ROWS = 40
"""Lines that can be drawn anew."""

LONGEST = 8_192
"""Characters of all of them, and of an unfinished line before its beginning is settled."""

BLANK = "\0"
"""Stands where a line was erased, so that what stood there before is not its last state."""

_ERASING = re.compile(r"\x1b\[([0-9]{0,4})([GK])")
_UP_OR_DOWN = r"\x1b(?:\[[0-9]{0,4}[ABEFJ]|M)"
_MOVES = re.compile(_UP_OR_DOWN)
_LINES = re.compile(rf"(\n|{_UP_OR_DOWN})")
_BEGUN = re.compile(r"\x1b(?:\[[0-9]{0,4})?\Z")
_LONGEST_BEGUN = 6
_UNFINISHED = re.compile(r"\x1b[^\x07\n]{0,255}\Z")
_BETWEEN_WORDS = re.compile(r"[^\w.~+/=-](?=[\w.~+/=-]{0,1024}\Z)")


def with_returns(text: str) -> str:
    """Return ``text`` with carriage returns for what goes back in a line or erases it."""
    return _ERASING.sub(_as_return, text) if "\x1b" in text else text


class Rows:
    """The lines that are not settled. The cursor stands in the last one unless it was moved."""

    def __init__(self) -> None:
        self._rows = [""]
        self._at = 0

    @property
    def text(self) -> str:
        """All lines as they are now, with control characters."""
        return "\n".join(self._rows)

    def write(self, text: str) -> str:
        """Take what was written next; return what is settled by it, in whole words."""
        row = self._rows[self._at]
        if "\x1b" in row[-_LONGEST_BEGUN:] and (begun := _BEGUN.search(row)):
            self._rows[self._at], text = row[: begun.start()], begun[0] + text
        text = with_returns(text)
        if self._at == len(self._rows) - 1 and not _MOVES.search(text):
            first, *others = text.split("\n")
            self._rows[-1] += first
            self._rows += others
            self._at += len(others)
        else:
            for place, part in enumerate(_LINES.split(text)):
                if place % 2:
                    self._move(part)
                elif part:
                    self._put(part)
        return self._settle()

    def drain(self) -> str:
        """Return all lines that are left; nothing follows."""
        text, self._rows, self._at = self.text, [""], 0
        return text

    def _put(self, part: str) -> None:
        row = self._rows[self._at] + part
        self._rows[self._at] = row if len(row) <= LONGEST else _last_state(row)

    def _move(self, token: str) -> None:
        kind, last = token[-1], len(self._rows) - 1
        count = max(int(token[2:-1] or 1), 1) if len(token) > 2 else 1
        if kind == "\n" and self._at == last:
            self._rows.append("")
            self._at += 1
        elif kind in "\nBE":
            self._enter(min(self._at + count, last), returns=kind != "B")
        elif kind in "AFM":
            self._enter(max(self._at - count, last - ROWS, 0), returns=kind == "F")
        elif token in ("\x1b[J", "\x1b[0J"):
            del self._rows[self._at + 1 :]
            self._put(BLANK)

    def _enter(self, row: int, *, returns: bool) -> None:
        """Go to a line; what is written there takes its place. returns: also where it is there."""
        if (row != self._at or returns) and not self._rows[row].endswith("\r"):
            self._rows[row] = f"{_last_state(self._rows[row])}\r"
        self._at = row

    def _settle(self) -> str:
        rows, last = self._rows, len(self._rows) - 1
        sizes = sum(map(len, rows))
        if self._at != last:
            return f"{self.drain()}\n" if sizes > 4 * LONGEST or last > 2 * ROWS else ""
        if sizes > LONGEST:
            sizes -= len(rows[-1])
            rows[-1] = _last_state(rows[-1])
            sizes += len(rows[-1])
        count = 0
        while count < last and (last - count > ROWS or sizes > LONGEST):
            sizes -= len(rows[count])
            count += 1
        settled = "".join(f"{row}\n" for row in rows[:count])
        del rows[:count]
        self._at -= count
        if len(rows[-1]) > LONGEST:
            end = _whole_words(rows[-1])
            settled += rows[-1][:end]
            rows[-1] = rows[-1][end:]
        return settled


def _as_return(sequence: re.Match[str]) -> str:
    """Return the control characters that an erasing stands for, ``""`` for none."""
    where, kind = sequence[1].lstrip("0"), sequence[2]
    if kind == "G":
        return "\r" if where in ("", "1") else ""
    return BLANK if not where else f"\r{BLANK}"


def _last_state(row: str) -> str:
    """Return a long row from where it was begun anew last."""
    return row[row.rstrip("\r").rfind("\r") + 1 :]


def _whole_words(text: str) -> int:
    """Return how much of a long unfinished line ends before an unfinished escape sequence or word.

    A word may be a secret; only one that is longer than any is parted.
    """
    unfinished = _UNFINISHED.search(text, len(text) - 256)
    if unfinished:
        return unfinished.start()
    between = _BETWEEN_WORDS.search(text, max(len(text) - 1_025, 0))
    return between.end() if between else len(text)
