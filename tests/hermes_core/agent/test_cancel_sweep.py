"""A cancel at every single event of a turn: the session is in order, and the next prompt works."""

from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.events import (
    ApprovalRequested,
    ToolCallFinished,
    ToolCallRunning,
    ToolCallStarted,
    TurnInterrupted,
)
from hermes_core.ground.events_json import from_json
from hermes_core.sessions.store import Store
from tests.fakes.provider import Call, FakeProvider, Reasoning, Recorded, Reply, Text, calls, say
from tests.hermes_core.agent.doubles import MakeAgent, Screen, assert_alternating

STEPS = (
    Reply(
        [
            Reasoning("hm"),
            Text("I look."),
            Call("read_file", {"path": "main.py"}),
            Call("search_files", {"pattern": "add"}),
            Call("nosuch"),
            Call("todo", {"steps": [{"content": "fix"}]}),
        ]
    ),
    calls(
        Call("patch", {"path": "main.py", "edits": [{"old": "a - b", "new": "a + b"}]}),
        Call("write_file", {"path": "new.py", "content": "x = 1\n"}),
        Call("terminal", {"command": "echo ran"}),
    ),
    say("Done."),
)
EVENTS_AT_MOST = 60


def scripted(request: Recorded) -> Reply:
    """Answer by how far the last turn is; the second turn is a short one."""
    messages: list[Any] = request.messages
    assert_alternating(messages)
    asked = [i for i, m in enumerate(messages) if m["role"] == "user"]
    if messages[asked[-1]]["content"] == "second":
        return say("now")
    answers = [m for m in messages[asked[-1] :] if m["role"] == "assistant"]
    return STEPS[len(answers)]


@pytest.fixture
def provider() -> Any:
    with FakeProvider(scripted) as provider:
        yield provider


@pytest.mark.parametrize("place", range(EVENTS_AT_MOST))
def test_cancel_at_event(
    place: int, provider: FakeProvider, make_agent: MakeAgent, store: Store, project: Path
) -> None:
    class Canceller(Screen):
        def __call__(self, event: Any) -> None:
            super().__call__(event)
            if armed and len(self.events) == place + 1:
                agent.interrupt()
            if isinstance(event, ApprovalRequested) and not event.reply.done():
                event.reply.set_result("allow_once")

    armed = [True]
    screen = Canceller()
    agent = make_agent(emit=screen)
    result = agent.run_conversation("first")
    happened = len(screen.events) > place
    if not happened:
        assert (result["stop_reason"], result["final_response"]) == ("end_turn", "Done.")
    elif not isinstance(screen.events[place], TurnInterrupted):
        assert (result["stop_reason"], result["error"]) == ("cancelled", None)
    started = [event.call_id for event in screen.of(ToolCallStarted)]
    assert started == [event.call_id for event in screen.of(ToolCallFinished)]
    assert store.messages(agent.session_id) == result["messages"]
    assert_what_was_shown_as_done_is_stored(screen, store, agent.session_id)
    assert_only_what_was_running_ran(screen, project)
    armed.clear()
    assert agent.chat("second") == "now"


def assert_what_was_shown_as_done_is_stored(screen: Screen, store: Store, session: str) -> None:
    kept = [from_json(row) for row in store.shown(session)]
    for event in screen.of(ToolCallStarted, ToolCallFinished):
        assert event in kept


def assert_only_what_was_running_ran(screen: Screen, project: Path) -> None:
    names = {event.call_id: event.name for event in screen.of(ToolCallStarted)}
    running = {names[event.call_id] for event in screen.of(ToolCallRunning)}
    assert (project / "new.py").exists() <= ("write_file" in running)
    assert ("a + b" in (project / "main.py").read_text()) <= ("patch" in running)


def test_the_sweep_reaches_the_end(provider: FakeProvider, make_agent: MakeAgent) -> None:
    screen = Screen(lambda event: event.reply.set_result("allow_once"))
    make_agent(emit=screen).chat("first")
    assert 30 < len(screen.events) < EVENTS_AT_MOST
