"""A session as JSON, whole: what its model was sent, what was shown, what it used, its lineage.

::

    {"format": "hermes-session", "version": 1, "exported": ISO time, "history": id,
     "sessions": [{"id", "parent", "relation", "title", ..., "usage": [...],
                   "messages": [{"at", "carried", "message"}],
                   "shown": [{"at", "event"}]}, ...]}

The first of ``sessions`` is the one that people know; the others belong to it: histories that took
its own's place, and its sub-agents. ``history`` is the one that is sent to the model. Times of rows
are Unix seconds. What a session was copied from is named as its parent, and is not in the file.
"""

import dataclasses
from datetime import UTC, datetime
from typing import Any

from hermes_core.ground.version import __version__
from hermes_core.sessions.lineage import addressed, tip_of
from hermes_core.sessions.store import Store, decode
from hermes_core.sessions.titling import titled_by

FORMAT = "hermes-session"
VERSION = 1

_FAMILY = """
    SELECT s.number, s.id, p.id, s.relation, s.imported FROM sessions s
    LEFT JOIN sessions p ON p.number = s.parent
    WHERE s.id = :id OR s.owner = (SELECT number FROM sessions WHERE id = :id)
    ORDER BY s.owner NOTNULL, s.number
"""
_MESSAGES = "SELECT at, carried, message FROM messages WHERE session = ? ORDER BY number"
_SHOWN = "SELECT at, event FROM shown WHERE session = ? ORDER BY number"
_USAGE = """
    SELECT task, provider, model, calls, input, output, cached, reasoning, cost, unpriced
    FROM usage WHERE session = ? ORDER BY task, provider, model
"""
USAGE_FIELDS = (
    "task",
    "provider",
    "model",
    "calls",
    "input",
    "output",
    "cached",
    "reasoning",
    "cost",
    "unpriced",
)


def exported(store: Store, session_id: str) -> dict[str, Any]:
    """Return all that is stored of a session, ready for JSON. Raises ``StoreError``."""
    session_id = addressed(store, session_id)
    family = store.database.rows(_FAMILY, {"id": session_id})
    return {
        "format": FORMAT,
        "version": VERSION,
        "hermes": __version__,
        "exported": datetime.now(UTC).isoformat(timespec="seconds"),
        "history": tip_of(store, session_id),
        "sessions": [_session(store, row) for row in family],
    }


def _session(store: Store, family_row: tuple[Any, ...]) -> dict[str, Any]:
    number, session_id, parent, relation, foreign = family_row
    row = store.session(session_id)
    about = dataclasses.asdict(row) if row is not None else {"id": session_id}
    rows = store.database.rows
    return {
        **about,
        "titled": titled_by(store, session_id),
        "parent": parent,
        "relation": relation,
        "imported": bool(foreign),
        "usage": [dict(zip(USAGE_FIELDS, used, strict=True)) for used in rows(_USAGE, (number,))],
        "messages": [
            {"at": at, "carried": bool(carried), "message": decode(data)}
            for at, carried, data in rows(_MESSAGES, (number,))
        ],
        "shown": [{"at": at, "event": decode(data)} for at, data in rows(_SHOWN, (number,))],
    }
