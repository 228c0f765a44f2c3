"""Putting sessions away: they stay as they are, and stand only in lists that ask for them."""

from hermes_core.sessions.store import Store


def set_archived(store: Store, session_id: str, archived: bool) -> bool:
    """Put a session away or bring it back; return whether there is such a session.

    It keeps its place in the list. Raises ``StoreError``.
    """
    with store.database.transaction() as db:
        changed = db.execute(
            "UPDATE sessions SET archived = ? WHERE id = ? AND owner IS NULL",
            (archived, session_id),
        )
        return bool(changed.rowcount)
