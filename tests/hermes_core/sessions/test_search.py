"""Full-text search, with an index and without one."""

import sqlite3
from pathlib import Path

import pytest

from hermes_core.ground.messages import tool_message, user_message
from hermes_core.sessions import search_index
from hermes_core.sessions.lineage import create_child, replace_history
from hermes_core.sessions.search import Now, find, newest_message
from hermes_core.sessions.search_index import is_current, prepare, renew_text
from hermes_core.sessions.store import SessionRow, Store
from tests.hermes_core.sessions.conftest import Start


def say(store: Store, session: str, *texts: str) -> None:
    """Add a session with these messages, from the user and the assistant in turn."""
    if store.session(session) is None:
        store.create_session(SessionRow(session, "/w", title=f"title of {session}"))
    for number, text in enumerate(texts):
        role = "assistant" if number % 2 else "user"
        store.append_message(session, {"role": role, "content": text})


def ids(store: Store, query: str, limit: int = 10, now: Now | None = None) -> list[str]:
    return [found.session.id for found in find(store, query, limit, now)]


@pytest.fixture(params=["indexed", "plain"])
def either(request: pytest.FixtureRequest, store: Store) -> Store:
    """A store with the index, and one of a SQLite that cannot make it."""
    if request.param == "plain":
        prepare(store.database, lambda _: False)
        assert not is_current(store.database)
    else:
        assert is_current(store.database)
    return store


class TestFinding:
    def test_what_user_assistant_and_tools_said(self, either: Store) -> None:
        say(either, "a", "where is the Frobnicator", "in the cellar")
        either.append_message("s", tool_message("c", "read_file", "frobnicator = None"))
        assert ids(either, "FROBNICATOR") == ["s", "a"]
        assert ids(either, "cellar") == ["a"]
        (found,) = find(either, "cellar")
        assert (found.role, found.snippet, found.count) == ("assistant", "in the cellar", 1)
        assert found.session.title == "title of a"
        assert found.at > 0

    @pytest.mark.parametrize("query", ["日", "日本", "日本語", "検索", "日本語 動", "動かない"])
    def test_cjk(self, either: Store, query: str) -> None:
        say(either, "a", "日本語の検索が動かない")
        say(either, "b", "hello")
        assert ids(either, query) == ["a"]

    @pytest.mark.parametrize("query", ["x", "is", "is it", "it X9", '"it x"'])
    def test_words_too_short_for_the_index(self, either: Store, query: str) -> None:
        say(either, "a", "Is it X9?")
        say(either, "b", "nothing here")
        assert ids(either, query) == ["a"]

    def test_every_word_has_to_stand_in_one_message(self, either: Store) -> None:
        say(either, "a", "alpha beta", "gamma")
        assert ids(either, "beta alpha") == ["a"]
        assert ids(either, "alpha gamma") == []
        assert ids(either, '"alpha beta"') == ["a"]
        assert ids(either, '"beta alpha"') == []

    @pytest.mark.parametrize("query", ['"', "'", "a*b", "NEAR(", "x OR", "%", "_", "-x", "(", "\\"])
    def test_nothing_in_a_query_is_syntax(self, either: Store, query: str) -> None:
        say(either, "a", f"odd {query}abc here", "alpha")
        expected = [] if query == '"' else ["a"]
        assert ids(either, query) == expected
        assert ids(either, f"{query}zzz") == []

    def test_no_word_finds_nothing(self, either: Store) -> None:
        say(either, "a", "hello")
        assert ids(either, " ") == []

    def test_the_newest_comes_first_and_the_limit_holds(self, either: Store) -> None:
        for number in range(5):
            say(either, f"n{number}", "needle")
        assert ids(either, "needle", limit=3) == ["n4", "n3", "n2"]

    def test_a_session_is_one_find_with_its_newest_message(self, either: Store) -> None:
        say(either, "a", "needle one", "no", "needle two")
        (found,) = find(either, "needle")
        assert (found.snippet, found.count) == ("needle two", 2)

    def test_what_was_deleted_or_changed_is_found_no_more(self, either: Store) -> None:
        say(either, "a", "needle")
        say(either, "b", "needle")
        either.delete("a")
        assert ids(either, "needle") == ["b"]
        with either.database.transaction() as db:
            (number,) = db.execute("SELECT max(number) FROM messages").fetchone()
            renew_text(db, number, user_message("thread"))
        assert ids(either, "needle") == []
        assert ids(either, "thread") == ["b"]


class TestLineage:
    def test_of_a_lineage_only_the_newest_find_is_told(self, store: Store) -> None:
        say(store, "a", "needle in the parent", "yes")
        replace_history(store, "a", "a-2", [(user_message("summary"), False)])
        store.append_message("a", user_message("needle in the child"))
        create_child(store, SessionRow("sub", "/w"), "a", "delegated")
        store.append_message("sub", user_message("needle of a sub-agent"))
        create_child(store, SessionRow("copy", "/w"), "a", "forked")
        assert [(one.session.id, one.snippet) for one in find(store, "needle")] == [
            ("a", "needle of a sub-agent")
        ]
        store.append_message("copy", user_message("needle in the copy"))
        (found,) = find(store, "needle")
        assert (found.session.id, found.count) == ("copy", 4)

    def test_what_the_model_is_sent_anyhow_is_no_find(self, store: Store) -> None:
        say(store, "a", "needle", "no")
        say(store, "b", "needle")
        now = Now("a", newest_message(store))
        assert ids(store, "needle", now=now) == ["b"]

    def test_what_it_is_no_longer_sent_is_one_unless_it_is_of_this_turn(self, store: Store) -> None:
        say(store, "a", "needle of old", "yes")
        since = newest_message(store)
        store.append_message("a", user_message("needle of this turn"))
        replace_history(store, "a", "a-2", [(user_message("needle of this turn"), True)])
        found = find(store, "needle", now=Now("a", since))
        assert [one.snippet for one in found] == ["needle of old"]
        assert ids(store, "needle", now=Now("unknown", since)) == ["a"]


class TestIndex:
    def test_a_sqlite_that_has_no_fts5_can_still_write(self, path: Path) -> None:
        store = Store(path)
        say(store, "a", "before")
        store.close()
        store = Store(path)
        prepare(store.database, lambda _: False)
        # as if the module were not there: nothing of the index may be touched any more
        store.database.outside_transaction(lambda db: db.set_authorizer(_refuse_the_index))
        say(store, "a", "meanwhile")
        assert ids(store, "before") == ids(store, "meanwhile") == ["a"]
        store.delete("a")
        say(store, "b", "meanwhile")
        store.close()
        store = Store(path)
        assert is_current(store.database)
        assert ids(store, "meanwhile") == ["b"]
        assert ids(store, "before") == []
        integrity = "INSERT INTO texts_index (texts_index) VALUES ('integrity-check')"
        store.database.outside_transaction(lambda db: db.execute(integrity))
        store.close()

    def test_the_authorizer_of_the_test_above_refuses_what_the_index_needs(
        self, path: Path
    ) -> None:
        store = Store(path)
        store.create_session(SessionRow("a", "/w"))
        store.database.outside_transaction(lambda db: db.set_authorizer(_refuse_the_index))
        with pytest.raises(Exception, match="cannot be used"):
            store.append_message("a", user_message("hello"))
        store.close()

    def test_an_index_that_cannot_be_made_stops_nothing(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(search_index, "_CREATE", "CREATE VIRTUAL TABLE x USING nothing (y)")
        store = Store(path)
        say(store, "a", "hello")
        assert ids(store, "hello") == ["a"]
        store.close()

    def test_old_messages_are_made_findable_in_pieces(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store = Store(path)
        say(store, "a", *(f"word{number}" for number in range(7)))
        with store.database.transaction() as db:
            db.execute("DELETE FROM texts WHERE message > 2")
            db.execute("INSERT INTO backlog SELECT 2, max(number) FROM messages")
        monkeypatch.setattr(search_index, "BATCH", 2)
        store.close()
        store = Store(path)
        assert ids(store, "word6") == ids(store, "word0") == ["a"]
        assert store.database.rows("SELECT count(*) FROM backlog") == [(0,)]
        store.close()

    def test_many_processes_write_and_all_is_found(
        self, store: Store, path: Path, start: Start
    ) -> None:
        writers = [start(WRITER, str(path), f"p{n}") for n in range(4)]
        assert [writer.wait(90) for writer in writers] == [0] * 4
        assert sorted(ids(store, "common word", limit=50)) == [f"p{n}" for n in range(4)]
        for number in range(4):
            assert len(find(store, f"only{number}of{number}")) == 1
        assert sum(one.count for one in find(store, "common")) == 4 * 60
        assert store.database.rows("SELECT count(*) FROM texts") == [(240,)]


WRITER = """
import sys
from pathlib import Path
from hermes_core.sessions.store import SessionRow, Store
from hermes_core.sessions.search import find
store = Store(Path(sys.argv[1]))
name = sys.argv[2]
store.create_session(SessionRow(name, "/w"))
for number in range(60):
    store.append_message(name, {"role": "user", "content": f"common word only{name[1]}of{number}"})
    assert find(store, f"only{name[1]}of{number}")
store.close()
"""


def _refuse_the_index(action: int, first: str | None, *_: object) -> int:
    touched = (first or "").startswith("texts_index")
    return sqlite3.SQLITE_DENY if touched else sqlite3.SQLITE_OK
