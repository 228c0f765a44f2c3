"""Forks of a session, at its end and at a message."""

import uuid

import pytest

from hermes_core.ground.errors import StoreError
from hermes_core.ground.events import Rewound, TextDelta, UserPrompted
from hermes_core.ground.events_json import to_json
from hermes_core.sessions.checkpoints import Checkpoints
from hermes_core.sessions.forking import fork
from hermes_core.sessions.lineage import children
from hermes_core.sessions.search import find
from hermes_core.sessions.store import SessionRow, Store


def turn(store: Store, number: int) -> None:
    """Add one turn: a prompt ``p1`` and its answer ``a1``."""
    asked, answered = f"ask {number}", f"answer {number}"
    store.append("s", [{"role": "user", "content": asked}], [])
    store.append_shown("s", to_json(UserPrompted(asked, f"p{number}")))
    Checkpoints(store, "s").add(f"p{number}", asked)
    store.append_message("s", {"role": "assistant", "content": answered})
    store.append_shown("s", to_json(TextDelta(answered, f"a{number}")))


@pytest.fixture
def talked(store: Store) -> Store:
    """A store whose session ``s`` has three turns."""
    store.update_session("s", title="Talk")
    for number in (1, 2, 3):
        turn(store, number)
    return store


def forked(store: Store, message_id: str = "") -> SessionRow:
    row = SessionRow(uuid.uuid4().hex, "/v", title="Talk (fork)", effort="high")
    fork(store, "s", row, message_id)
    found = store.session(row.id)
    assert found is not None
    return found


def said(store: Store, session_id: str) -> list[object]:
    return [message["content"] for message in store.messages(session_id)]


def texts(store: Store, session_id: str) -> list[str]:
    return [event["text"] for event in store.shown(session_id) if "text" in event]


ALL = ["ask 1", "answer 1", "ask 2", "answer 2", "ask 3", "answer 3"]


def test_a_fork_holds_all_and_knows_its_origin(talked: Store) -> None:
    row = forked(talked)
    assert (row.cwd, row.title, row.effort) == ("/v", "Talk (fork)", "high")
    assert said(talked, row.id) == texts(talked, row.id) == ALL
    assert [(one.id, one.relation) for one in children(talked, "s")] == [(row.id, "forked")]
    assert row.id in {one.id for one in talked.sessions()}


def test_both_go_their_own_way_and_the_fork_outlives_the_session(talked: Store) -> None:
    row = forked(talked)
    talked.append_message(row.id, {"role": "user", "content": "only here"})
    talked.append_message("s", {"role": "user", "content": "only there"})
    assert said(talked, row.id)[6:] == ["only here"]
    assert said(talked, "s")[6:] == ["only there"]
    talked.delete("s")
    assert said(talked, row.id)[:6] == ALL
    assert [one.session.id for one in find(talked, "answer")] == [row.id]


@pytest.mark.parametrize(
    ("message_id", "kept"), [("p1", 0), ("p2", 2), ("p3", 4), ("a1", 2), ("a2", 4), ("a3", 6)]
)
def test_a_fork_at_a_message_ends_before_a_prompt_or_with_the_turn_of_an_answer(
    talked: Store, message_id: str, kept: int
) -> None:
    row = forked(talked, message_id)
    assert said(talked, row.id) == texts(talked, row.id) == ALL[:kept]


def test_a_fork_before_everything_is_in_no_list(talked: Store) -> None:
    assert forked(talked, "p1").id not in {one.id for one in talked.sessions()}


def test_what_was_taken_back_is_no_place_to_begin(talked: Store) -> None:
    talked.append_shown("s", to_json(Rewound("p3")))
    with talked.database.transaction() as db:
        db.execute("UPDATE checkpoints SET undone = 1 WHERE message_id = 'p3'")
    before = len(talked.sessions())
    with pytest.raises(StoreError, match="taken back"):
        forked(talked, "p3")
    with pytest.raises(StoreError, match="no message"):
        forked(talked, "nothing")
    assert len(talked.sessions()) == before


def test_without_checkpoints_the_place_of_an_answer_is_not_known(store: Store) -> None:
    store.append_shown("s", to_json(TextDelta("hello", "a1")))
    with pytest.raises(StoreError, match="not kept"):
        forked(store, "a1")


def test_there_must_be_such_a_session(store: Store) -> None:
    with pytest.raises(StoreError, match="no session"):
        fork(store, "unknown", SessionRow("new", "/w"))
    assert store.session("new") is None
