"""Which session a person means."""

import pytest

from hermes_core.ground.messages import user_message
from hermes_core.sessions.finding import NotFound, choose, find_session, last_session
from hermes_core.sessions.lineage import replace_history
from hermes_core.sessions.store import SessionRow, Store

SESSIONS = [
    ("1a2b3c4d-0001", "Fix the parser"),
    ("1a2b9999-0002", "Fix the lexer"),
    ("ffff0000-0003", "fix"),
    ("0000aaaa-0004", ""),
    ("fix0-0005", "日本語の検索"),
]


@pytest.mark.parametrize(
    ("wanted", "place"),
    [
        ("1a2b3c4d-0001", 0),
        (" 1a2b3 ", 0),
        ("1a2b9", 1),
        ("FIX THE LEXER", 1),
        ("parser", 0),
        ("Fix", 2),
        ("fix0", 4),
        ("検索", 4),
    ],
)
def test_one_is_meant(wanted: str, place: int) -> None:
    assert choose(wanted, SESSIONS) == SESSIONS[place][0]


def test_several_are_named() -> None:
    with pytest.raises(NotFound) as caught:
        choose("1a2b", SESSIONS)
    assert str(caught.value) == (
        "Several sessions fit '1a2b': 1a2b3c4d (Fix the parser), 1a2b9999 (Fix the lexer). "
        "Name more of the id, or more of the title."
    )
    with pytest.raises(NotFound, match="and 3 more"):
        choose("same", [(f"id{n}", "the same") for n in range(8)])


@pytest.mark.parametrize("wanted", ["nothing", "1a2c", "zzzz"])
def test_none_is_meant(wanted: str) -> None:
    with pytest.raises(NotFound, match="There is no session"):
        choose(wanted, SESSIONS)


def test_a_session_of_the_store_is_found(store: Store) -> None:
    for session_id, title in SESSIONS:
        store.create_session(SessionRow(session_id, "/w", title=title))
        store.append_message(session_id, user_message("x"))
    assert find_session(store, "lexer").id == "1a2b9999-0002"
    assert find_session(store, "s").id == "s"  # a whole id, though it holds no message
    replace_history(store, "fix0-0005", "its-child", [(user_message("x"), True)])
    assert find_session(store, "its-child").id == "fix0-0005"
    for wanted in ("", "nobody", "\ud800"):
        with pytest.raises(NotFound):
            find_session(store, wanted)


def test_the_last_session_of_a_folder(store: Store) -> None:
    with pytest.raises(NotFound, match="no earlier session in /w"):
        last_session(store, "/w")
    store.append_message("s", user_message("x"))
    assert last_session(store, "/w").id == "s"
