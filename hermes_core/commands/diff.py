"""``/diff``: what this session has changed in files so far, from the snapshots of its turns."""

import difflib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from hermes_core.agent.rewind import Changed
from hermes_core.commands.seat import Seat
from hermes_core.ground.errors import HermesError
from hermes_core.ground.typed import quoted
from hermes_core.tools.visible import fence, many_lines, one_line

LONGEST_FILE = 200
"""Lines of one file's difference that are shown."""

LONGEST = 1_000
"""Lines of all differences together; the files after that are named with their numbers alone."""

WIDEST = 500
"""Characters of one line."""


def run_diff(seat: Seat, argument: str) -> str:
    """Show what changed, of all files or of those at or below the path ``argument``.

    Raises ``HermesError`` where nothing changed there, and where there is no git.
    """
    changed = seat.agent.rewind.changes(seat.interrupt)
    if argument:
        wanted = Path(os.path.normpath(Path(seat.cwd, argument)))
        changed = [one for one in changed if one.path.is_relative_to(wanted)]
        if not changed:
            raise HermesError(
                f"This session has changed nothing at {quoted(argument)}. `/diff` shows all."
            )
    return diff_text(changed, Path(seat.cwd))


def diff_text(changed: Sequence[Changed], cwd: Path) -> str:
    """Return the differences as Markdown, bounded; paths below ``cwd`` are relative to it."""
    if not changed:
        return "This session has changed no files so far."
    count = f"{len(changed)} file{'' if len(changed) == 1 else 's'}"
    diffs = [(one, _lines(one)) for one in changed]
    added = sum(_signs(lines, "+") for _, lines in diffs)
    removed = sum(_signs(lines, "-") for _, lines in diffs)
    parts = [f"This session has changed {count} so far: +{added:,} −{removed:,} lines."]
    left = LONGEST
    for one, lines in diffs:
        shown = lines[: min(LONGEST_FILE, left)]
        left -= len(shown)
        parts += _shown(one, lines, shown, cwd)
    return "\n\n".join(parts)


def _shown(one: Changed, lines: list[str], shown: list[str], cwd: Path) -> Iterator[str]:
    name = one.path.relative_to(cwd) if one.path.is_relative_to(cwd) else one.path
    notes = []
    if one.is_new:
        notes.append("new")
    if one.is_gone:
        notes.append("deleted")
    if not lines:
        notes.append("binary or large, or its permissions alone")
    if one.since:
        notes.append("changed again since, which is not shown")
    told = f" ({', '.join(notes)})" if notes else ""
    yield (f"`{one_line(str(name))}`{told}: +{_signs(lines, '+'):,} −{_signs(lines, '-'):,}")
    if shown:
        yield fence(many_lines("\n".join(line[:WIDEST] for line in shown)), "diff")
    if len(lines) > len(shown):
        yield f"({len(lines) - len(shown):,} more lines of it are not shown.)"


def _lines(one: Changed) -> list[str]:
    """Return the difference as ``diff -u`` writes it, without the names."""
    if (one.old is None and not one.is_new) or (one.new is None and not one.is_gone):
        return []
    old, new = (one.old or "").splitlines(), (one.new or "").splitlines()
    return list(difflib.unified_diff(old, new, lineterm=""))[2:]


def _signs(lines: Sequence[str], sign: str) -> int:
    return sum(line.startswith(sign) for line in lines)
