"""Deleting sessions, one by one or by age and number, and giving the space back."""

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass

from hermes_core.ground.errors import StoreError
from hermes_core.sessions.lineage import addressed
from hermes_core.sessions.store import SessionRow, Store

DAY = 86_400.0

_CHOOSE = """
    SELECT id, prompted, updated FROM sessions WHERE owner IS NULL ORDER BY prompted, touched DESC
"""


@dataclass(frozen=True, slots=True)
class Pruned:
    """What pruning did. left: sessions that are open in another process."""

    deleted: int
    left: tuple[SessionRow, ...] = ()


def delete_session(store: Store, session_id: str) -> bool:
    """Delete a session with all that belongs to it; return whether there was one.

    A history of a session stands for it; copies that were made of it stay. Raises ``StoreError``
    if it is open in another process.
    """
    return store.delete(addressed(store, session_id))


def prunable(
    store: Store,
    *,
    older_than: float | None = None,
    keep: int | None = None,
    now: float | None = None,
) -> list[SessionRow]:
    """Return the sessions that pruning would delete, the newest first.

    older_than: seconds since the last change. keep: how many of the newest stay, whatever else.
    Without both nothing is chosen. Sessions without a message are not counted, and go by age; by
    number alone, once they are a day old.
    """
    if older_than is None and keep is None:
        return []
    now = time.time() if now is None else now
    chosen: list[str] = []
    kept = 0
    for session_id, prompted, updated in store.database.rows(_CHOOSE):
        age = now - updated
        if not prompted:
            if age > (DAY if older_than is None else older_than):
                chosen.append(session_id)
            continue
        kept += 1
        if (keep is None or kept > keep) and (older_than is None or age > older_than):
            chosen.append(session_id)
    return [row for one in chosen if (row := store.session(one)) is not None]


def prune(store: Store, rows: Sequence[SessionRow]) -> Pruned:
    """Delete ``rows``, but for those that are open elsewhere; see ``prunable``."""
    deleted, left = 0, []
    for row in rows:
        try:
            deleted += delete_session(store, row.id)
        except StoreError:
            if store.session(row.id) is not None:
                left.append(row)
    return Pruned(deleted, tuple(left))


def vacuum(store: Store) -> int:
    """Give the space of what was deleted back to the disk; return how many bytes that were."""
    path = store.database.path

    def size() -> int:
        return sum(
            one.stat().st_size
            for suffix in ("", "-wal")
            if (one := path.with_name(path.name + suffix)).exists()
        )

    def compact(connection: sqlite3.Connection) -> None:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    before = size()
    store.database.outside_transaction(compact)
    return max(before - size(), 0)
