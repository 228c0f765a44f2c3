"""``sessions``: those there are, what they say, and moving them in and out of the store."""

import json
import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from hermes_core.commands.seat import Seat
from hermes_core.ground.errors import HermesError
from hermes_core.ground.typed import quoted
from hermes_core.local.config import Config
from hermes_core.sessions.finding import short, titles
from hermes_core.sessions.pruning import DAY, Pruned, delete_session, prunable, prune, vacuum
from hermes_core.sessions.search import Found, find
from hermes_core.sessions.search_text import fold, words_of
from hermes_core.sessions.store import SessionRow, Store
from hermes_core.sessions.titling import seen

SHOWN = 20
FORMATS = ("json", "markdown")


def run_sessions(seat: Seat, argument: str) -> str:
    """Answer ``/sessions QUERY``: this folder's sessions, or those anywhere that fit."""
    store = seat.agent.records.store
    if argument.strip():
        return search_text(store, argument)
    rows = store.sessions(seat.cwd, limit=SHOWN)
    listed = list_text(rows, current=seat.agent.session_id)
    return f"{listed}\n\n`/resume ID` in a new session goes on with a copy of one."


def list_text(
    rows: Sequence[SessionRow],
    *,
    current: str = "",
    folders: bool = False,
    limit: int | None = None,
) -> str:
    """Return sessions as Markdown, at most ``limit``. folders: whether to tell where each is."""
    lines = [
        f"- `{short(row.id)}` {row.title or 'without a title'} · {_at(row.updated)}"
        + (f" · {row.cwd}" if folders else "")
        + (" (this one)" if row.id == current else "")
        for row in rows[:limit]
    ]
    if limit is not None and len(rows) > limit:
        lines.append("- and more; `--limit N` lists them too")
    return "\n".join(lines) or "There is no session here yet."


def search_text(store: Store, query: str, limit: int = SHOWN) -> str:
    """Return the sessions whose title or messages hold every word of ``query``, as Markdown.

    Raises ``HermesError`` for a query without a word.
    """
    words = words_of(query)
    if not words:
        raise HermesError("There is no word to look for. Type `sessions WORD`.")
    named = [one for one, title in titles(store) if _holds(title, words)][:limit]
    rows = [row for one in named if (row := store.session(one)) is not None]
    known = {row.id for row in rows}
    lines = [f"- `{short(row.id)}` {row.title} · {_at(row.updated)}" for row in rows]
    lines += [_found(one) for one in find(store, query, limit) if one.session.id not in known]
    if not lines:
        return f"No session holds all of {quoted(query.strip())} in its title or in one message."
    return "\n".join(lines[:limit])


def export_text(store: Store, session_id: str, form: str) -> str:
    """Return a session in one of ``FORMATS``. Raises ``HermesError``."""
    from hermes_core.sessions.export import exported
    from hermes_core.sessions.transcript import transcript

    if form not in FORMATS:
        raise HermesError(f"There is no format {form!r}. There are: {', '.join(FORMATS)}.")
    if form == "json":
        return json.dumps(exported(store, session_id), indent=1) + "\n"
    return transcript(store, session_id)


def write_new(path: Path, text: str, *, replace: bool = False) -> None:
    """Write a file for its owner alone; one that is there stays, unless ``replace``.

    Raises ``HermesError``.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | (os.O_TRUNC if replace else os.O_EXCL)
    try:
        with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8", errors="replace") as out:
            out.write(text)
    except FileExistsError:
        raise HermesError(f"{path} is there already. Name another file, or add --force.") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise HermesError(f"{path} cannot be written: {reason}. Name another file.") from None


def import_text(store: Store, data: bytes, cwd: Path) -> str:
    """Import a session; return what to say. Raises ``HermesError``."""
    from hermes_core.agent.importing import import_session

    session_id, notes = import_session(store, data, cwd)
    row = store.session(session_id)
    title = f" “{row.title}”" if row is not None and row.title else ""
    lines = [f"Imported as `{short(session_id)}`{title}, to go on in {cwd}."]
    lines += [f"- {note}" for note in dict.fromkeys(notes)]
    return "\n".join(lines)


def delete_text(store: Store, wanted: str) -> str:
    """Delete the session that an id, or the beginning of one, names; return what to say.

    One that is not there is no error. Raises ``HermesError`` where several fit, and for one that
    is open elsewhere.
    """
    row = session_by_id(store, wanted)
    if row is None or not delete_session(store, row.id):
        return f"There is no session {quoted(wanted)}; nothing was deleted."
    return f"Deleted `{short(row.id)}` {row.title or ''}".rstrip() + "."


def session_by_id(store: Store, wanted: str) -> SessionRow | None:
    """Return the session of an id, or of the beginning of one: titles do not count here.

    Raises ``HermesError`` where several fit.
    """
    row = store.session(wanted)
    if row is not None or not wanted:
        return row
    fitting = [one for one, _ in titles(store) if one.startswith(wanted)]
    if len(fitting) > 1:
        raise HermesError(
            f"{len(fitting)} sessions begin with {quoted(wanted)}. Name more of the id."
        )
    return store.session(fitting[0]) if fitting else None


def prune_plan(store: Store, days: float | None, keep: int | None) -> list[SessionRow]:
    """Return what pruning would delete. Raises ``HermesError`` if neither limit was named."""
    if days is None and keep is None:
        raise HermesError(
            "Nothing says what may go. Name --older-than DAYS, --keep NUMBER, or both."
        )
    return prunable(store, older_than=None if days is None else days * DAY, keep=keep)


def prune_text(rows: Sequence[SessionRow]) -> str:
    """Return what pruning would delete, as Markdown."""
    if not rows:
        return "No session is to be deleted."
    number = f"{len(rows)} session{'' if len(rows) == 1 else 's'}"
    return f"To be deleted, {number}:\n{list_text(rows, folders=True, limit=SHOWN)}"


def prune_now(store: Store, rows: Sequence[SessionRow]) -> str:
    """Delete ``rows`` and give the space back; return what to say."""
    done: Pruned = prune(store, rows)
    lines = [f"Deleted {done.deleted} session{'' if done.deleted == 1 else 's'}."]
    lines += [f"- `{short(row.id)}` is open in another Hermes and stays." for row in done.left]
    return "\n".join([*lines, vacuum_text(store)])


def forget_files(store: Store, config: Config) -> None:
    """Delete the snapshots of files whose sessions were deleted. Never raises."""
    from hermes_core.agent.checkpointing import forget_snapshots
    from hermes_core.local.environment import child_environment
    from hermes_core.sessions.checkpoints import still_needed

    environ = child_environment(config)
    forget_snapshots(config.home, environ, still_needed(store))


def vacuum_text(store: Store) -> str:
    """Give free space of the store back; return what to say."""
    return f"{vacuum(store) / 1e6:.1f} MB were given back."


def _found(one: Found) -> str:
    row = one.session
    return (
        f"- `{short(row.id)}` {row.title or 'without a title'} · {_at(one.at)} · {one.role}: "
        f"{seen(one.snippet)}"
    )


def _holds(title: str, words: Sequence[str]) -> bool:
    folded = fold(title)
    return all(word in folded for word in words)


def _at(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")
