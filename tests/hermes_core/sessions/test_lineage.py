"""Histories that took another's place, and sessions that others brought about."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.errors import StoreError
from hermes_core.ground.messages import Message
from hermes_core.sessions.lineage import (
    Rest,
    addressed,
    call_ids,
    children,
    create_child,
    generations,
    replace_history,
    rest_of,
    set_rest,
    tip_of,
)
from hermes_core.sessions.store import SessionRow, Store


def said(role: Any, text: Any) -> Message:
    return {"role": role, "content": text}


def called(call_id: str) -> Message:
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": call_id, "type": "function", "function": {"name": "f", "arguments": "{}"}}
        ],
    }


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "store.db")
    store.create_session(SessionRow("mine", "/w", title="Mine"))
    store.append("mine", [said("user", "one"), said("assistant", "two")], [{"event": "A"}])
    yield store
    store.close()


SHORT = [(said("user", "summary"), False), (said("assistant", "two"), True)]


def test_the_session_is_addressed_by_its_own_id_and_has_the_childs_history(store: Store) -> None:
    replace_history(store, "mine", "child", SHORT, [{"event": "B"}])
    assert [m["content"] for m in store.messages("mine")] == ["summary", "two"]
    store.append("mine", [said("user", "three")], [{"event": "C"}])
    assert [m["content"] for m in store.messages("mine")] == ["summary", "two", "three"]
    assert store.messages("child") == store.messages("mine")
    assert [row["event"] for row in store.shown("mine")] == ["A", "B", "C"]
    assert list(store.shown("child")) == []


def test_the_child_remembers_its_parent_and_the_parent_stays_as_it_was(store: Store) -> None:
    replace_history(store, "mine", "child", SHORT)
    replace_history(store, "mine", "grandchild", SHORT[:1])
    line = generations(store, "mine")
    assert [(one.id, one.parent, one.relation) for one in line] == [
        ("mine", None, None),
        ("child", "mine", "compressed"),
        ("grandchild", "child", "compressed"),
    ]
    assert tip_of(store, "mine") == "grandchild"
    assert addressed(store, "grandchild") == addressed(store, "mine") == "mine"
    rows = store.database.rows(
        "SELECT count(*) FROM messages m JOIN sessions s ON s.number = m.session WHERE s.id='mine'"
    )
    assert rows == [(2,)]


def test_children_are_in_no_list_and_what_they_are_told_moves_their_session_up(
    store: Store,
) -> None:
    store.create_session(SessionRow("other", "/w"))
    store.append("other", [said("user", "later")], [])
    replace_history(store, "mine", "child", SHORT)
    assert [row.id for row in store.sessions()] == ["other", "mine"]
    store.append("mine", [said("user", "three")], [])
    assert [row.id for row in store.sessions()] == ["mine", "other"]


def test_a_child_has_what_its_session_has(store: Store) -> None:
    replace_history(store, "mine", "child", SHORT)
    row = store.session("child")
    assert row
    assert (row.cwd, row.title) == ("/w", "Mine")


def test_a_replacement_that_fails_changes_nothing(store: Store) -> None:
    broken = said("user", object())
    with pytest.raises(StoreError):
        replace_history(store, "mine", "child", [*SHORT, (broken, False)])
    with pytest.raises(StoreError):
        replace_history(store, "mine", "mine", SHORT)  # the id is taken: after the first statement
    assert tip_of(store, "mine") == "mine"
    assert len(store.messages("mine")) == 2
    assert [one.id for one in generations(store, "mine")] == ["mine"]
    with pytest.raises(StoreError, match="no session"):
        replace_history(store, "nobody", "child", SHORT)


def test_ids_of_calls_are_known_from_every_generation(store: Store) -> None:
    store.append("mine", [said("user", "go"), called("a")], [])
    assert call_ids(store, "mine") == set()  # the history itself has them
    replace_history(store, "mine", "child", SHORT)
    store.append("mine", [said("user", "go"), called("b")], [])
    replace_history(store, "mine", "grandchild", SHORT)
    assert call_ids(store, "mine") == {"a", "b"}


def test_a_sub_agents_session_belongs_to_its_parent(store: Store) -> None:
    replace_history(store, "mine", "child", SHORT)
    create_child(store, SessionRow("worker", "/w"), "mine", "delegated")
    store.append("worker", [said("user", "do it")], [])
    assert [row.id for row in store.sessions()] == ["mine"]
    (worker,) = children(store, "mine")
    assert (worker.id, worker.parent, worker.relation) == ("worker", "child", "delegated")
    assert tip_of(store, "mine") == "child"
    replace_history(store, "worker", "shorter", SHORT)
    assert addressed(store, "shorter") == "worker"
    assert addressed(store, "worker") == "worker"
    with store.database.transaction() as db:
        db.execute("DELETE FROM sessions WHERE id = 'mine'")
    assert store.session("worker") is store.session("shorter") is store.session("child") is None


def test_a_copy_goes_its_own_way(store: Store) -> None:
    create_child(store, SessionRow("copy", "/w"), "mine", "forked")
    store.append("copy", [said("user", "else")], [])
    assert [row.id for row in store.sessions()] == ["copy", "mine"]
    with store.database.transaction() as db:
        db.execute("DELETE FROM sessions WHERE id = 'mine'")
    assert [row.id for row in store.sessions()] == ["copy"]


def test_a_child_of_nobody_is_not_made(store: Store) -> None:
    with pytest.raises(StoreError, match="no session"):
        create_child(store, SessionRow("worker", "/w"), "nobody", "delegated")
    assert store.session("worker") is None


def test_what_failures_cost_is_kept_until_one_succeeds(store: Store, tmp_path: Path) -> None:
    assert rest_of(store, "mine") == Rest()
    set_rest(store, "mine", Rest(2, 1234.5))
    again = Store(tmp_path / "store.db")
    assert rest_of(again, "mine") == Rest(2, 1234.5)
    again.close()
    replace_history(store, "mine", "child", SHORT)
    assert rest_of(store, "mine") == Rest()
