"""What sessions used adds up, whoever counts."""

from pathlib import Path

from hermes_core.ground.usage import Usage
from hermes_core.sessions.lineage import create_child
from hermes_core.sessions.store import SessionRow, Store
from hermes_core.sessions.usage import DELEGATED, Used, add_usage, total, usage_of
from tests.hermes_core.sessions.conftest import Start

ONE = Used("openrouter", "m", Usage(10, 5, 2, 1), 1, 0.5)


def test_calls_of_a_model_add_up_over_restarts(store: Store, path: Path) -> None:
    add_usage(store, "s", ONE)
    add_usage(store, "s", Used("openrouter", "m", Usage(1, 1), 2, 0.0, 2))
    again = Store(path)
    add_usage(again, "s", ONE)
    assert usage_of(again, "s") == [Used("openrouter", "m", Usage(21, 11, 4, 2), 4, 1.0, 2)]
    again.close()


def test_models_and_tasks_stand_for_themselves(store: Store) -> None:
    other = Used("custom", "n", Usage(1, 1), 1, 0.25)
    title = Used("openrouter", "m", Usage(3, 3), 1, 0.0, 1, task="title_generation")
    for used in (other, ONE, title):
        add_usage(store, "s", used)
    assert usage_of(store, "s") == [ONE, other, title]
    whole = total(usage_of(store, "s"))
    assert whole is not None
    assert (whole.usage, whole.calls, whole.cost) == (Usage(14, 9, 2, 1), 3, 0.75)
    assert whole.amount is None
    priced = total([ONE, other])
    assert priced is not None
    assert priced.amount == 0.75
    assert total([]) is None


def test_what_sub_agents_used_is_the_session_s_too(store: Store) -> None:
    create_child(store, SessionRow("sub", "/w"), "s", "delegated")
    create_child(store, SessionRow("copy", "/w"), "s", "forked")
    add_usage(store, "s", ONE)
    add_usage(store, "sub", ONE)
    add_usage(store, "copy", ONE)
    assert [used.task for used in usage_of(store, "s")] == ["", DELEGATED]
    assert usage_of(store, "sub") == usage_of(store, "copy") == [ONE]
    store.delete("s")
    assert usage_of(store, "sub") == []
    assert usage_of(store, "copy") == [ONE]


def test_a_session_that_is_not_there_used_nothing(store: Store) -> None:
    add_usage(store, "missing", ONE)
    assert usage_of(store, "missing") == []


COUNTER = """
import sys
from pathlib import Path
from hermes_core.ground.usage import Usage
from hermes_core.sessions.store import Store
from hermes_core.sessions.usage import Used, add_usage
store = Store(Path(sys.argv[1]))
for _ in range(50):
    add_usage(store, "s", Used("p", "m", Usage(3, 2, 1), 1, 0.5))
store.close()
"""


def test_processes_that_count_at_once_lose_nothing(store: Store, path: Path, start: Start) -> None:
    counters = [start(COUNTER, str(path)) for _ in range(3)]
    assert [counter.wait(90) for counter in counters] == [0] * 3
    assert usage_of(store, "s") == [Used("p", "m", Usage(450, 300, 150), 150, 75.0)]
