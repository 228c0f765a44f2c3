"""The trigram index over the texts of messages, where SQLite has FTS5.

Three triggers keep it in step with the table ``texts``, so that text and index are written in one
transaction, whoever writes. A build of SQLite without FTS5 could not even write a message while
the triggers are there: it drops them, and with that leaves the index behind. Triggers that are
missing are thus how the next build with FTS5 knows that the index is to be made anew.
"""

import logging
import sqlite3
from collections.abc import Callable

from hermes_core.ground.errors import StoreError
from hermes_core.ground.messages import Message
from hermes_core.sessions.database import Database
from hermes_core.sessions.search_text import searchable, searchable_of_stored

BATCH = 2_000
"""Old messages that are made findable in one transaction."""

_TRIGGERS = {
    "texts_added": """
        CREATE TRIGGER texts_added AFTER INSERT ON texts BEGIN
            INSERT INTO texts_index (rowid, text) VALUES (new.message, new.text);
        END
    """,
    "texts_removed": """
        CREATE TRIGGER texts_removed AFTER DELETE ON texts BEGIN
            INSERT INTO texts_index (texts_index, rowid, text)
            VALUES ('delete', old.message, old.text);
        END
    """,
    "texts_changed": """
        CREATE TRIGGER texts_changed AFTER UPDATE ON texts BEGIN
            INSERT INTO texts_index (texts_index, rowid, text)
            VALUES ('delete', old.message, old.text);
            INSERT INTO texts_index (rowid, text) VALUES (new.message, new.text);
        END
    """,
}
_CREATE = """
    CREATE VIRTUAL TABLE IF NOT EXISTS texts_index USING fts5 (
        text, content = 'texts', content_rowid = 'message', tokenize = 'trigram', detail = none
    )
"""
_REBUILD = "INSERT INTO texts_index (texts_index) VALUES ('rebuild')"
_COUNT_TRIGGERS = """
    SELECT count(*) FROM sqlite_master
    WHERE type = 'trigger' AND name IN ('texts_added', 'texts_removed', 'texts_changed')
"""
_OLD = (
    "SELECT number, message FROM messages WHERE number > ? AND number <= ? ORDER BY number LIMIT ?"
)

_log = logging.getLogger(__name__)


def has_trigrams(connection: sqlite3.Connection) -> bool:
    """Return whether this build of SQLite can make the index."""
    try:
        connection.execute(
            "CREATE VIRTUAL TABLE temp.texts_probe USING fts5 (x, tokenize = 'trigram')"
        )
        connection.execute("DROP TABLE temp.texts_probe")
    except sqlite3.Error:
        return False
    return True


def add_text(connection: sqlite3.Connection, number: int, message: Message) -> None:
    """Make a message findable, in the transaction that stores it under ``number``."""
    text = searchable(message)
    if text:
        connection.execute("INSERT INTO texts (message, text) VALUES (?, ?)", (number, text))


def renew_text(connection: sqlite3.Connection, number: int, message: Message) -> None:
    """Make a message findable as it is now, in the transaction that changes it."""
    connection.execute("DELETE FROM texts WHERE message = ?", (number,))
    add_text(connection, number, message)


def prepare(db: Database, able: Callable[[sqlite3.Connection], bool] = has_trigrams) -> None:
    """Bring the texts and their index up to date.

    What cannot be done now leaves the search without an index, and is tried at the next opening.
    able: tells whether a build of SQLite can make the index.
    """
    try:
        possible = db.outside_transaction(able)
        if not possible and is_current(db):
            _leave_index(db)
        while _work_off(db):
            pass
        if possible and not is_current(db):
            _make_index(db)
    except StoreError as error:
        _log.warning("the search index could not be prepared: %s", error)


def is_current(db: Database) -> bool:
    """Return whether the index is in step with the texts."""
    return bool(db.rows(_COUNT_TRIGGERS)[0][0] == len(_TRIGGERS))


def _leave_index(db: Database) -> None:
    with db.transaction() as connection:
        _drop_triggers(connection)
    _log.info("the search index is left behind: SQLite has no FTS5 here")


def _make_index(db: Database) -> None:
    with db.transaction() as connection:
        _drop_triggers(connection)
        connection.execute(_CREATE)
        connection.execute(_REBUILD)
        for statement in _TRIGGERS.values():
            connection.execute(statement)


def _drop_triggers(connection: sqlite3.Connection) -> None:
    for name in _TRIGGERS:
        connection.execute(f"DROP TRIGGER IF EXISTS {name}")


def _work_off(db: Database) -> bool:
    """Make some of the old messages findable; return whether there may be more of them."""
    if not db.rows("SELECT 1 FROM backlog"):
        return False
    with db.transaction() as connection:
        state = connection.execute("SELECT done, last FROM backlog").fetchone()
        if state is None:
            return False
        rows = connection.execute(_OLD, (*state, BATCH)).fetchall()
        texts = ((number, searchable_of_stored(data)) for number, data in rows)
        connection.executemany(
            "INSERT OR IGNORE INTO texts (message, text) VALUES (?, ?)",
            (pair for pair in texts if pair[1]),
        )
        if len(rows) < BATCH:
            connection.execute("DELETE FROM backlog")
        else:
            connection.execute("UPDATE backlog SET done = ?", (rows[-1][0],))
    return len(rows) == BATCH
