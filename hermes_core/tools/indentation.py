"""Indenting new text as the file is indented, where a model wrote it at another depth or unit."""

from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from fractions import Fraction
from math import floor, gcd

_BLANKS = " \t"

Translate = Callable[[str], str]
"""Turns an indentation of the model's text into one of the file."""


def reindent(old: Sequence[str], found: Sequence[str], new: str) -> str | None:
    """Return ``new`` with the indentation of the lines ``found``, for which ``old`` was sent.

    Lines of ``new`` that are lines of ``old`` become the file's own lines, untouched. Returns
    None if the two differ so that one depth in ``old`` is several in ``found``: then they are
    not the same block.
    """
    depths: dict[str, str] = {}
    for mine, theirs in zip(old, found, strict=True):
        if mine.strip(_BLANKS) and depths.setdefault(_indent(mine), _indent(theirs)) != _indent(
            theirs
        ):
            return None
    new_lines = new.split("\n")
    translate = _translation(depths, new_lines)
    result: list[str] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new_lines, autojunk=False).get_opcodes():
        if tag == "equal":
            result += found[i1:i2]
        else:
            result += [_moved(line, translate) for line in new_lines[j1:j2]]
    return "\n".join(result)


def _moved(line: str, translate: Translate) -> str:
    if not line.strip(_BLANKS):
        return line
    indent = _indent(line)
    return translate(indent) + line[len(indent) :]


def _translation(depths: dict[str, str], new: Sequence[str]) -> Translate:
    """Return how the model's indentations become the file's."""
    if all(mine == theirs for mine, theirs in depths.items()):
        return lambda indent: indent
    shown = [_indent(line) for line in new if line.strip(_BLANKS)]
    mine, theirs = _unit({*depths, *shown}), _unit(depths.values())
    rule = _rule(depths, shown, mine, theirs or mine) if mine is not None else None
    if rule is None:
        return lambda indent: _by_prefix(depths, indent)
    slope, offset = rule

    def translate(indent: str) -> str:
        depth = max(Fraction(0), slope * len(indent) + offset)
        whole = floor(depth)
        return (theirs or mine or " ") * whole + " " * floor((depth - whole) / slope)

    return translate


def _rule(
    depths: dict[str, str], shown: Sequence[str], mine: str, theirs: str
) -> tuple[Fraction, Fraction] | None:
    """Return slope and offset of the line on which all pairs of lengths lie, or None."""
    pairs = sorted((len(one), len(other)) for one, other in depths.items())
    if theirs == "mixed" or mine == "mixed":
        return None
    (low, low_to), (high, high_to) = pairs[0], pairs[-1]
    if high != low:
        slope = Fraction(high_to - low_to, high - low)
    elif mine == theirs:
        slope = Fraction(1)
    elif low and low_to:
        slope = Fraction(low_to, low)
    else:
        slope = Fraction(1, gcd(*map(len, shown)) or 4) if theirs == "\t" else Fraction(4)
    offset = low_to - slope * low
    fits = slope > 0 and all(to == slope * length + offset for length, to in pairs)
    return (slope, offset) if fits else None


def _by_prefix(depths: dict[str, str], indent: str) -> str:
    """Translate the longest known beginning of ``indent``; the rest stays as it is."""
    if not (known := [one for one in depths if indent.startswith(one)]):
        return indent
    longest = max(known, key=len)
    return depths[longest] + indent[len(longest) :]


def _unit(indents: Iterable[str]) -> str | None:
    """Return the one character that all indentations are made of, "mixed", or None for none."""
    chars = set("".join(indents))
    if len(chars) > 1:
        return "mixed"
    return chars.pop() if chars else None


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(_BLANKS))]
