"""Sessions on the disk: what each was, what its model is sent, what its editor was shown."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_core.ground.actions import Mode
from hermes_core.ground.errors import StoreError
from hermes_core.ground.messages import Message
from hermes_core.sessions.claims import Claims
from hermes_core.sessions.database import Database
from hermes_core.sessions.search_index import add_text, prepare

if TYPE_CHECKING:
    from sqlite3 import Connection

FILE_NAME = "hermes_sessions.db"
"""The store's name in ``$HERMES_HOME``."""

_PAGE = 1_000

_INSERT_SESSION = """
    INSERT INTO sessions (id, created, updated, cwd, additional, title, mode, provider, model,
                          system_prompt, effort, speed, instructions, second_opinion, touched)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
            (SELECT coalesce(max(touched), 0) + 1 FROM sessions))
"""
_SELECT_SESSION = """
    SELECT id, cwd, additional, title, mode, provider, model, system_prompt, effort, speed,
           instructions, second_opinion, created, updated, archived
    FROM sessions WHERE id = ?
"""
_SELECT_SESSIONS = """
    SELECT id, cwd, additional, title, mode, provider, model, system_prompt, effort, speed,
           instructions, second_opinion, created, updated, archived
    FROM sessions
    WHERE prompted = 1 AND owner IS NULL AND (:cwd IS NULL OR cwd = :cwd)
      AND (:touched IS NULL OR touched < :touched) AND (:updated IS NULL OR updated < :updated)
      AND (:archived IS NULL OR archived = :archived)
    ORDER BY touched DESC LIMIT :limit
"""
_UPDATE = {
    "cwd": "UPDATE sessions SET cwd = ? WHERE id = ?",
    "additional": "UPDATE sessions SET additional = ? WHERE id = ?",
    "title": "UPDATE sessions SET title = ? WHERE id = ?",
    "mode": "UPDATE sessions SET mode = ? WHERE id = ?",
    "provider": "UPDATE sessions SET provider = ? WHERE id = ?",
    "model": "UPDATE sessions SET model = ? WHERE id = ?",
    "system_prompt": "UPDATE sessions SET system_prompt = ? WHERE id = ?",
    "effort": "UPDATE sessions SET effort = ? WHERE id = ?",
    "speed": "UPDATE sessions SET speed = ? WHERE id = ?",
    "instructions": "UPDATE sessions SET instructions = ? WHERE id = ?",
    "second_opinion": "UPDATE sessions SET second_opinion = ? WHERE id = ?",
}
_TOUCH = """
    UPDATE sessions
    SET updated = ?, prompted = prompted | ?,
        touched = (SELECT coalesce(max(touched), 0) + 1 FROM sessions)
    WHERE id = ?
"""
_INSERT_MESSAGE = """
    INSERT INTO messages (at, role, message, session)
    SELECT ?, ?, ?, coalesce(tip, number) FROM sessions WHERE id = ?
"""
_SELECT_MESSAGES = """
    SELECT message FROM messages
    WHERE session = (SELECT coalesce(tip, number) FROM sessions WHERE id = ?) ORDER BY number
"""
_INSERT_SHOWN = """
    INSERT INTO shown (at, event, session) SELECT ?, ?, number FROM sessions WHERE id = ?
"""
_TAKE = "DELETE FROM queue WHERE number = ?"
_SELECT_SHOWN = """
    SELECT number, event FROM shown
    WHERE session = (SELECT number FROM sessions WHERE id = ?) AND number > ?
    ORDER BY number LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session without its messages; times are Unix seconds.

    effort: how much the model is to think; speed: how fast it is served; None where only the
    configuration says. instructions: what its opener says of the work in it: how, and the text.
    second_opinion: whether a model looks at what would run unasked; None: as configured.
    """

    id: str
    cwd: str
    additional: tuple[str, ...] = ()
    title: str | None = None
    mode: Mode = "default"
    provider: str | None = None
    model: str | None = None
    system_prompt: str | None = None
    effort: str | None = None
    speed: str | None = None
    instructions: tuple[str, str] | None = None
    second_opinion: bool | None = None
    created: float = 0.0
    updated: float = 0.0
    archived: bool = False


class Store:
    """The session store of one home. Open it once per process; every thread may use it.

    What a method wrote is on the disk when it returns. Other processes may use the same file at
    the same time. ``notices`` holds what a person should be told about its opening. Every method
    raises ``StoreError``. A session whose history was replaced (see ``lineage``) is still addressed
    by its own id: messages are read from the child that holds them now, and added to it.
    """

    def __init__(self, path: Path) -> None:
        self._db = Database(path)
        prepare(self._db)
        self._claims = Claims(path.with_name(path.name + ".lock"))
        self.notices = self._db.notices

    @property
    def database(self) -> Database:
        """The file itself, for the other modules of this room."""
        return self._db

    def create_session(self, row: SessionRow) -> None:
        """Add a session; ``created`` and ``updated`` are set to now where they are 0."""
        with self._db.transaction() as db:
            insert_session(db, row)

    def session(self, session_id: str) -> SessionRow | None:
        """Return one session, or None if there is none of that id."""
        rows = self._db.rows(_SELECT_SESSION, (session_id,))
        return _session(rows[0]) if rows else None

    def update_session(self, session_id: str, **changes: Any) -> None:
        """Change fields of a session: those of ``SessionRow`` but id, times and archived."""
        unknown = changes.keys() - _UPDATE.keys()
        if unknown:
            raise TypeError(f"a session has no changeable {', '.join(sorted(unknown))}")
        with self._db.transaction() as db:
            for name, value in changes.items():
                db.execute(_UPDATE[name], (encode(value), session_id))
            _touch(db, session_id, prompted=False)

    def sessions(
        self,
        cwd: str | None = None,
        limit: int = 50,
        before: tuple[float, str] | None = None,
        *,
        archived: bool | None = None,
    ) -> list[SessionRow]:
        """Return sessions that hold a user's message, the last changed first.

        cwd: only those of this folder. before: ``(updated, id)`` of the last row of the page
        before. archived: only those that are, or are not. The order is that of the changes,
        whatever the clock said.
        """
        touched = updated = None
        if before is not None:
            known = self._db.rows("SELECT touched FROM sessions WHERE id = ?", (before[1],))
            touched, updated = (known[0][0], None) if known else (None, before[0])
        rows = self._db.rows(
            _SELECT_SESSIONS,
            {
                "cwd": None if cwd is None else encode(cwd),
                "touched": touched,
                "updated": updated,
                "archived": archived,
                "limit": limit,
            },
        )
        return [_session(row) for row in rows]

    def append_message(self, session_id: str, message: Message) -> int:
        """Add a message to the history; return its number, which grows with every message."""
        data = encode(message)
        with self._db.transaction() as db:
            return _add_message(db, session_id, message, data)

    def messages(self, session_id: str) -> list[Message]:
        """Return the history, in order."""
        rows = self._db.rows(_SELECT_MESSAGES, (session_id,))
        return [decode(data) for (data,) in rows]

    def append_shown(self, session_id: str, data: Mapping[str, Any]) -> int:
        """Add an event to the display log; return its number."""
        event = encode(data)
        with self._db.transaction() as db:
            return _add_shown(db, session_id, event)

    def shown(self, session_id: str) -> Iterator[dict[str, Any]]:
        """Iterate over the display log, in order; what is added meanwhile comes too."""
        last = 0
        while rows := self._db.rows(_SELECT_SHOWN, (session_id, last, _PAGE)):
            for number, data in rows:
                last = number
                yield decode(data)

    def append(
        self,
        session_id: str,
        messages: Sequence[Message],
        shown: Sequence[Mapping[str, Any]],
        *,
        taken: int | None = None,
    ) -> None:
        """Add messages and events, all of them or none.

        taken: the number under which the user's message waited (see ``queue``); it does so no
        more. Raises ``StoreError`` if it was dropped or taken before.
        """
        coded = [(message, encode(message)) for message in messages]
        events = [encode(event) for event in shown]
        with self._db.transaction() as db:
            for message, data in coded:
                _add_message(db, session_id, message, data)
            for event in events:
                _add_shown(db, session_id, event)
            if taken is not None and db.execute(_TAKE, (taken,)).rowcount == 0:
                raise StoreError("The message does not wait any more, so it was not sent again.")

    def claim(self, session_id: str) -> None:
        """Make this process the one that works on a session, until it releases it or ends.

        Raises ``StoreError`` if another living process does so.
        """
        if not self._claims.take(self._number(session_id)):
            raise StoreError(
                f"The session {session_id} is open in another Hermes. Close it there first, or "
                "begin a new session."
            )

    def release(self, session_id: str) -> None:
        """Let other processes work on a session."""
        self._claims.release(self._number(session_id))

    def delete(self, session_id: str) -> bool:
        """Delete a session and all that belongs to it; return whether there was one.

        Raises ``StoreError`` if another living process works on it.
        """
        if self.session(session_id) is None:
            return False
        number = self._number(session_id)
        self.claim(session_id)
        try:
            with self._db.transaction() as db:
                return bool(db.execute("DELETE FROM sessions WHERE id = ?", (session_id,)).rowcount)
        finally:
            self._claims.release(number)

    def close(self) -> None:
        """Close the file and give claimed sessions back."""
        self._claims.close()
        self._db.close()

    def _number(self, session_id: str) -> int:
        rows = self._db.rows("SELECT number FROM sessions WHERE id = ?", (session_id,))
        if not rows:
            raise _no_session(session_id)
        return int(rows[0][0])


def insert_session(db: "Connection", row: SessionRow) -> None:
    """Add a session in a transaction that is open."""
    now = time.time()
    values = [encode(getattr(row, name)) for name in _UPDATE]
    if db.execute("SELECT 1 FROM sessions WHERE id = ?", (row.id,)).fetchone():
        raise StoreError(f"There is a session {row.id!a} already.")
    db.execute(_INSERT_SESSION, (row.id, row.created or now, row.updated or now, *values))


def _add_message(db: "Connection", session_id: str, message: Message, data: str) -> int:
    role = message["role"]
    _touch(db, session_id, prompted=role == "user")
    cursor = db.execute(_INSERT_MESSAGE, (time.time(), role, data, session_id))
    number = cursor.lastrowid or 0
    add_text(db, number, message)
    return number


def _add_shown(db: "Connection", session_id: str, event: str) -> int:
    cursor = db.execute(_INSERT_SHOWN, (time.time(), event, session_id))
    if cursor.rowcount == 0:
        raise _no_session(session_id)
    return cursor.lastrowid or 0


def _touch(db: "Connection", session_id: str, *, prompted: bool) -> None:
    if db.execute(_TOUCH, (time.time(), prompted, session_id)).rowcount == 0:
        raise _no_session(session_id)


def _no_session(session_id: str) -> StoreError:
    return StoreError(f"There is no session {session_id!a} in the store.")


def _session(row: tuple[Any, ...]) -> SessionRow:
    session_id, cwd, additional, *texts, created, updated, archived = row
    title, mode, provider, model, system_prompt, effort, speed, *others = map(decode, texts)
    instructions, second_opinion = others
    return SessionRow(
        id=session_id,
        cwd=decode(cwd),
        additional=tuple(decode(additional)),
        title=title,
        mode=mode,
        provider=provider,
        model=model,
        system_prompt=system_prompt,
        effort=effort,
        speed=speed,
        instructions=(instructions[0], instructions[1]) if instructions else None,
        second_opinion=second_opinion,
        created=created,
        updated=updated,
        archived=bool(archived),
    )


def encode(value: Any) -> str:
    """Return ``value`` as ASCII JSON: a lone surrogate or a NUL survives in no other form."""
    try:
        return json.dumps(value, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"This cannot be stored: {error}.") from None


def decode(data: str) -> Any:
    """Return what ``encode`` made ``data`` of; raise ``StoreError`` if it is damaged."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise StoreError("A row of the session store is damaged and cannot be read.") from None
