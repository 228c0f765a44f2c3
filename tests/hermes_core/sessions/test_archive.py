"""Sessions that were put away."""

from hermes_core.sessions.archive import set_archived
from hermes_core.sessions.store import SessionRow, Store


def test_it_is_out_of_the_lists_that_do_not_ask_for_it(store: Store) -> None:
    store.create_session(SessionRow("t", "/w"))
    for session in ("s", "t"):
        store.append_message(session, {"role": "user", "content": "hello"})
    assert set_archived(store, "s", True)
    assert [row.id for row in store.sessions(archived=False)] == ["t"]
    assert [row.id for row in store.sessions(archived=True)] == ["s"]
    assert [(row.id, row.archived) for row in store.sessions()] == [("t", False), ("s", True)]
    assert set_archived(store, "s", False)
    assert [row.id for row in store.sessions(archived=False)] == ["t", "s"]


def test_an_unknown_one_cannot_be_put_away(store: Store) -> None:
    assert not set_archived(store, "unknown", True)
