"""A store of version 1 goes on as it was, and what it holds can be found."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hermes_core.sessions import database
from hermes_core.sessions.checkpoints import Checkpoints, Snapshot
from hermes_core.sessions.search import find
from hermes_core.sessions.store import SessionRow, Store
from hermes_core.sessions.titling import titled_by
from hermes_core.sessions.usage import usage_of

DUMP = Path(__file__).parents[2] / "data" / "sessions_v1.sql"
FIRST, SECOND = "11111111-aaaa-4000-8000-000000000001", "22222222-bbbb-4000-8000-000000000002"


@pytest.fixture
def old(path: Path) -> Path:
    """The file of a version 1 store."""
    path.parent.mkdir(mode=0o700)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(DUMP.read_text(encoding="utf-8"))
    return path


def test_everything_is_there_and_can_be_found(old: Path) -> None:
    for _ in range(2):
        store = Store(old)
        assert store.notices == ()
        newest = len(database._migrations())
        assert store.database.rows("PRAGMA user_version") == [(newest,)]
        assert [row.id for row in store.sessions()] == [SECOND, FIRST]
        row = store.session(FIRST)
        assert row is not None
        assert (row.title, row.mode, row.cwd) == ("Fix the parser", "accept_edits", "/w/project")
        assert [m["role"] for m in store.messages(FIRST)] == [
            "user",
            "assistant",
            "tool",
            "assistant",
        ]
        assert len(list(store.shown(FIRST))) == 3
        assert [one.session.id for one in find(store, "quuxify")] == [FIRST]
        assert [one.session.id for one in find(store, "検索")] == [SECOND]
        assert titled_by(store, FIRST) == "prompt"
        assert usage_of(store, FIRST) == []
        store.close()


def test_it_can_be_written_to(old: Path) -> None:
    store = Store(old)
    store.claim(FIRST)
    store.append_message(FIRST, {"role": "user", "content": "and the lexer"})
    assert [one.snippet for one in find(store, "lexer")] == ["and the lexer"]
    assert store.delete(SECOND)
    assert find(store, "検索") == []
    store.close()


def test_a_store_without_a_message_is_migrated(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("DELETE FROM messages")
        connection.commit()
    store = Store(old)
    assert store.messages(FIRST) == []
    assert store.database.rows("SELECT * FROM backlog") == []
    store.close()


def test_turns_of_before_are_taken_back_as_they_were(path: Path) -> None:
    store = Store(path)
    store.create_session(SessionRow("s", "/w"))
    store.append_message("s", {"role": "user", "content": "go"})
    number = Checkpoints(store, "s").add("m", "go")
    Checkpoints(store, "s").set_before(number, "/w", "a")
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "ALTER TABLE snapshots DROP COLUMN others;"
            "ALTER TABLE sessions DROP COLUMN speed;"
            "ALTER TABLE sessions DROP COLUMN instructions;"
            "ALTER TABLE sessions DROP COLUMN second_opinion; PRAGMA user_version=6;"
        )
    store = Store(path)
    assert Checkpoints(store, "s").all()[0].snapshots == (Snapshot("/w", "a", None, {}),)
    store.close()
