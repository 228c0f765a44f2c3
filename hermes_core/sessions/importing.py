"""Writing what a file holds into the store: new sessions under new ids, all of it or nothing."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermes_core.ground.messages import Message
from hermes_core.sessions.imported import Imported, ImportedSession
from hermes_core.sessions.search_index import add_text
from hermes_core.sessions.store import SessionRow, Store, encode, insert_session
from hermes_core.sessions.usage import Used

if TYPE_CHECKING:
    from sqlite3 import Connection

Mend = Callable[[Sequence[Message]], tuple[list[Message], list[str]]]
"""Returns messages in the order that a history must keep, and a note for each change."""

_INSERT_MESSAGE = """
    INSERT INTO messages (at, role, message, carried, session) VALUES (?, ?, ?, ?, ?)
"""
_INSERT_SHOWN = "INSERT INTO shown (at, event, session) VALUES (?, ?, ?)"
_INSERT_USED = """
    INSERT OR IGNORE INTO usage (session, task, provider, model, calls, input, output, cached,
                                 reasoning, cost, unpriced)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_MARK = "UPDATE sessions SET imported = 1, prompted = ?, titled = ? WHERE number = ?"
_KIN = "UPDATE sessions SET owner = ?, parent = ?, relation = ? WHERE number = ?"


@dataclass(frozen=True, slots=True)
class Destination:
    """Where imported sessions belong: the folder, and what a new session is begun with there."""

    cwd: str
    system_prompt: str | None = None


def write_import(
    store: Store, found: Imported, to: Destination, mend: Mend
) -> tuple[str, list[str]]:
    """Store what a file holds; return the new id of its session, and what was put right.

    Raises ``StoreError``; nothing is stored then.
    """
    notes = list(found.notes)
    ids = {one.id: str(uuid.uuid4()) for one in found.sessions}
    numbers: dict[str, int] = {}
    with store.database.transaction() as db:
        for one in found.sessions:
            messages, changes = mend([message for _, _, message in one.messages])
            notes += changes
            numbers[one.id] = _write(db, one, ids[one.id], messages, changed=bool(changes), to=to)
        head = numbers[found.sessions[0].id]
        for one in found.sessions[1:]:
            parent = numbers.get(one.parent or "", head)
            db.execute(_KIN, (head, parent, one.relation, numbers[one.id]))
        if found.history != found.sessions[0].id:
            db.execute(
                "UPDATE sessions SET tip = ? WHERE number = ?", (numbers[found.history], head)
            )
    return ids[found.sessions[0].id], notes


def is_imported(store: Store, session_id: str) -> bool:
    """Return whether a session, or one that it came from, was read from a file."""
    above = """
        WITH RECURSIVE line (number, parent, imported) AS (
            SELECT number, coalesce(parent, owner), imported FROM sessions WHERE id = ?
            UNION SELECT s.number, coalesce(s.parent, s.owner), s.imported
            FROM sessions s JOIN line ON s.number = line.parent)
        SELECT max(imported) FROM line
    """
    return bool(store.database.rows(above, (session_id,))[0][0])


def _write(
    db: "Connection",
    one: ImportedSession,
    new_id: str,
    messages: Sequence[Message],
    *,
    changed: bool,
    to: Destination,
) -> int:
    """Store one session. What was put right loses the times and marks of its messages."""
    row = SessionRow(
        id=new_id,
        cwd=to.cwd,
        title=one.title or None,
        system_prompt=to.system_prompt,
        created=one.created,
        updated=one.updated,
    )
    insert_session(db, row)
    number = int(db.execute("SELECT number FROM sessions WHERE id = ?", (new_id,)).fetchone()[0])
    rows = one.messages
    if changed:
        rows = [(one.updated, False, message) for message in messages]
    for at, carried, message in rows:
        values = (at, message["role"], encode(message), carried, number)
        added = db.execute(_INSERT_MESSAGE, values).lastrowid
        if added is not None and not carried:
            add_text(db, added, message)
    db.executemany(_INSERT_SHOWN, [(at, encode(event), number) for at, event in one.shown])
    db.executemany(_INSERT_USED, [_values(number, used) for used in one.used])
    prompted = any(message["role"] == "user" for message in messages)
    db.execute(_MARK, (prompted, "model" if one.title else "prompt", number))
    return number


def _values(number: int, used: Used) -> tuple[object, ...]:
    counts = used.usage
    return (
        number,
        *(used.task, used.provider, used.model, used.calls),
        *(counts.input, counts.output, counts.cached, counts.reasoning),
        *(used.cost, used.unpriced),
    )
