"""Copies of a session that go their own way, from its end or from any message of it.

A fork knows what it came from, and stays when that is deleted. Where a message of the user is
named, the fork ends before it, so that another can be sent in its place; where one of the model
is, it ends with the turn that holds it. Turns are the units: what a checkpoint was made of.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from hermes_core.ground.errors import StoreError
from hermes_core.sessions.inherited import copy_checkpoints
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
             AND json_extract(event, '$.message_id') = c.message_id),
           c.number
    FROM checkpoints c WHERE c.session = ? ORDER BY c.number
"""


@dataclass(frozen=True, slots=True)
class _Cut:
    """Where a fork ends. history, length: which messages, -1 for all; before: in the log.

    checkpoint: the first that is not in it, None for none.
    """

    history: int
    length: int = -1
    before: int | None = None
    checkpoint: int | None = None


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
        copy_checkpoints(db, source, target, cut.checkpoint)
        db.execute(_MARK, {"source": source, "history": cut.history, "target": target})


class _Turn(NamedTuple):
    """A checkpoint of the source. prompted: where its prompt stands in the log, if it does."""

    message_id: str
    history: int
    length: int
    stands: bool
    prompted: int | None
    number: int

    @property
    def cut(self) -> _Cut:
        """Where a copy ends that has not this turn."""
        return _Cut(self.history, self.length, self.prompted, self.number)


def _cut(db: "Connection", source: int, tip: int, message_id: str) -> _Cut:
    place = db.execute(_PLACE, (source, message_id)).fetchone()
    if place is None:
        raise StoreError(f"There is no message {message_id!a} in the session.")
    number, kind = place
    turns = [_Turn(*row) for row in db.execute(_CHECKPOINTS, (source,))]
    if kind == "UserPrompted":
        return _before_prompt(turns, message_id)
    following = [one for one in turns if one.stands and (one.prompted or 0) > number]
    if following:
        return following[0].cut
    if not turns:
        raise StoreError("Where this message stood was not kept. Fork the whole session instead.")
    return _Cut(tip)


def _before_prompt(turns: list[_Turn], message_id: str) -> _Cut:
    for turn in turns:
        if turn.message_id == message_id and turn.stands:
            return turn.cut
    raise StoreError(
        "A fork cannot begin at this message: it was taken back, or no model was sent it."
    )
