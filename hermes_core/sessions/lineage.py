"""Where sessions come from: histories that took another's place, and sessions made by others.

A history is never rewritten. What takes its place is put under the id of a new session, a child;
the session remembers the child as its tip, and goes on to be addressed by its own id. What the
editor was shown stays with the session. Every function here raises ``StoreError``.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hermes_core.ground.errors import StoreError
from hermes_core.ground.messages import Message
from hermes_core.sessions.store import SessionRow, Store, decode, encode, insert_session

Relation = Literal["compressed", "delegated", "forked", "rewound"]
"""How a session came from its parent: its history was shortened, one of its tasks was given away,
a copy of it goes its own way, or it went back to an earlier message."""

_FORKED = "forked"

_INSERT_TIP = """
    INSERT INTO sessions (id, cwd, additional, title, mode, provider, model, system_prompt,
                          created, updated, prompted, touched, parent, relation, owner)
    SELECT :id, cwd, additional, title, mode, provider, model, system_prompt,
           :now, :now, prompted, touched, coalesce(tip, number), :relation, number
    FROM sessions WHERE id = :session
"""
_INSERT_CARRIED = """
    INSERT INTO messages (at, role, message, carried, session) VALUES (?, ?, ?, ?, ?)
"""
_SELECT_LINE = """
    SELECT s.id, p.id, s.relation, s.created
    FROM sessions s LEFT JOIN sessions p ON p.number = s.parent
    WHERE s.id = :id
       OR s.owner = (SELECT number FROM sessions WHERE id = :id)
          AND s.relation IN ('compressed', 'rewound')
    ORDER BY s.number
"""
_SELECT_CHILDREN = """
    SELECT c.id, p.id, c.relation, c.created
    FROM sessions c JOIN sessions p ON p.number = c.parent
    WHERE c.relation IN ('delegated', 'forked')
      AND (p.id = :id OR p.owner = (SELECT number FROM sessions WHERE id = :id))
    ORDER BY c.number
"""
_SELECT_CALLS = """
    SELECT m.message FROM messages m JOIN sessions s ON s.number = m.session
    WHERE m.role = 'assistant' AND m.carried = 0 AND instr(m.message, '"tool_calls"')
      AND (s.id = :id OR s.owner = (SELECT number FROM sessions WHERE id = :id)
                         AND s.relation IN ('compressed', 'rewound'))
"""


@dataclass(frozen=True, slots=True)
class Kinship:
    """A session and where it came from; ``created`` in Unix seconds."""

    id: str
    parent: str | None
    relation: Relation | None
    created: float


@dataclass(frozen=True, slots=True)
class Rest:
    """What failures before cost a session: how many in a row, and until when it waits."""

    failures: int = 0
    until: float = 0.0


def replace_history(
    store: Store,
    session_id: str,
    child_id: str,
    messages: Sequence[tuple[Message, bool]],
    shown: Sequence[Mapping[str, Any]] = (),
    *,
    relation: Literal["compressed", "rewound"] = "compressed",
) -> None:
    """Make ``messages`` the history of a session, under a child's id: all of it or nothing.

    messages: each with whether it is carried over from the history before. shown: what to add
    to the session's display log. Failures before are forgotten.
    """
    rows = [(message["role"], encode(message), carried) for message, carried in messages]
    events = [encode(event) for event in shown]
    now = time.time()
    with store.database.transaction() as db:
        values = {"id": child_id, "session": session_id, "now": now, "relation": relation}
        cursor = db.execute(_INSERT_TIP, values)
        if cursor.rowcount == 0:
            raise StoreError(f"There is no session {session_id!a} in the store.")
        child = cursor.lastrowid
        db.executemany(_INSERT_CARRIED, [(now, *row, child) for row in rows])
        db.execute(
            "UPDATE sessions SET tip = ?, compression_failures = 0, compression_rest = 0, "
            "updated = ? WHERE id = ?",
            (child, now, session_id),
        )
        db.executemany(
            "INSERT INTO shown (at, event, session) SELECT ?, ?, number FROM sessions WHERE id = ?",
            [(now, event, session_id) for event in events],
        )


def create_child(store: Store, row: SessionRow, parent_id: str, relation: Relation) -> None:
    """Add a session that another one brought about: a sub-agent's, or a copy.

    One of a sub-agent belongs to its parent, or to whom that belongs: it stands in no list and is
    deleted with it.
    """
    with store.database.transaction() as db:
        parent = db.execute(
            "SELECT coalesce(tip, number), coalesce(owner, number) FROM sessions WHERE id = ?",
            (parent_id,),
        ).fetchone()
        if parent is None:
            raise StoreError(f"There is no session {parent_id!a} in the store.")
        insert_session(db, row)
        history, eldest = parent
        owner = None if relation == _FORKED else eldest
        db.execute(
            "UPDATE sessions SET relation = ?, parent = ?, owner = ? WHERE id = ?",
            (relation, history, owner, row.id),
        )


def generations(store: Store, session_id: str) -> list[Kinship]:
    """Return the session and what took its history's place since, in order of making."""
    return [Kinship(*row) for row in store.database.rows(_SELECT_LINE, {"id": session_id})]


def children(store: Store, session_id: str) -> list[Kinship]:
    """Return the sessions that came from one, at any time of it: sub-agents' and copies."""
    return [Kinship(*row) for row in store.database.rows(_SELECT_CHILDREN, {"id": session_id})]


def tip_of(store: Store, session_id: str) -> str:
    """Return the id under which the session's history stands now; its own if it is unknown."""
    rows = store.database.rows(
        "SELECT t.id FROM sessions s JOIN sessions t ON t.number = s.tip WHERE s.id = ?",
        (session_id,),
    )
    return str(rows[0][0]) if rows else session_id


def addressed(store: Store, session_id: str) -> str:
    """Return the id by which people know the session that ``session_id`` is a history of."""
    rows = store.database.rows(
        "SELECT o.id FROM sessions s JOIN sessions o ON o.number = s.owner "
        "WHERE s.id = ? AND s.relation IN ('compressed', 'rewound')",
        (session_id,),
    )
    return str(rows[0][0]) if rows else session_id


def owner_of(store: Store, session_id: str) -> str | None:
    """Return the id of the session that this one belongs to; None for one that stands for itself.

    One with an owner is a history or a sub-agent of it, and is not opened by its own id.
    """
    rows = store.database.rows(
        "SELECT o.id FROM sessions s JOIN sessions o ON o.number = s.owner WHERE s.id = ?",
        (session_id,),
    )
    return str(rows[0][0]) if rows else None


def call_ids(store: Store, session_id: str) -> set[str]:
    """Return the ids of the tool calls of all that was ever the session's history.

    They stand on cards that the editor may be shown again, so none may be given twice.
    """
    if tip_of(store, session_id) == session_id:
        return set()
    rows = store.database.rows(_SELECT_CALLS, {"id": session_id})
    return {call["id"] for (data,) in rows for call in decode(data).get("tool_calls", ())}


def rest_of(store: Store, session_id: str) -> Rest:
    """Return what failures before cost the session."""
    rows = store.database.rows(
        "SELECT compression_failures, compression_rest FROM sessions WHERE id = ?", (session_id,)
    )
    return Rest(*rows[0]) if rows else Rest()


def set_rest(store: Store, session_id: str, rest: Rest) -> None:
    """Note what failures cost the session from now on."""
    with store.database.transaction() as db:
        db.execute(
            "UPDATE sessions SET compression_failures = ?, compression_rest = ? WHERE id = ?",
            (rest.failures, rest.until, session_id),
        )


def messages_of(store: Store, history_id: str) -> list[Message]:
    """Return the messages that stand under an id itself, whatever took their place since."""
    rows = store.database.rows(
        "SELECT message FROM messages "
        "WHERE session = (SELECT number FROM sessions WHERE id = ?) ORDER BY number",
        (history_id,),
    )
    return [decode(data) for (data,) in rows]


def return_to_history(
    store: Store, session_id: str, history_id: str, shown: Sequence[Mapping[str, Any]]
) -> None:
    """Make a history of before a session's own again, and add to its display log: all or nothing.

    history_id: the session itself, or a history that once took its place.
    """
    events = [encode(event) for event in shown]
    now = time.time()
    with store.database.transaction() as db:
        changed = db.execute(
            "UPDATE sessions SET updated = :now, tip = "
            "(SELECT number FROM sessions WHERE id = :history AND id != :id) WHERE id = :id",
            {"now": now, "history": history_id, "id": session_id},
        )
        if changed.rowcount == 0:
            raise StoreError(f"There is no session {session_id!a} in the store.")
        db.executemany(
            "INSERT INTO shown (at, event, session) SELECT ?, ?, number FROM sessions WHERE id = ?",
            [(now, event, session_id) for event in events],
        )
