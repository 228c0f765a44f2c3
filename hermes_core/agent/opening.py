"""Opening a session: its row in the store, new or found again, and its system prompt."""

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from hermes_core.agent.prompt.given import Instructions
from hermes_core.ground.actions import Mode
from hermes_core.ground.errors import ConfigError
from hermes_core.local.workspace import Workspace

if TYPE_CHECKING:
    from hermes_core.sessions.store import SessionRow, Store


_NOT_RESTORED = frozenset({"bypass"})


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user of ``AIAgent`` asked for; None where nothing was said."""

    session_id: str | None
    cwd: Path | None
    additional: tuple[Path, ...] | None
    mode: Mode | None
    provider: str | None
    model: str | None
    instructions: Instructions | None = None


def open_session(store: "Store", wanted: Wanted, default_mode: Mode) -> "tuple[SessionRow, bool]":
    """Return the session's row, made or brought up to date, and whether it was there before.

    What it had chosen holds again, but for a mode in which nothing is asked: that is chosen anew.
    A stored session goes on with its system prompt as long as its folders and instructions stay the
    same; a new one gets its prompt with its first turn. Raises ``ConfigError`` for a working folder
    that is none, ``StoreError`` for a session that is open in another process.
    """
    row = store.session(wanted.session_id) if wanted.session_id else None
    if row is not None and row.mode in _NOT_RESTORED and wanted.mode is None:
        wanted = replace(wanted, mode=default_mode if default_mode != row.mode else "default")
    if row is None:
        row = _new_row(wanted, default_mode)
        store.create_session(row)
        store.claim(row.id)
        return row, False
    store.claim(row.id)
    changes = _changes(row, wanted)
    if changes:
        store.update_session(row.id, **changes)
        row = replace(row, **changes)
    return row, True


def absolute(path: str | Path | None) -> Path | None:
    """Return ``path`` as an absolute one; links in it stay."""
    return None if path is None else Path(path).absolute()


def absolutes(paths: Sequence[str | Path] | None) -> tuple[Path, ...] | None:
    """Return every one of ``paths`` as an absolute one."""
    return None if paths is None else tuple(Path(path).absolute() for path in paths)


def checked_mode(mode: Mode) -> Mode:
    """Return ``mode``; raise ``ConfigError`` for a word that is none."""
    if mode not in get_args(Mode):
        raise ConfigError(f"There is no mode {mode!r}. There are: {', '.join(get_args(Mode))}.")
    return mode


def workspace_of(row: "SessionRow") -> Workspace:
    """Return the folders of a session."""
    return Workspace(Path(row.cwd), tuple(Path(path) for path in row.additional))


def title_of(text: str) -> str:
    """Return a session's first title: the first line of what the user asked, 80 characters.

    Nothing is hidden in it.
    """
    from hermes_core.sessions.titling import clean_title

    line = clean_title(next((line for line in text.splitlines() if line.strip()), ""))
    return line if len(line) <= 80 else line[:79].rstrip() + "…"


def _new_row(wanted: Wanted, default_mode: Mode) -> "SessionRow":
    from hermes_core.sessions.store import SessionRow

    cwd = wanted.cwd or Path.cwd()
    additional = wanted.additional or ()
    _require_folder(cwd)
    now = time.time()
    return SessionRow(
        id=wanted.session_id or str(uuid.uuid4()),
        cwd=str(cwd),
        additional=tuple(str(path) for path in additional),
        title=None,
        mode=wanted.mode or default_mode,
        provider=wanted.provider,
        model=wanted.model,
        instructions=wanted.instructions,
        created=now,
        updated=now,
    )


def _changes(row: "SessionRow", wanted: Wanted) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "cwd": str(wanted.cwd) if wanted.cwd else None,
        "additional": None
        if wanted.additional is None
        else tuple(str(path) for path in wanted.additional),
        "mode": wanted.mode,
        "provider": wanted.provider,
        "model": wanted.model,
        "instructions": wanted.instructions,
    }
    changes = {k: v for k, v in asked.items() if v is not None and v != getattr(row, k)}
    if "cwd" in changes or "additional" in changes:
        _require_folder(Path(changes.get("cwd", row.cwd)))
    if changes.keys() & {"cwd", "additional", "instructions"}:
        changes["system_prompt"] = None
    return changes


def _require_folder(cwd: Path) -> None:
    if not cwd.is_dir():
        raise ConfigError(f"{cwd} is not a folder. Choose an existing working folder.")
