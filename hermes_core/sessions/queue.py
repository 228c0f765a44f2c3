"""What the user said while a turn ran, kept until a model is told it.

A message is stored before its sender is told that it waits. It leaves in the transaction that puts
it into the history (``Store.append`` with ``taken``, or ``Queue.deliver``), so a process that is
killed at any moment neither loses it nor says it twice.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_core.ground.errors import StoreError
from hermes_core.ground.messages import Content, Message
from hermes_core.sessions.search_index import renew_text
from hermes_core.sessions.store import Store, decode, encode

if TYPE_CHECKING:
    from sqlite3 import Connection

MOST = 200
"""Messages that may wait in one session, those that are to steer a turn among them."""

_COUNT = """
    SELECT count(*) FROM queue WHERE session = (SELECT number FROM sessions WHERE id = ?)
"""
_INSERT = """
    INSERT INTO queue (at, steer, content, session)
    SELECT ?, ?, ?, number FROM sessions WHERE id = ?
"""
_SELECT = """
    SELECT number, content, steer, at FROM queue
    WHERE session = (SELECT number FROM sessions WHERE id = ?) ORDER BY steer DESC, number
"""
_DELETE = """
    DELETE FROM queue
    WHERE number = ? AND session = (SELECT number FROM sessions WHERE id = ?)
"""
_DELETE_ALL = "DELETE FROM queue WHERE session = (SELECT number FROM sessions WHERE id = ?)"
_SELECT_LAST = """
    SELECT number, message FROM messages
    WHERE session = (SELECT coalesce(tip, number) FROM sessions WHERE id = ?)
    ORDER BY number DESC LIMIT 1
"""
_UPDATE_MESSAGE = "UPDATE messages SET message = ? WHERE number = ?"
_INSERT_SHOWN = """
    INSERT INTO shown (at, event, session) SELECT ?, ?, number FROM sessions WHERE id = ?
"""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message that waits. ``steer``: meant for the turn that ran; ``at``: Unix seconds."""

    number: int
    content: Content
    steer: bool = False
    at: float = 0.0


class Queue:
    """The messages of one session that wait; every thread may use it.

    What a method wrote is on the disk when it returns. Every method raises ``StoreError``.
    """

    def __init__(self, store: Store, session_id: str) -> None:
        self._db = store.database
        self._session_id = session_id

    def add(self, content: Content, *, steer: bool = False) -> Waiting:
        """Keep a message; its number is greater than that of every one before.

        Raises ``StoreError`` also where too many wait.
        """
        at, data = time.time(), encode(content)
        with self._db.transaction() as db:
            if db.execute(_COUNT, (self._session_id,)).fetchone()[0] >= MOST:
                raise StoreError(
                    f"Not kept: {MOST} messages wait in this session already. Let some be sent, or "
                    "forget some with `/queue drop` or `/queue clear`."
                )
            cursor = db.execute(_INSERT, (at, steer, data, self._session_id))
            if cursor.rowcount == 0:
                raise StoreError(f"There is no session {self._session_id!a} in the store.")
            return Waiting(cursor.lastrowid or 0, content, steer, at)

    def all(self) -> list[Waiting]:
        """Return what waits, in order; what was meant to steer a turn comes first."""
        rows = self._db.rows(_SELECT, (self._session_id,))
        return [Waiting(number, decode(data), bool(steer), at) for number, data, steer, at in rows]

    def drop(self, numbers: Iterable[int]) -> int:
        """Forget messages by their numbers; return how many there were."""
        with self._db.transaction() as db:
            return sum(
                db.execute(_DELETE, (number, self._session_id)).rowcount for number in numbers
            )

    def clear(self) -> int:
        """Forget all messages; return how many there were."""
        with self._db.transaction() as db:
            return db.execute(_DELETE_ALL, (self._session_id,)).rowcount

    def deliver(
        self,
        numbers: Sequence[int],
        before: Message,
        after: Message,
        shown: Sequence[Mapping[str, Any]],
    ) -> None:
        """Put ``after`` in the place of the history's last message, which is ``before``.

        In the same transaction the messages of these numbers leave the queue, and ``shown`` comes
        into the display log. Raises ``StoreError`` if the history ends otherwise.
        """
        old, new = encode(before), encode(after)
        events = [encode(event) for event in shown]
        with self._db.transaction() as db:
            self._replace(db, old, new)
            for number in numbers:
                db.execute(_DELETE, (number, self._session_id))
            for event in events:
                db.execute(_INSERT_SHOWN, (time.time(), event, self._session_id))

    def _replace(self, db: "Connection", old: str, new: str) -> None:
        last = db.execute(_SELECT_LAST, (self._session_id,)).fetchone()
        if last is None or last[1] != old:
            raise StoreError("The stored history does not end as it should; nothing was changed.")
        db.execute(_UPDATE_MESSAGE, (new, last[0]))
        renew_text(db, last[0], decode(new))
