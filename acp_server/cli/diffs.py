"""The difference of two texts as numbered lines, for the terminal."""

import difflib
from collections.abc import Iterator
from typing import Literal, NamedTuple

from acp_server.cli.printable import visible_line

CONTEXT = 3
NO_NEWLINE = "\\ no newline at the end of the file"
_LARGEST = 4_000_000
"""Above this product of line numbers, the middle is shown as replaced whole."""

Opcode = tuple[str, int, int, int, int]


class Line(NamedTuple):
    """One line of a diff; ``number`` counts in the new text, in the old one for removals."""

    mark: Literal[" ", "+", "-", "~"]
    number: int
    text: str


def lines_of(old: str | None, new: str) -> list[Line]:
    """Return the changed lines with three lines around them; ``~`` marks a gap between them."""
    before, after = _split(old or "", new)
    found: list[Line] = []
    for group in _groups(before, after):
        if found:
            found.append(Line("~", 0, ""))
        for tag, first, last, start, end in group:
            if tag == "equal":
                found += _numbered(" ", after, start, end)
            else:
                found += _numbered("-", before, first, last)
                found += _numbered("+", after, start, end)
    return found


def _numbered(
    mark: Literal[" ", "+", "-"], lines: list[str], start: int, end: int
) -> Iterator[Line]:
    for index in range(start, end):
        yield Line(mark, index + 1, visible_line(lines[index].expandtabs(4)))


def _split(old: str, new: str) -> tuple[list[str], list[str]]:
    """Split both texts at newlines; carriage returns count only where the texts mix line ends."""
    texts = [text.split("\n") for text in (old, new)]
    marked = [line for lines in texts for line in lines[:-1]]
    if marked and all(line.endswith("\r") for line in marked):
        texts = [[line.removesuffix("\r") for line in lines] for lines in texts]
    for lines in texts:
        if lines[-1] == "":
            lines.pop()
        else:
            lines.append(NO_NEWLINE)
    if not old.endswith("\n") and not new.endswith("\n") and old and new:
        for lines in texts:
            lines.pop()
    return texts[0], texts[1]


def _groups(before: list[str], after: list[str]) -> list[list[Opcode]]:
    """Return the hunks; what both ends share is set aside first, which keeps long files quick."""
    head = 0
    shortest = min(len(before), len(after))
    while head < shortest and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < shortest - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    old = before[head : len(before) - tail]
    new = after[head : len(after) - tail]
    if not old and not new:
        return []
    return _hunks(_opcodes(old, new), head, tail)


def _opcodes(old: list[str], new: list[str]) -> list[Opcode]:
    if len(old) * len(new) > _LARGEST:
        return [("replace", 0, len(old), 0, len(new))]
    return list(difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes())


def _hunks(middle: list[Opcode], head: int, tail: int) -> list[list[Opcode]]:
    codes = [(tag, a + head, b + head, c + head, d + head) for tag, a, b, c, d in middle]
    _, _, old_end, _, new_end = codes[-1]
    lead, trail = min(head, CONTEXT), min(tail, CONTEXT)
    if lead:
        codes.insert(0, ("equal", head - lead, head, head - lead, head))
    if trail:
        codes.append(("equal", old_end, old_end + trail, new_end, new_end + trail))
    groups: list[list[Opcode]] = [[]]
    for tag, a, b, c, d in codes:
        if tag == "equal" and b - a > 2 * CONTEXT and groups[-1]:
            groups[-1].append((tag, a, a + CONTEXT, c, c + CONTEXT))
            groups.append([(tag, b - CONTEXT, b, d - CONTEXT, d)])
        else:
            groups[-1].append((tag, a, b, c, d))
    return groups
