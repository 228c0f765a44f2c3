"""Deleting sessions, and what goes with them."""

import time
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.errors import StoreError
from hermes_core.ground.messages import user_message
from hermes_core.sessions.lineage import create_child, replace_history
from hermes_core.sessions.pruning import DAY, delete_session, prunable, prune, vacuum
from hermes_core.sessions.store import SessionRow, Store
from tests.hermes_core.sessions.conftest import Start
from tests.hermes_core.sessions.test_store import CLAIMER

NOW = time.time()


@pytest.fixture
def many(store: Store) -> Store:
    """Sessions n0 to n5, each a day younger than the one before; ``s`` is new and empty."""
    for number in range(6):
        store.create_session(SessionRow(f"n{number}", "/w"))
        store.append_message(f"n{number}", user_message("hello"))
        with store.database.transaction() as db:
            at = NOW - (6 - number) * DAY
            db.execute("UPDATE sessions SET updated = ? WHERE id = ?", (at, f"n{number}"))
    return store


def ids(rows: list[SessionRow]) -> list[str]:
    return [row.id for row in rows]


def test_a_session_goes_with_all_that_is_its_own(store: Store) -> None:
    store.append("s", [user_message("x")], [{"event": "e"}])
    replace_history(store, "s", "s-2", [(user_message("x"), True)])
    create_child(store, SessionRow("sub", "/w"), "s", "delegated")
    create_child(store, SessionRow("copy", "/w"), "s", "forked")
    assert delete_session(store, "s-2")
    for gone in ("s", "s-2", "sub"):
        assert store.session(gone) is None
    assert store.session("copy") is not None
    for table in ("messages", "shown", "texts"):
        assert store.database.rows(f"SELECT count(*) FROM {table}") == [(0,)]


def test_deleting_twice_is_no_error(store: Store) -> None:
    assert delete_session(store, "s")
    assert not delete_session(store, "s")
    assert not delete_session(store, "missing")


def test_one_that_is_open_elsewhere_stays(store: Store, path: Path, start: Start) -> None:
    other = start(CLAIMER, str(path))
    assert other.stdout is not None
    assert other.stdout.readline() == "claimed\n"
    with pytest.raises(StoreError, match="open in another Hermes"):
        delete_session(store, "s")
    row = store.session("s")
    assert row is not None
    done = prune(store, [row])
    assert (done.deleted, ids(list(done.left))) == (0, ["s"])


def test_the_number_of_a_deleted_session_is_free_for_others(
    store: Store, path: Path, start: Start
) -> None:
    delete_session(store, "s")
    store.create_session(SessionRow("s", "/w"))
    other = start(CLAIMER, str(path))
    assert other.stdout is not None
    assert other.stdout.readline() == "claimed\n"


@pytest.mark.parametrize(
    ("limits", "chosen"),
    [
        ({}, []),
        ({"older_than": 3.5 * DAY}, ["n2", "n1", "n0"]),
        ({"keep": 4}, ["n1", "n0"]),
        ({"older_than": 3.5 * DAY, "keep": 4}, ["n1", "n0"]),
        ({"older_than": 3.5 * DAY, "keep": 1}, ["n2", "n1", "n0"]),
        ({"keep": 0}, ["n5", "n4", "n3", "n2", "n1", "n0"]),
        ({"older_than": 0.0}, ["n5", "n4", "n3", "n2", "n1", "n0"]),
    ],
)
def test_what_is_pruned(many: Store, limits: dict[str, Any], chosen: list[str]) -> None:
    rows = prunable(many, now=NOW - 1, **limits)
    assert ids(rows) == chosen
    done = prune(many, rows)
    assert (done.deleted, done.left) == (len(chosen), ())
    assert {row.id for row in many.sessions()} == {f"n{n}" for n in range(6)} - set(chosen)


def test_sessions_without_a_message_go_by_age(many: Store) -> None:
    assert ids(prunable(many, keep=6, now=NOW + 2 * DAY)) == ["s"]
    assert ids(prunable(many, older_than=30 * DAY, now=NOW + 29 * DAY))[:1] != ["s"]
    assert "s" in ids(prunable(many, older_than=1 * DAY, now=NOW + 2 * DAY))


def test_space_is_given_back(store: Store) -> None:
    store.append("s", [user_message("x" * 10_000) for _ in range(200)], ())
    delete_session(store, "s")
    assert vacuum(store) > 1_000_000
    assert vacuum(store) == 0
    store.create_session(SessionRow("s", "/w"))
