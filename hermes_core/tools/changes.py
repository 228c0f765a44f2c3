"""A change of one file: shown as a diff, and made only if the file still is what the diff shows."""

import difflib
from dataclasses import dataclass
from pathlib import Path

from hermes_core.ground.content import CardContent, Diff, Location, Text
from hermes_core.ground.errors import ToolError
from hermes_core.ground.secrets import MASK
from hermes_core.tools.lines import decode, readable
from hermes_core.tools.registry import Output, Prepared, Progress, ToolContext
from hermes_core.tools.targets import current, edit_action, shown

_WHOLE_DIFF = 1_000_000
"""Characters of both texts up to which a diff shows them whole."""

_CONTEXT = 20
_TOLD_LINES = 30
_UNKNOWN = (
    " The editor took it, but the disk does not hold it and the editor does not tell its text, so "
    "it is not known what the file is now. Read it before the next edit."
)


@dataclass(frozen=True, slots=True)
class Change:
    """What a file is to become.

    argument: the path as the model wrote it; path: what it resolved to, the real path.
    before: the content that the change was made from, None for a new file.
    done: what the model is told afterwards. line: the first that changes, from 1.
    """

    argument: str
    path: Path
    before: bytes | None
    after: bytes
    title: str
    done: str
    line: int | None = None


def prepare_change(ctx: ToolContext, change: Change) -> Prepared:
    """Return the call that makes the change.

    Raises ``ToolError`` if the file is no longer what the model has seen of it, or if the new
    text would write a mask where there was a secret.
    """
    require_known(ctx, change.path, change.before)
    _require_no_new_mask(change)
    content = diff(change.path, change.before, change.after)
    locations = (Location(str(change.path), change.line),)

    def run(_: Progress) -> Output:
        _require_unchanged(ctx, change)
        ctx.interrupt.raise_if_set()
        written = ctx.files.write(change.path, change.after)
        after, done = change.after, change.done
        if written.differs and written.found is None:
            done += _UNKNOWN
        elif written.found is not None:
            after = written.found
            done += _difference(change.after, after)
        ctx.seen.record(change.path, after)
        return Output(done, diff(change.path, change.before, after), locations=locations)

    return Prepared(change.title, edit_action(ctx, change.path), run, content, locations)


def require_known(ctx: ToolContext, path: Path, data: bytes | None) -> None:
    """Raise ``ToolError`` if the file was seen in this session, but with another content."""
    if data is not None and ctx.seen.changed(path, data):
        raise ToolError(
            f"{shown(ctx, path)} has changed since you last read it, so nothing was written. "
            "Read it again, then make the edit."
        )


def diff(path: Path, before: bytes | None, after: bytes) -> tuple[CardContent, ...]:
    """Return the card that shows a change whole.

    Of very large texts the equal lines before and after the change are left out, which is said.
    """
    old = None if before is None else readable(decode(before))
    new = readable(decode(after))
    if old is None or len(old) + len(new) <= _WHOLE_DIFF:
        return (Diff(str(path), old, new),)
    old_lines, new_lines = old.splitlines(keepends=True), new.splitlines(keepends=True)
    head = max(0, _equal(old_lines, new_lines) - _CONTEXT)
    tail = max(0, _equal(old_lines[head:][::-1], new_lines[head:][::-1]) - _CONTEXT)
    old_part = old_lines[head : len(old_lines) - tail]
    new_part = new_lines[head : len(new_lines) - tail]
    note = f"The file is large: shown from line {head + 1}; all else stays as it is."
    return (Text(note), Diff(str(path), "".join(old_part), "".join(new_part)))


def _equal(old: list[str], new: list[str]) -> int:
    """Return how many lines both have in common at the beginning."""
    pairs = zip(old, new, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(old), len(new)))


def _require_no_new_mask(change: Change) -> None:
    old = b"" if change.before is None else change.before
    mask = MASK.encode()
    if change.after.count(mask) > old.count(mask):
        raise ToolError(
            f"The new text holds {MASK}, which stands for a secret that is hidden from you. "
            "Written to the file it would destroy the secret: leave such lines out of the edit."
        )


def _require_unchanged(ctx: ToolContext, change: Change) -> None:
    name = shown(ctx, change.path)
    if ctx.workspace.resolve(change.argument) != change.path:
        raise ToolError(f"{name} is no longer where the path leads, so nothing was written.")
    if current(ctx, change.path) != change.before:
        raise ToolError(
            f"{name} changed after this edit was prepared, so nothing was written. "
            "Read it again, then make the edit."
        )


def _difference(sent: bytes, found: bytes) -> str:
    """Return what the model must know if the editor did not save what it was sent."""
    old, new = (readable(decode(data)).splitlines() for data in (sent, found))
    changed = list(difflib.unified_diff(old, new, "sent", "saved", n=0, lineterm=""))[2:]
    if not changed:
        return " The editor saved it with other line ends or another final newline."
    told = "\n".join(changed[:_TOLD_LINES])
    more = "\n[more; read the file]" if len(changed) > _TOLD_LINES else ""
    return f" The editor has something else than it was sent:\n{told}{more}"
