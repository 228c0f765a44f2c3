"""Full-text search over everything that was said in sessions.

Every word of a query has to stand in the same message, as a part of a word too. Of one lineage (a
session, what took its history's place, its sub-agents, its copies) only the newest find is told.
Words too short for the index are looked for by substring; so is everything where there is no
index.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hermes_core.ground.errors import StoreError
from hermes_core.sessions.database import Database
from hermes_core.sessions.search_index import is_current
from hermes_core.sessions.search_text import match_expression, snippet, text_of_stored, words_of
from hermes_core.sessions.store import SessionRow, Store

_FIND = """
    SELECT m.session, max(m.number), count(*) FROM {source} JOIN messages m ON m.number = t.message
    WHERE {conditions} GROUP BY m.session ORDER BY 2 DESC
"""
_INDEX = "texts_index i CROSS JOIN texts t ON t.message = i.rowid CROSS"
_TEXTS = "texts t CROSS"
_NOT_NOW = """
    NOT (m.session = :now OR m.number > :since AND m.session IN (
        SELECT number FROM sessions WHERE number = :head OR owner = :head))
"""
_CURRENT = "SELECT coalesce(tip, number), coalesce(owner, number) FROM sessions WHERE id = ?"
_KIN = "SELECT number, coalesce(owner, parent) FROM sessions WHERE coalesce(owner, parent) NOTNULL"
_FOUND = """
    SELECT coalesce(o.id, s.id), m.role, m.at, m.message
    FROM messages m JOIN sessions s ON s.number = m.session
    LEFT JOIN sessions o ON o.number = s.owner
    WHERE m.number = ?
"""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    """A find: the session as people know it, and the newest message of it that fits.

    at: when the message was stored, Unix seconds. count: how many messages of its lineage fit.
    """

    session: SessionRow
    role: str
    at: float
    snippet: str
    count: int


@dataclass(frozen=True, slots=True)
class Now:
    """The conversation that asks: what its model is sent anyhow is no find.

    since: the number of the last message before the running turn.
    """

    session_id: str
    since: int


def find(store: Store, query: str, limit: int = 10, now: Now | None = None) -> list[Found]:
    """Return the newest finds, at most ``limit``; none for a query without a word.

    Raises ``StoreError``.
    """
    words = words_of(query)
    if not words:
        return []
    rows = _rows(store.database, words, now)
    above = dict(store.database.rows(_KIN))
    return _told(store, _newest_of_lineages(rows, above)[:limit], words)


def newest_message(store: Store) -> int:
    """Return the number of the message that was stored last, 0 for none."""
    return int(store.database.rows("SELECT coalesce(max(number), 0) FROM messages")[0][0])


def _rows(db: Database, words: Sequence[str], now: Now | None) -> list[tuple[Any, ...]]:
    conditions, values = _leave_out(db, now)
    for place, word in enumerate(words):
        conditions.append(f"instr(t.text, :word{place})")
        values[f"word{place}"] = word
    expression = match_expression(words)
    if expression and is_current(db):
        fits = " AND ".join(["texts_index MATCH :match", *conditions])
        try:
            return db.rows(
                _FIND.format(source=_INDEX, conditions=fits), {**values, "match": expression}
            )
        except StoreError as error:
            _log.warning("searching without the index: %s", error)
    return db.rows(_FIND.format(source=_TEXTS, conditions=" AND ".join(conditions)), values)


def _leave_out(db: Database, now: Now | None) -> tuple[list[str], dict[str, Any]]:
    current = db.rows(_CURRENT, (now.session_id,)) if now else []
    if not current or now is None:
        return [], {}
    tip, head = current[0]
    return [_NOT_NOW], {"now": tip, "head": head, "since": now.since}


def _told(store: Store, finds: Sequence[tuple[int, int]], words: Sequence[str]) -> list[Found]:
    told: list[Found] = []
    for message, count in finds:
        for session_id, role, at, data in store.database.rows(_FOUND, (message,)):
            row = store.session(session_id)
            if row is not None:  # else it was deleted just now
                piece = snippet(text_of_stored(data), words)
                told.append(Found(row, role, at, piece, count))
    return told


def _newest_of_lineages(
    rows: Sequence[tuple[Any, ...]], above: Mapping[int, int]
) -> list[tuple[int, int]]:
    """Return for each lineage its newest message and how many fit, in the order of ``rows``.

    rows: session, newest message, count; the newest first. above: what a session came from.
    """
    finds: dict[int, tuple[int, int]] = {}
    for session, message, count in rows:
        root = _root(session, above)
        newest, known = finds.get(root, (message, 0))
        finds[root] = (newest, known + count)
    return list(finds.values())


def _root(session: int, above: Mapping[int, int]) -> int:
    seen: set[int] = set()
    while session not in seen and (upper := above.get(session)) is not None:
        seen.add(session)
        session = upper
    return session
