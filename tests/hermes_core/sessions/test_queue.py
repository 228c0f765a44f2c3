"""Messages that wait: none is lost, none is said twice, and their order stays."""

from pathlib import Path

import pytest

from hermes_core.ground.errors import StoreError
from hermes_core.ground.messages import tool_message, user_message
from hermes_core.sessions.queue import MOST, Queue
from hermes_core.sessions.store import SessionRow, Store
from tests.hermes_core.sessions.conftest import Start

ODD = "lone \ud800 surrogate, NUL \x00"


@pytest.fixture
def queue(store: Store) -> Queue:
    return Queue(store, "s")


def contents(queue: Queue) -> list[object]:
    return [waiting.content for waiting in queue.all()]


def test_messages_wait_in_the_order_in_which_they_came(queue: Queue) -> None:
    parts = [{"type": "text", "text": ODD}]
    added = [queue.add("one"), queue.add(parts), queue.add(ODD)]
    assert contents(queue) == ["one", parts, ODD]
    assert queue.all() == added
    numbers = [waiting.number for waiting in added]
    assert numbers == sorted(set(numbers))


def test_what_was_to_steer_comes_first(queue: Queue) -> None:
    queue.add("later")
    queue.add("steer", steer=True)
    assert [(w.content, w.steer) for w in queue.all()] == [("steer", True), ("later", False)]


def test_a_number_is_never_used_again(queue: Queue) -> None:
    first = queue.add("one").number
    assert queue.drop([first]) == 1
    assert queue.add("two").number > first


def test_sessions_do_not_meet(store: Store, queue: Queue) -> None:
    store.create_session(SessionRow("other", "/w"))
    number = queue.add("mine").number
    other = Queue(store, "other")
    assert other.all() == []
    assert other.drop([number]) == 0
    assert other.clear() == 0
    assert contents(queue) == ["mine"]


def test_dropping_and_clearing_tell_how_many(queue: Queue) -> None:
    numbers = [queue.add(text).number for text in "abc"]
    assert queue.drop([numbers[1], 999]) == 1
    assert contents(queue) == ["a", "c"]
    assert queue.clear() == 2
    assert queue.clear() == 0


def test_a_message_leaves_with_the_transaction_that_keeps_it(store: Store, queue: Queue) -> None:
    number = queue.add("go").number
    store.append("s", [user_message("go")], [{"event": "x"}], taken=number)
    assert contents(queue) == []
    assert store.messages("s") == [user_message("go")]


def test_a_message_that_was_dropped_is_not_said(store: Store, queue: Queue) -> None:
    number = queue.add("go").number
    queue.drop([number])
    with pytest.raises(StoreError):
        store.append("s", [user_message("go")], [{"event": "x"}], taken=number)
    assert store.messages("s") == []
    assert list(store.shown("s")) == []


def test_a_message_stays_if_its_transaction_fails(store: Store, queue: Queue) -> None:
    number = queue.add("go").number
    with pytest.raises(StoreError):
        store.append("nobody", [user_message("go")], [], taken=number)
    assert contents(queue) == ["go"]


def test_a_delivered_message_changes_the_last_one(store: Store, queue: Queue) -> None:
    result = tool_message("c", "look", "found")
    store.append("s", [user_message("go"), result], [])
    number = queue.add("left!", steer=True).number
    after = tool_message("c", "look", "found, left!")
    queue.deliver([number], result, after, [{"event": "x"}])
    assert store.messages("s") == [user_message("go"), after]
    assert list(store.shown("s")) == [{"event": "x"}]
    assert queue.all() == []


def test_nothing_changes_if_the_history_ends_otherwise(store: Store, queue: Queue) -> None:
    store.append("s", [user_message("go")], [])
    number = queue.add("left!", steer=True).number
    with pytest.raises(StoreError):
        queue.deliver([number], tool_message("c", "look", "x"), user_message("y"), [{}])
    assert store.messages("s") == [user_message("go")]
    assert list(store.shown("s")) == []
    assert contents(queue) == ["left!"]


def test_a_session_of_nobody_takes_no_message(store: Store) -> None:
    with pytest.raises(StoreError):
        Queue(store, "nobody").add("x")


def test_a_flood_has_an_end(queue: Queue) -> None:
    kept = [queue.add(str(number), steer=number % 2 == 0).number for number in range(MOST)]
    with pytest.raises(StoreError, match="/queue clear"):
        queue.add("one more")
    with pytest.raises(StoreError, match="/queue clear"):
        queue.add("one more", steer=True)
    assert {one.number for one in queue.all()} == {*kept}
    queue.drop(kept[:1])
    queue.add("now")


def test_a_killed_process_leaves_what_waited(path: Path, store: Store, start: Start) -> None:
    program = (
        "import sys, os, signal\n"
        "from pathlib import Path\n"
        "from hermes_core.sessions.store import Store\n"
        "from hermes_core.sessions.queue import MOST, Queue\n"
        "queue = Queue(Store(Path(sys.argv[1])), 's')\n"
        "queue.add('one'); queue.add('two')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert start(program, str(path)).wait(60) == -9
    assert contents(Queue(store, "s")) == ["one", "two"]
