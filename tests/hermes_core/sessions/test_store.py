import random
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from hermes_core.ground.errors import StoreError
from hermes_core.ground.messages import Message, tool_message, user_message
from hermes_core.sessions.store import (
    _SELECT_MESSAGES,
    _SELECT_SESSIONS,
    FILE_NAME,
    SessionRow,
    Store,
)
from tests.hermes_core.sessions.conftest import Start

ODD = "lone \ud800 surrogate, NUL \x00, escape \x1b, line\u2028break, emoji 😀"

MESSAGES: list[Message] = [
    user_message(ODD),
    user_message([{"type": "text", "text": ODD}]),
    {
        "role": "assistant",
        "content": None,
        "reasoning": ODD,
        "reasoning_details": [{"type": "x", "data": {"deep": [1, 2.5, None, True, ODD]}}],
        "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a":'}}
        ],
    },
    tool_message("c", "f", ODD),
]


class TestSessions:
    def test_a_session_comes_back_as_it_was(self, store: Store) -> None:
        row = SessionRow(
            "full",
            "/w/" + ODD,
            ("/lib", ODD),
            title=ODD,
            mode="accept_edits",
            provider="openrouter",
            model="a/b:free",
            system_prompt=ODD,
            created=1.5,
            updated=2.5,
        )
        store.create_session(row)
        assert store.session("full") == row

    def test_times_are_now_where_none_are_given(self, store: Store) -> None:
        row = store.session("s")
        assert row is not None
        assert 0 <= time.time() - row.created < 3_600
        assert row.created == row.updated

    @pytest.mark.parametrize("name", ["missing", "", "\ud800", "s\x00", "S"])
    def test_an_unknown_session_is_none(self, store: Store, name: str) -> None:
        assert store.session(name) is None
        assert store.messages(name) == []
        assert list(store.shown(name)) == []
        for write in (
            lambda: store.append_message(name, user_message("x")),
            lambda: store.append_shown(name, {"event": "x"}),
            lambda: store.update_session(name, title="x"),
        ):
            with pytest.raises(StoreError, match="session"):
                write()

    def test_an_id_is_given_once(self, store: Store) -> None:
        with pytest.raises(StoreError, match="There is a session 's' already"):
            store.create_session(SessionRow("s", "/other"))
        row = store.session("s")
        assert row is not None
        assert row.cwd == "/w"

    def test_changes_are_kept_and_nothing_else_changes(self, store: Store) -> None:
        before = store.session("s")
        store.update_session(
            "s", title="T", mode="accept_edits", model="m", cwd="/x", additional=("/y",)
        )
        after = store.session("s")
        assert before is not None
        assert after is not None
        assert (after.title, after.mode, after.model) == ("T", "accept_edits", "m")
        assert (after.cwd, after.additional) == ("/x", ("/y",))
        assert (after.provider, after.created) == (before.provider, before.created)
        assert after.updated >= before.updated
        store.update_session("s", title=None)
        assert store.session("s").title is None

    def test_what_is_no_field_cannot_be_changed(self, store: Store) -> None:
        with pytest.raises(TypeError, match="created"):
            store.update_session("s", created=1.0)


class TestList:
    @pytest.fixture
    def many(self, store: Store) -> Store:
        for number in range(7):
            store.create_session(SessionRow(f"n{number}", f"/{number % 2}"))
            store.append_message(f"n{number}", user_message("hello"))
        return store

    def ids(self, rows: list[SessionRow]) -> list[str]:
        return [row.id for row in rows]

    def test_the_last_changed_come_first_and_empty_ones_not_at_all(self, many: Store) -> None:
        many.append_message("n2", {"role": "assistant", "content": "yes"})
        many.update_session("s", title="still without a message")
        assert self.ids(many.sessions()) == ["n2", "n6", "n5", "n4", "n3", "n1", "n0"]

    def test_a_session_with_no_word_of_its_user_is_left_out(self, store: Store) -> None:
        store.append_message("s", {"role": "system", "content": "x"})
        store.append_message("s", {"role": "assistant", "content": "x"})
        assert store.sessions() == []
        store.append_message("s", user_message("x"))
        store.append_message("s", {"role": "assistant", "content": "x"})
        assert self.ids(store.sessions()) == ["s"]

    def test_one_folder_alone(self, many: Store) -> None:
        assert self.ids(many.sessions(cwd="/1")) == ["n5", "n3", "n1"]
        assert many.sessions(cwd="/2") == []

    def test_page_after_page(self, many: Store) -> None:
        pages: list[str] = []
        before = None
        while rows := many.sessions(limit=3, before=before):
            pages.extend(self.ids(rows))
            before = (rows[-1].updated, rows[-1].id)
        assert pages == ["n6", "n5", "n4", "n3", "n2", "n1", "n0"]

    def test_a_page_mark_of_a_session_that_is_gone_goes_by_time(self, many: Store) -> None:
        assert self.ids(many.sessions(before=(time.time() + 60, "gone"))) != []
        assert many.sessions(before=(0.0, "gone")) == []

    def test_the_order_does_not_hang_on_the_clock(
        self, many: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = time.time()
        monkeypatch.setattr(time, "time", lambda: now + 365 * 86_400)
        many.append_message("n0", user_message("in a year"))
        monkeypatch.setattr(time, "time", lambda: now - 86_400)
        many.append_message("n1", user_message("yesterday"))
        rows = many.sessions()
        assert self.ids(rows)[:3] == ["n1", "n0", "n6"]
        assert self.ids(many.sessions(before=(rows[0].updated, "n1")))[:2] == ["n0", "n6"]


class TestMessages:
    def test_they_come_back_as_they_were_in_order(self, store: Store) -> None:
        numbers = [store.append_message("s", message) for message in MESSAGES]
        assert numbers == sorted(set(numbers))
        assert store.messages("s") == MESSAGES

    def test_sessions_do_not_mix(self, store: Store) -> None:
        store.create_session(SessionRow("t", "/w"))
        store.append_message("s", user_message("to s"))
        store.append_message("t", user_message("to t"))
        assert store.messages("t") == [user_message("to t")]

    def test_the_order_is_that_of_writing_whatever_the_clock_says(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for number, now in enumerate((1e9, 2e9, 5e8)):
            monkeypatch.setattr(time, "time", lambda now=now: now)
            store.append_message("s", user_message(str(number)))
        assert [message["content"] for message in store.messages("s")] == ["0", "1", "2"]

    def test_a_message_that_is_no_data_is_refused(self, store: Store) -> None:
        deep: list[object] = []
        for _ in range(100_000):
            deep = [deep]
        for details in ([{1, 2}], deep):
            message: Message = {"role": "assistant", "content": "", "reasoning_details": details}
            with pytest.raises(StoreError, match="cannot be stored"):
                store.append_message("s", message)
        assert store.messages("s") == []

    def test_a_damaged_row_is_an_error_not_a_gap(self, store: Store, path: Path) -> None:
        store.append_message("s", user_message("x"))
        other = sqlite3.connect(path)
        other.execute("UPDATE messages SET message = '{'")
        other.commit()
        other.close()
        with pytest.raises(StoreError, match="damaged"):
            store.messages("s")


class TestShown:
    def test_events_come_back_in_order(self, store: Store) -> None:
        events = [{"event": "TextDelta", "text": f"{ODD}{n}"} for n in range(2_500)]
        store.append("s", (), events)
        store.append_shown("s", {"event": "last"})
        assert list(store.shown("s")) == [*events, {"event": "last"}]

    def test_several_rows_are_kept_all_or_none(self, store: Store) -> None:
        with pytest.raises(StoreError):
            store.append("s", [user_message("x")], [{"event": "fine"}, {"event": {1, 2}}])
        with pytest.raises(StoreError):
            store.append("missing", [user_message("x")], [])
        assert store.messages("s") == []
        assert list(store.shown("s")) == []
        store.append("s", [user_message("x")], [{"event": "fine"}])
        assert len(store.messages("s")) == len(list(store.shown("s"))) == 1


class TestSharing:
    def test_many_threads_may_write(self, store: Store) -> None:
        def write(name: str) -> None:
            for number in range(50):
                store.append_message("s", user_message(f"{name}{number}"))
                store.messages("s")

        threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        texts = [str(message["content"]) for message in store.messages("s")]
        assert len(texts) == 200
        for name in "abcd":
            own = [text for text in texts if text.startswith(name)]
            assert own == [f"{name}{number}" for number in range(50)]

    def test_many_processes_may_write(self, store: Store, path: Path, start: Start) -> None:
        writers = [start(WRITER, str(path), f"p{n}", "100") for n in range(6)]
        for writer in writers:
            assert writer.wait(90) == 0
        for number in range(6):
            assert len(store.messages(f"p{number}")) == 100

    def test_processes_may_open_a_new_store_at_once(self, path: Path, start: Start) -> None:
        writers = [start(WRITER, str(path), f"p{n}", "1") for n in range(6)]
        assert [writer.wait(90) for writer in writers] == [0] * 6

    def test_a_lock_held_elsewhere_is_waited_for(
        self, store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        blocker = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        blocker.execute("BEGIN IMMEDIATE")
        threading.Timer(0.5, lambda: blocker.execute("COMMIT")).start()
        store.append_message("s", user_message("waited"))
        assert store.messages("s") == [user_message("waited")]
        blocker.close()

    def test_a_session_is_worked_on_by_one_process(
        self, store: Store, path: Path, start: Start
    ) -> None:
        other = start(CLAIMER, str(path))
        assert other.stdout is not None
        assert other.stdout.readline() == "claimed\n"
        with pytest.raises(StoreError, match="is open in another Hermes"):
            store.claim("s")
        other.kill()
        other.wait(60)
        store.claim("s")
        store.claim("s")
        assert start(CLAIMER, str(path)).wait(60) == 1
        store.release("s")
        free = start(CLAIMER, str(path))
        assert free.stdout is not None
        assert free.stdout.readline() == "claimed\n"

    def test_other_sessions_stay_free(self, store: Store, path: Path, start: Start) -> None:
        store.create_session(SessionRow("t", "/w"))
        other = start(CLAIMER, str(path))
        assert other.stdout is not None
        assert other.stdout.readline() == "claimed\n"
        store.claim("t")

    def test_a_session_that_is_not_there_cannot_be_claimed(self, store: Store) -> None:
        with pytest.raises(StoreError, match="There is no session"):
            store.claim("missing")


WRITER = """
import sys
from pathlib import Path
from hermes_core.sessions.store import SessionRow, Store
store = Store(Path(sys.argv[1]))
store.create_session(SessionRow(sys.argv[2], "/w"))
for number in range(int(sys.argv[3])):
    store.append_message(sys.argv[2], {"role": "user", "content": str(number)})
store.close()
"""

CLAIMER = """
import sys, time
from pathlib import Path
from hermes_core.ground.errors import StoreError
from hermes_core.sessions.store import Store
store = Store(Path(sys.argv[1]))
try:
    store.claim("s")
except StoreError:
    sys.exit(1)
print("claimed", flush=True)
sys.stdin.read()
"""

ACKNOWLEDGING = """
import sys
from pathlib import Path
from hermes_core.sessions.store import SessionRow, Store
store = Store(Path(sys.argv[1]))
if store.session("s") is None:
    store.create_session(SessionRow("s", "/w"))
number = len(store.messages("s"))
print("ready", flush=True)
while True:
    text = f"{number} " + "x" * (number * 37 % 5000)
    if number % 3:
        store.append_message("s", {"role": "user", "content": text})
    else:
        store.append("s", [{"role": "user", "content": text}], [{"event": "e"}] * 3)
    print(number, flush=True)
    number += 1
"""


def test_a_killed_process_loses_nothing_that_was_acknowledged(path: Path, start: Start) -> None:
    chance = random.Random(11)
    for _ in range(12):
        writer = start(ACKNOWLEDGING, str(path))
        assert writer.stdout is not None
        acknowledged = -1
        assert writer.stdout.readline() == "ready\n"
        for _ in range(chance.randrange(1, 120)):
            acknowledged = int(writer.stdout.readline())
        writer.kill()
        rest = writer.stdout.read()  # what was read ahead, too
        writer.wait(timeout=60)
        whole = [line for line in rest.splitlines(keepends=True) if line.endswith("\n")]
        acknowledged = int(whole[-1]) if whole else acknowledged
        store = Store(path)
        texts = [str(message["content"]).split()[0] for message in store.messages("s")]
        store.close()
        assert store.notices == ()
        assert len(texts) > acknowledged
        assert texts == [str(number) for number in range(len(texts))]
    check = sqlite3.connect(path)
    assert check.execute("PRAGMA quick_check").fetchone() == ("ok",)
    check.close()


def test_a_session_of_ten_thousand_messages_is_read_at_once(store: Store) -> None:
    """Measured at some 50 ms; the limit only tells a scan of every session from an index."""
    messages = [user_message("x" * 200) for _ in range(10_000)]
    store.append("s", messages, ())
    for number in range(200):
        store.create_session(SessionRow(f"other{number}", "/w"))
    begun = time.monotonic()
    assert len(store.messages("s")) == 10_000
    assert time.monotonic() - begun < 10
    plan = store._db.rows(f"EXPLAIN QUERY PLAN {_SELECT_MESSAGES}", ("s",))
    assert "messages_by_session" in str(plan)


def test_sessions_are_listed_without_reading_their_messages(store: Store) -> None:
    """Measured at 1 ms for 50; the limit only tells a scan of all messages from an index."""
    messages = [user_message("x" * 200) for _ in range(10_000)]
    store.append("s", messages, ())
    for number in range(200):
        store.create_session(SessionRow(f"other{number}", "/w"))
        store.append_message(f"other{number}", user_message("x"))
    begun = time.monotonic()
    assert len(store.sessions(limit=50)) == 50
    assert len(store.sessions("/w", limit=1_000)) == 201
    assert time.monotonic() - begun < 5
    values = {"cwd": None, "touched": None, "updated": None, "archived": None, "limit": 50}
    plan = str(store._db.rows(f"EXPLAIN QUERY PLAN {_SELECT_SESSIONS}", values))
    assert "SCAN messages" not in plan
    assert "messages_by_session" in plan or "messages" not in plan


def test_the_store_of_a_home_has_a_fixed_name() -> None:
    assert FILE_NAME == "hermes_sessions.db"
