"""The block of a text that is most like a given one, for telling a model what it missed."""

from collections import Counter
from difflib import SequenceMatcher

_SHOWN_LINES = 24
_SHOWN_WIDTH = 240
_COMPARED = 20_000


def nearest_block(text: str, old: str) -> str | None:
    """Return the numbered lines of ``text`` that are most like ``old``, or None if none is.

    Lines are compared without the blanks around them. The block is cut to a size that a model
    reads without loss.
    """
    lines = text.split("\n")
    wanted = old.strip("\n").split("\n")
    start = _by_equal_lines(lines, wanted)
    if start is None:
        start = _by_similar_line(lines, wanted)
    if start is None:
        return None
    first = max(0, start - 1)
    last = min(len(lines), start + len(wanted) + 1, first + _SHOWN_LINES)
    width = len(str(last))
    return "\n".join(f"{n + 1:>{width}}| {lines[n][:_SHOWN_WIDTH]}" for n in range(first, last))


def _by_equal_lines(lines: list[str], wanted: list[str]) -> int | None:
    """Let each line that both have vote for where the block begins; long lines count more."""
    places: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        places.setdefault(line.strip(), []).append(number)
    votes: Counter[int] = Counter()
    for offset, line in enumerate(wanted):
        found = places.get(line.strip(), ()) if line.strip() else ()
        # A line that stands everywhere, such as a lone bracket, tells nothing.
        for number in found if len(found) <= 50 else ():
            votes[number - offset] += min(len(line.strip()), 40)
    if not votes:
        return None
    start, weight = max(votes.items(), key=lambda vote: (vote[1], -vote[0]))
    return max(0, start) if weight >= 4 else None


def _by_similar_line(lines: list[str], wanted: list[str]) -> int | None:
    """Take the longest wanted line and the line that is most like it."""
    offset = max(range(len(wanted)), key=lambda n: len(wanted[n].strip()))
    line = wanted[offset].strip()[:400]
    if len(line) < 3:
        return None
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(line)
    best, score = None, 0.6
    for number, other in enumerate(lines[:_COMPARED]):
        matcher.set_seq1(other.strip()[:400])
        if matcher.real_quick_ratio() > score and matcher.quick_ratio() > score:
            ratio = matcher.ratio()
            if ratio > score:
                best, score = number, ratio
    return None if best is None else max(0, best - offset)
