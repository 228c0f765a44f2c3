"""Finding the text that an edit means, and replacing it: pure functions over strings.

What a model sends as the old text is looked for as it is; then line by line without regard to
blanks at the ends of lines; then without regard to indentation, where the new text is indented
as the file is. Nothing less alike counts. Every character outside of an edit stays as it is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hermes_core.ground.errors import ToolError
from hermes_core.tools.indentation import reindent
from hermes_core.tools.likeness import nearest_block
from hermes_core.tools.lines import BOM, MARK, View, plain, readable, require_characters

_BLANKS = " \t"


@dataclass(frozen=True, slots=True)
class Edit:
    """``old`` becomes ``new``: at its only place, or everywhere if ``all``."""

    old: str
    new: str
    all: bool = False


@dataclass(frozen=True, slots=True)
class Edited:
    """The text after the edits; ``line`` is that of the first change, counted from 1.

    notes: for the model, where an edit was found only by overlooking blanks.
    """

    text: str
    line: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Place:
    """A part of the view, and what it shall read."""

    start: int
    end: int
    new: str


def apply_edits(text: str, edits: Sequence[Edit], *, explain: bool = True) -> Edited:
    """Apply the edits one after the other, each to what the ones before it left.

    Raises ``ToolError`` if any of them has no place, or more than one without ``all``; then none
    of them counts. ``explain`` adds the nearest block of the text to the error.
    """
    bom = BOM if text.startswith(BOM) else ""
    body, lines, notes = text.removeprefix(BOM), [], []
    if not edits:
        raise ToolError("There is no edit in edits.")
    for number, edit in enumerate(edits, 1):
        name = f"Edit {number} of {len(edits)}" if len(edits) > 1 else "The edit"
        view = View(body)
        try:
            places, note = _find(view, edit, explain)
            body = _replace(view, places)
        except ToolError as error:
            raise ToolError(f"{name} cannot be made, so nothing was changed: {error}") from None
        lines.append(view.line_number(places[0].start))
        if note:
            notes.append(f"{name} {note}")
    return Edited(bom + body, min(lines), tuple(notes))


def _find(view: View, edit: Edit, explain: bool) -> tuple[list[_Place], str]:
    """Return the places of an edit, in order, with a note on how they were found."""
    old = readable(plain(edit.old.removeprefix(BOM)))
    new = plain(edit.new.removeprefix(BOM))
    require_characters(new)
    if not old:
        raise ToolError("old is empty. To fill an empty file, use write_file.")
    if old == new:
        raise ToolError("old and new are the same.")
    places = _exact(view, old, new)
    note = ""
    if not places and old.strip():
        places, note = _tolerant(view, old, new)
    if not places:
        raise ToolError(_absent(view, old, new, explain))
    if len(places) > 1 and not edit.all:
        lines = ", ".join(str(view.line_number(place.start)) for place in places[:10])
        raise ToolError(
            f"old stands at {len(places)} places (lines {lines}). Add lines around it that make it "
            "unique, or set all."
        )
    return places, note


def _exact(view: View, old: str, new: str) -> list[_Place]:
    places = []
    start = view.text.find(old)
    while start >= 0:
        end = start + len(old)
        places.append(_Place(start, end, new))
        start = view.text.find(old, end)
    return places


def _tolerant(view: View, old: str, new: str) -> tuple[list[_Place], str]:
    def trailing(line: str) -> str:
        return line.rstrip(_BLANKS)

    def indented(line: str) -> str:
        return line.strip(_BLANKS)

    places = _by_lines(view, old, new, trailing)
    if places:
        return places, "was found by overlooking blanks at the ends of lines."
    return _by_lines(view, old, new, indented), (
        "was found by overlooking indentation; the new text was indented as the file is."
    )


def _by_lines(view: View, old: str, new: str, key: Callable[[str], str]) -> list[_Place]:
    """Find whole lines that are the old ones under ``key``."""
    whole = old.endswith("\n")
    old_lines = old.removesuffix("\n").split("\n")
    lines = view.text.split("\n")
    keys, wanted = [key(line) for line in lines], [key(line) for line in old_lines]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    places, index, count = [], 0, len(wanted)
    while index + count <= len(lines):
        if keys[index] == wanted[0] and keys[index : index + count] == wanted:
            found = lines[index : index + count]
            text = reindent(old_lines, found, new.removesuffix("\n") if whole else new)
            if text is not None:
                last = index + count - 1
                closed = whole and last + 1 < len(lines)
                tail = "\n" if closed and new.endswith("\n") else ""
                places.append(_Place(starts[index], starts[last + 1] - (not closed), text + tail))
                index += count
                continue
        index += 1
    return places


def _replace(view: View, places: Sequence[_Place]) -> str:
    parts, position = [], 0
    for place in places:
        start, end = view.slice(place.start, place.end)
        parts += [view.original[position:start], view.rewrite(place.start, place.end, place.new)]
        position = end
    return "".join([*parts, view.original[position:]])


def _absent(view: View, old: str, new: str, explain: bool) -> str:
    text = "old is not in the file."
    if not explain:
        return f"{text} Read the file again."
    if len(new.strip()) > 3 and view.text.count(new) == 1:
        line = view.line_number(view.text.index(new))
        return f"{text} new already stands at line {line}: was this edit made before?"
    if MARK in old:
        text += " It holds U+FFFD, which stands for any undecodable byte."
    block = nearest_block(view.text, old)
    if block is None:
        return f"{text} Nothing in it is similar; read the file again."
    return f"{text} The nearest lines are:\n{block}\nCopy old from them exactly."
