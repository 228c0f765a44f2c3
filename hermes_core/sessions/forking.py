"""Copies of a session that go their own way, from its end or from any message of it.

A fork knows what it came from, and stays when that is deleted. Where a message of the user is
named, the fork ends before it, so that another can be sent in its place; where one of the model
is, it ends with the turn that holds it. Turns are the units: what a checkpoint was made of.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermes_core.ground.errors import StoreError
from hermes_core.sessions.search_index import add_text
from hermes_core.sessions.store import SessionRow, Store, decode, insert_session

if TYPE_CHECKING:
    from sqlite3 import Connection

_SOURCE = "SELECT number, coalesce(tip, number) FROM sessions WHERE id = ? AND owner IS NULL"
_MESSAGES = """
    INSERT INTO messages (at, role, message, carried, session)
    SELECT at, role, message, 1, ? FROM messages WHERE session = ? ORDER BY number LIMIT ?
"""
_SHOWN = """
    INSERT INTO shown (at, event, session)
    SELECT at, event, :target FROM shown
    WHERE session = :source AND (:before IS NULL OR number < :before) ORDER BY number
"""
_MARK = """
    UPDATE sessions SET (titled, imported) = (
            SELECT titled, imported FROM sessions WHERE number = :source),
        prompted = EXISTS (SELECT 1 FROM messages WHERE session = :target AND role = 'user'),
        parent = :history, relation = 'forked'
    WHERE number = :target
"""
_PLACE = """
    SELECT number, json_extract(event, '$.event') FROM shown
    WHERE session = ? AND json_extract(event, '$.message_id') = ? ORDER BY number LIMIT 1
"""
_CHECKPOINTS = """
    SELECT c.message_id, c.history, c.length, c.undone IS NULL,
           (SELECT min(number) FROM shown WHERE session = c.session
             AND json_extract(event, '$.event') = 'UserPrompted'
             AND json_extract(event, '$.message_id') = c.message_id)
    FROM checkpoints c WHERE c.session = ? ORDER BY c.number
"""


@dataclass(frozen=True, slots=True)
class _Cut:
    """Where a fork ends. history, length: which messages, -1 for all; before: in the log."""

    history: int
    length: int = -1
    before: int | None = None


def fork(store: Store, source_id: str, row: SessionRow, message_id: str = "") -> None:
    """Add ``row`` as a copy of a session, with its history and display log: all of it or nothing.

    message_id: where it ends, as the editor was shown it, ``""`` for the end of the session.
    Raises ``StoreError``, also for a message that there is not.
    """
    with store.database.transaction() as db:
        found = db.execute(_SOURCE, (source_id,)).fetchone()
        if found is None:
            raise StoreError(f"There is no session {source_id!a} in the store.")
        source, tip = found
        cut = _cut(db, source, tip, message_id) if message_id else _Cut(tip)
        insert_session(db, row)
        (target,) = db.execute("SELECT number FROM sessions WHERE id = ?", (row.id,)).fetchone()
        db.execute(_MESSAGES, (target, cut.history, cut.length))
        copied = db.execute("SELECT number, message FROM messages WHERE session = ?", (target,))
        for number, data in copied.fetchall():
            add_text(db, number, decode(data))
        db.execute(_SHOWN, {"target": target, "source": source, "before": cut.before})
        db.execute(_MARK, {"source": source, "history": cut.history, "target": target})


def _cut(db: "Connection", source: int, tip: int, message_id: str) -> _Cut:
    place = db.execute(_PLACE, (source, message_id)).fetchone()
    if place is None:
        raise StoreError(f"There is no message {message_id!a} in the session.")
    number, kind = place
    checkpoints = db.execute(_CHECKPOINTS, (source,)).fetchall()
    if kind == "UserPrompted":
        return _before_prompt(checkpoints, message_id)
    following = [one for one in checkpoints if one[3] and (one[4] or 0) > number]
    if following:
        _, history, length, _, before = following[0]
        return _Cut(history, length, before)
    if not checkpoints:
        raise StoreError("Where this message stood was not kept. Fork the whole session instead.")
    return _Cut(tip)


def _before_prompt(checkpoints: list[tuple[str, int, int, int, int]], message_id: str) -> _Cut:
    for known, history, length, stands, before in checkpoints:
        if known == message_id and stands:
            return _Cut(history, length, before)
    raise StoreError(
        "A fork cannot begin at this message: it was taken back, or no model was sent it."
    )
