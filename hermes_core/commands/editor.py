"""Putting Hermes into an editor and out again: planned as a change of one file, then applied.

A plan touches nothing. It holds the file's text before and after, so that a person can see the
difference first; applying it fails if the file has changed meanwhile.
"""

import difflib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from hermes_core.commands.editor_disk import read_file, real_file, remove_file, write_file
from hermes_core.commands.editor_entry import (
    MARK,
    missing_parents,
    own_file,
    with_entry,
    without_entry,
)
from hermes_core.commands.editor_record import Record, Records, digest
from hermes_core.commands.editor_table import EDITORS, Editor, Program, Surroundings
from hermes_core.ground.errors import ConfigError
from hermes_core.local.jsonc import JsoncError
from hermes_core.local.jsonc_edit import text_at


@dataclass(frozen=True, slots=True)
class Change:
    """One file before and after; None where there is no file. ``record`` is what to remember.

    file: as it is called. real: where its links lead. record is None for taking out.
    """

    editor: Editor
    file: Path
    real: Path
    before: str | None
    after: str | None
    record: Record | None = None

    @property
    def nothing(self) -> bool:
        """Whether all is as it shall be already."""
        return self.before == self.after

    @property
    def diff(self) -> str:
        """The difference, as ``diff -u`` writes it, without a newline at its end."""
        lines = difflib.unified_diff(
            (self.before or "").splitlines(),
            (self.after or "").splitlines(),
            "/dev/null" if self.before is None else str(self.file),
            "/dev/null" if self.after is None else str(self.file),
            lineterm="",
        )
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Row:
    """One editor in the list. ``state`` is a short phrase; ``installed`` None: unknown."""

    editor: Editor
    file: Path
    installed: bool | None
    state: str


def plan_install(
    editor: Editor, around: Surroundings, program: Program, home: Path, file: Path | None = None
) -> Change:
    """Return the change that puts Hermes into ``editor``. Raises ``ConfigError``."""
    file = file or editor.place(around)
    real = real_file(file)
    before = read_file(real)
    if editor.keys:
        text = before or ""
        after = _edited(file, lambda: with_entry(text, editor, program))
    else:
        _require_ours(file, before)
        after = own_file(editor, program)
    record = _record(editor, Records(home, editor.name).get(real), before, after)
    return Change(editor, file, real, before, after, record)


def plan_uninstall(
    editor: Editor, around: Surroundings, home: Path, file: Path | None = None
) -> Change:
    """Return the change that takes Hermes out of ``editor``. Raises ``ConfigError``.

    A file that was not touched since becomes what it was, byte for byte. In one that was, the
    entry alone goes, or what stood in its place comes back.
    """
    records = Records(home, editor.name)
    if file is None:
        file = editor.place(around)
        if records.get(real_file(file)) is None and len(records.files) == 1:
            (file,) = records.files
    real = real_file(file)
    before, record = read_file(real), records.get(real)
    after: str | None
    if before is None:
        after = None
    elif record is not None and digest(before) == record.after:
        after = record.before
    elif editor.keys:
        text, known = before, record or Record(None, "", None, 0, ())
        after = _edited(file, lambda: without_entry(text, editor, known.previous, known.parents))
    else:
        _require_ours(file, before)
        after = None
    return Change(editor, file, real, before, after)


def apply(change: Change, home: Path) -> Path | None:
    """Carry a change out; return where a first copy of the file went, if one was made.

    Raises ``ConfigError``; then the file is as it was.
    """
    if read_file(change.real) != change.before:
        raise ConfigError(f"{change.file} has changed meanwhile.\nRun this again.")
    records = Records(home, change.editor.name)
    if change.record is None:
        _take_out(change, records)
        return None
    copy = None
    if change.before is not None and change.editor.keys:
        copy = records.back_up(change.real, change.before)
    folders = tuple(str(f) for f in reversed(change.real.parents) if not f.exists())
    record = replace(change.record, folders=change.record.folders or folders)
    records.keep(change.real, record)  # before the write: a crash between the two loses nothing
    write_file(change.real, change.after or "")
    return copy


def _take_out(change: Change, records: Records) -> None:
    record = records.get(change.real)
    if change.after is None:
        remove_file(change.real, record.folders if record else ())
    elif not change.nothing:
        write_file(change.real, change.after)
    records.forget(change.real)


def rows(around: Surroundings, program: Program, home: Path) -> list[Row]:
    """Return every editor with its file and whether Hermes is in it; nothing is changed."""
    return [_row(editor, around, program, home) for editor in EDITORS]


def _row(editor: Editor, around: Surroundings, program: Program, home: Path) -> Row:
    file = editor.place(around)
    try:
        known = [one for one in Records(home, editor.name).files if one != real_file(file)]
        text = read_file(real_file(file))
        if text is None:
            state, installed = "not installed", False
        elif plan_install(editor, around, program, home).nothing:
            state, installed = "installed", True
        elif editor.keys and text_at(text, editor.keys) is None:
            state, installed = "not installed", False
        else:
            state, installed = "installed, with another command", True
        if known and not installed:
            state, installed = f"installed in {known[0]}", True
    except (ConfigError, JsoncError) as error:
        return Row(editor, file, None, str(error).partition("\n")[0])
    return Row(editor, file, installed, state)


def _record(editor: Editor, known: Record | None, before: str | None, after: str) -> Record:
    """Return what to remember: of a file that is changed again, still the state before it all."""
    text = before or ""
    previous = text_at(text, editor.keys) if editor.keys else None
    folders = () if known is None else known.folders
    if known is not None and (previous is not None or (before is not None and not editor.keys)):
        same = digest(text) == known.after
        return replace(known, after=digest(after) if same else "")
    parents = missing_parents(text, editor) if editor.keys else 0
    return Record(before, digest(after), previous, parents, folders)


def _require_ours(file: Path, text: str | None) -> None:
    if text is not None and MARK not in text:
        raise ConfigError(
            f"{file} is there already, and Hermes did not write it.\nMove it away first."
        )


def _edited(file: Path, edit: Callable[[], str]) -> str:
    try:
        return edit()
    except JsoncError as error:
        where = f"line {error.line}, column {error.column}: " if error.line else ""
        raise ConfigError(
            f"{file} cannot be changed: {where}{error.what}.\n"
            "Correct it in the editor, then run this again; nothing was written."
        ) from None
