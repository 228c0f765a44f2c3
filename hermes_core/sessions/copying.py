"""Taking over what another session holds, into one that has no message yet."""

from typing import TYPE_CHECKING

from hermes_core.ground.errors import StoreError
from hermes_core.sessions.inherited import copy_checkpoints
from hermes_core.sessions.search_index import add_text
from hermes_core.sessions.store import Store, decode, encode

if TYPE_CHECKING:
    from sqlite3 import Connection

_NUMBERS = """
    SELECT s.number, coalesce(s.tip, s.number), t.number FROM sessions s, sessions t
    WHERE s.id = ? AND t.id = ?
"""
_TAKEN = "SELECT 1 FROM messages WHERE session = ? LIMIT 1"
_MESSAGES = """
    INSERT INTO messages (at, role, message, carried, session)
    SELECT at, role, message, 1, ? FROM messages WHERE session = ? ORDER BY number
"""
_SHOWN = """
    INSERT INTO shown (at, event, session)
    SELECT at, event, ? FROM shown WHERE session = ? ORDER BY number
"""
_MARK = """
    UPDATE sessions SET (titled, imported, prompted) = (
            SELECT titled, imported, 1 FROM sessions WHERE number = :source),
        title = :title, parent = :history, relation = 'forked'
    WHERE number = :target
"""


def take_over(store: Store, source_id: str, target_id: str, title: str | None = None) -> None:
    """Make an empty session a copy of another, with its history, its display log and a title.

    The copy knows what it came from; folders, mode and model stay its own. All of it or nothing.
    Raises ``StoreError``, also for a target that holds messages.
    """
    with store.database.transaction() as db:
        found = db.execute(_NUMBERS, (source_id, target_id)).fetchone()
        if found is None:
            raise StoreError(f"There is no session {source_id!a} in the store.")
        source, history, target = found
        if db.execute(_TAKEN, (target,)).fetchone():
            raise StoreError("The session holds messages already, so no other can take its place.")
        db.execute(_MESSAGES, (target, history))
        _make_findable(db, target)
        db.execute(_SHOWN, (target, source))
        copy_checkpoints(db, source, target)
        values = {"source": source, "history": history, "target": target, "title": encode(title)}
        db.execute(_MARK, values)


def _make_findable(db: "Connection", target: int) -> None:
    """A copy is found even when what it was made of is gone; see ``search`` for what is told."""
    rows = db.execute("SELECT number, message FROM messages WHERE session = ?", (target,))
    for number, data in rows.fetchall():
        add_text(db, number, decode(data))
