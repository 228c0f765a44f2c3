"""Cancelling an agent at any moment of its children: all come to rest, histories stay valid."""

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.events import (
    ApprovalRequested,
    ChildFinished,
    ChildShown,
    ChildStarted,
    ToolCallFinished,
    ToolCallStarted,
    TurnInterrupted,
)
from hermes_core.ground.interrupt import Interrupt
from hermes_core.sessions.lineage import children
from hermes_core.sessions.store import Store
from tests.fakes.provider import Call, FakeProvider, Reasoning, Recorded, Reply, Text, calls, say
from tests.hermes_core.agent.doubles import (
    WATCHDOG,
    MakeAgent,
    Screen,
    assert_alternating,
    events_of,
)
from tests.hermes_core.agent.family import Family, runs, tasks

EVENTS_AT_MOST = 110

PROMPTLY = 0.1
"""Seconds to stop in; tests on a busy machine allow more, and hold a plain bound."""


def busy(number: int, _request: Recorded) -> Reply:
    """Think, read, write a file after a question, answer."""
    if number == 0:
        return Reply(
            [
                Reasoning("hm"),
                Text("I look."),
                Call("read_file", {"path": "main.py"}, id="r"),
                Call("todo", {"steps": [{"content": "fix"}]}, id="t"),
            ]
        )
    if number == 1:
        return calls(Call("write_file", {"path": "new.py", "content": "x = 1\n"}, id="w"))
    return say("Written.")


@pytest.fixture
def family(provider: FakeProvider) -> Family:
    family = Family(tasks("a", "b"), a=busy, b=runs("echo ran"), second=lambda *_: say("now"))
    provider.handler = family
    return family


def assert_histories(store: Store, agent: Any) -> None:
    """Hold the histories of the agent and its children to the providers' rule."""
    for session in (agent.session_id, *(kin.id for kin in children(store, agent.session_id))):
        messages: list[Any] = store.messages(session)
        assert messages == [] or messages[-1]["role"] == "assistant"
        assert_alternating(
            [{"role": "system", "content": ""}, *messages, {"role": "user", "content": ""}]
        )


def assert_ends(events: list[Any]) -> None:
    """Every card, every child and every card of a child has exactly one end, in order."""
    begun: dict[Any, list[type]] = {}
    for event in events:
        shown, owner = event, ""
        if isinstance(event, ChildShown):
            shown, owner = event.shown, f"{event.child} {event.asked}"
        if isinstance(shown, ToolCallStarted | ToolCallFinished):
            begun.setdefault((owner, shown.call_id), []).append(type(shown))
        elif isinstance(event, ChildStarted | ChildFinished):
            begun.setdefault(event.child, []).append(type(event))
    starts_and_ends = [
        [ToolCallStarted, ToolCallFinished],
        [ChildStarted, ChildFinished],
    ]
    for key, pair in begun.items():
        assert pair in starts_and_ends, (key, pair)


@pytest.mark.parametrize("place", range(EVENTS_AT_MOST))
@pytest.mark.usefixtures("family")
def test_cancel_at_event(place: int, make_agent: MakeAgent, store: Store, project: Path) -> None:
    class Canceller(Screen):
        def __call__(self, event: Any) -> None:
            super().__call__(event)
            if armed and len(self.events) > place:
                armed.clear()
                agent.interrupt()
            if isinstance(event, ApprovalRequested) and not event.reply.done():
                event.reply.set_result("allow_once")

    armed = [True]
    screen = Canceller()
    agent = make_agent(emit=screen)
    result = agent.run_conversation("go")
    if armed:
        assert (result["stop_reason"], result["final_response"]) == ("end_turn", "Thanks.")
    elif result["stop_reason"] != "end_turn":
        assert (result["stop_reason"], result["error"]) == ("cancelled", None)
        assert isinstance(screen.events[-1], TurnInterrupted)
    threads = [t for t in threading.enumerate() if t.name.startswith("child-")]
    for thread in threads:
        thread.join(WATCHDOG)
    assert store.messages(agent.session_id) == result["messages"]
    assert_histories(store, agent)
    assert_ends(screen.events)
    assert_ends([e for e in events_of(store, agent) if not isinstance(e, ChildShown)])
    allowed = any(isinstance(e, ApprovalRequested) and "new.py" in e.title for e in screen.events)
    assert (project / "new.py").exists() <= allowed
    armed.clear()
    assert agent.chat("second") == "now"


@pytest.mark.usefixtures("family")
def test_the_sweep_reaches_the_end(make_agent: MakeAgent) -> None:
    screen = Screen(lambda event: event.reply.set_result("allow_once"))
    make_agent(emit=screen).chat("go")
    assert 60 < len(screen.events) < EVENTS_AT_MOST


def cancelled_when(agent: Any, ready: Any) -> tuple[Any, float]:
    """Run a turn, cancel it once ``ready`` returns; return its result and how long that took."""
    interrupt, results = Interrupt(), []
    thread = threading.Thread(
        target=lambda: results.append(agent.run_conversation("go", interrupt=interrupt))
    )
    thread.start()
    ready()
    began = time.monotonic()
    interrupt.set()
    thread.join(WATCHDOG)
    return results[0], time.monotonic() - began


def test_children_that_wait_for_their_model_stop(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    never, arrived = threading.Event(), threading.Semaphore(0)

    def hangs(_number: int, _request: Recorded) -> Reply:
        arrived.release()
        return say("never", before=never)

    family = Family(tasks("a", "b", "c", "d"), a=hangs, b=hangs, c=hangs, d=hangs)
    provider.handler = family
    screen = Screen()
    agent = make_agent(emit=screen)
    result, seconds = cancelled_when(
        agent, lambda: [arrived.acquire(timeout=WATCHDOG) for _ in range(3)]
    )
    assert result["interrupted"]
    assert seconds < 20 * PROMPTLY
    (answer,) = [m for m in result["messages"] if m["role"] == "tool"]
    assert answer["content"].count("interrupted by the user after 1 step") == 3
    assert "## 4. d: interrupted by the user" in answer["content"]
    assert len(screen.of(ChildStarted)) == len(screen.of(ChildFinished)) == 3
    assert "d" not in family.asked


def test_children_that_wait_for_an_answer_stop(
    provider: FakeProvider, make_agent: MakeAgent, project: Path
) -> None:
    provider.handler = Family(tasks("a", "b"), a=runs("touch x"), b=runs("touch y"))
    screen = Screen()
    agent = make_agent(emit=screen)
    result, seconds = cancelled_when(agent, lambda: screen.wait_for(ApprovalRequested, 2))
    assert result["interrupted"]
    assert seconds < 20 * PROMPTLY
    assert all(question.reply.cancelled() for question in screen.of(ApprovalRequested))
    assert [path.name for path in project.iterdir()] == ["main.py"]
    assert_ends(screen.events)


def test_a_child_that_runs_a_command_takes_it_along(
    provider: FakeProvider, make_agent: MakeAgent, project: Path, store: Store
) -> None:
    provider.handler = Family(tasks("a"), a=runs("touch begun; sleep 60; touch ended"))
    screen = Screen(lambda question: question.reply.set_result("allow_once"))
    agent = make_agent(emit=screen)

    def begun() -> None:
        deadline = time.monotonic() + WATCHDOG
        while not (project / "begun").exists():
            assert time.monotonic() < deadline
            threading.Event().wait(0.01)

    result, seconds = cancelled_when(agent, begun)
    assert result["interrupted"]
    assert seconds < 20 * PROMPTLY
    assert not (project / "ended").exists()
    assert_ends(screen.events)
    assert_histories(store, agent)


def test_a_child_that_cannot_stop_is_given_up_and_shows_nothing_more(
    provider: FakeProvider, make_agent: MakeAgent, store: Store
) -> None:
    held, inside = threading.Event(), threading.Event()

    class Files:
        def read(self, path: Path) -> bytes:
            inside.set()
            assert held.wait(WATCHDOG)
            return path.read_bytes()

        def write(self, path: Path, data: bytes) -> Any:
            raise NotImplementedError

        def commands_ran(self, started_ns: int) -> None:
            raise NotImplementedError

    def reads(number: int, _request: Recorded) -> Reply:
        return say("Read.") if number else calls(Call("read_file", {"path": "main.py"}, id="r"))

    family = Family(tasks("a"), a=reads, second=lambda *_: say("now"))
    provider.handler = family
    screen = Screen()
    agent = make_agent(emit=screen, files=Files())
    result, seconds = cancelled_when(agent, lambda: inside.wait(WATCHDOG))
    assert result["interrupted"]
    assert seconds < 20 * PROMPTLY
    (end,) = screen.of(ChildFinished)
    assert end.stop_reason == "cancelled"
    shown = len(screen.events)
    held.set()
    for thread in [t for t in threading.enumerate() if t.name.startswith("child-")]:
        thread.join(WATCHDOG)
    assert len(screen.events) == shown
    assert_histories(store, agent)
    assert agent.chat("second") == "now"


def test_a_child_may_be_stopped_alone(provider: FakeProvider, make_agent: MakeAgent) -> None:
    family = Family(tasks("a", "b"), a=runs("touch a"), b=runs("touch b"))
    provider.handler = family
    asked = threading.Semaphore(0)
    screen = Screen(lambda _question: asked.release())
    agent = make_agent(emit=screen)
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(agent.run_conversation("go")))
    thread.start()
    assert all(asked.acquire(timeout=WATCHDOG) for _ in range(2))
    first, second = screen.of(ApprovalRequested)
    assert agent.interrupt_child(first.child)
    assert not agent.interrupt_child("nobody")
    screen.wait_for(ChildFinished)
    second.reply.set_result("allow_once")
    thread.join(WATCHDOG)
    assert results[0]["final_response"] == "Thanks."
    assert family.results[0].count("interrupted by the user after 1 step") == 1
    assert family.results[0].count("completed after 2 steps") == 1
    assert not agent.interrupt_child(second.child)
