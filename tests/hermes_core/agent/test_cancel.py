"""Cancelling a turn in each of its states, and the turn after it."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hermes_core import AIAgent
from hermes_core.agent.results import Result
from hermes_core.ground.events import (
    ApprovalRequested,
    StatusChanged,
    StepFinished,
    TextDelta,
    ToolCallFinished,
    ToolCallRunning,
    ToolCallStarted,
    TurnInterrupted,
)
from hermes_core.ground.interrupt import Interrupt
from hermes_core.sessions.store import Store
from tests.fakes.provider import (
    Call,
    FakeProvider,
    Reply,
    Text,
    Wait,
    call,
    calls,
    fail,
    say,
)
from tests.hermes_core.agent.doubles import (
    WATCHDOG,
    MakeAgent,
    Screen,
    assert_requests_alternate,
    events_of,
)


def cancel_when(
    agent: AIAgent, ready: Callable[[], Any], interrupt: Interrupt | None = None
) -> Result:
    """Run a turn, cancel it once ``ready`` returns, and return its result."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(agent.run_conversation, "first", interrupt=interrupt)
        ready()
        agent.interrupt()
        return running.result(WATCHDOG)


def assert_cancelled(result: Result, screen: Screen, provider: FakeProvider, agent: Any) -> None:
    """Hold a cancelled turn, and the next one, against what a cancel promises."""
    assert result["stop_reason"] == "cancelled"
    assert result["interrupted"]
    assert not result["completed"]
    assert result["error"] is None
    assert screen.of(TurnInterrupted)
    started = [event.call_id for event in screen.of(ToolCallStarted)]
    assert sorted(started) == sorted(event.call_id for event in screen.of(ToolCallFinished))
    provider.script(say("now"))
    assert agent.chat("second") == "now"
    assert_requests_alternate(provider)


def test_cancel_while_the_model_answers(provider: FakeProvider, make_agent: MakeAgent) -> None:
    provider.script(Reply([Text("half of it."), Wait(threading.Event())]))
    screen = Screen()
    agent = make_agent(emit=screen)
    result = cancel_when(agent, lambda: screen.wait_for(TextDelta))
    assert_cancelled(result, screen, provider, agent)
    assert "half of it." not in str(provider.requests[1].messages)


def test_the_half_that_was_shown_is_in_the_display_log(
    provider: FakeProvider, make_agent: MakeAgent, store: Store
) -> None:
    provider.script(Reply([Text("half of it."), Wait(threading.Event())]))
    screen = Screen()
    agent = make_agent(emit=screen)
    cancel_when(agent, lambda: screen.wait_for(TextDelta))
    events = events_of(store, agent)
    assert isinstance(events[1], TextDelta)
    assert events[1].text == "half of it."
    assert isinstance(events[2], TurnInterrupted)


def test_cancel_before_the_first_byte(provider: FakeProvider, make_agent: MakeAgent) -> None:
    provider.script(Reply([Text("x")], before=threading.Event()))
    screen = Screen()
    agent = make_agent(emit=screen)
    result = cancel_when(agent, lambda: provider.wait_for_request(1))
    assert_cancelled(result, screen, provider, agent)


def test_cancel_while_a_command_runs(
    provider: FakeProvider, make_agent: MakeAgent, project: Path
) -> None:
    provider.script(
        calls(
            Call("terminal", {"command": "echo begun; sleep 600; touch never"}),
            Call("terminal", {"command": "touch never"}),
        )
    )
    screen = Screen(lambda event: event.reply.set_result("allow_once"))
    agent = make_agent(emit=screen)
    result = cancel_when(agent, lambda: screen.wait_for(ToolCallRunning))
    assert_cancelled(result, screen, provider, agent)
    assert len(provider.requests[1].tool_results) == 2
    assert not (project / "never").exists()


def test_cancel_while_a_question_is_open(
    provider: FakeProvider, make_agent: MakeAgent, project: Path
) -> None:
    provider.script(call("terminal", {"command": "touch never"}))
    screen = Screen()
    agent = make_agent(emit=screen)
    result = cancel_when(agent, lambda: screen.wait_for(ApprovalRequested))
    assert screen.of(ApprovalRequested)[0].reply.cancelled()
    assert_cancelled(result, screen, provider, agent)
    assert not (project / "never").exists()


def test_a_cancel_that_comes_before_the_turn_counts(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    interrupt = Interrupt()
    interrupt.set()
    screen = Screen()
    agent = make_agent(emit=screen)
    result = agent.run_conversation("first", interrupt=interrupt)
    assert provider.requests == []
    assert_cancelled(result, screen, provider, agent)


def test_an_interrupt_between_turns_does_nothing(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    provider.script(say("one"))
    agent = make_agent()
    agent.interrupt()
    assert agent.chat("first") == "one"
    agent.interrupt()


def test_a_cancel_at_the_very_end_is_still_told_as_one(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    def stop_once(event: Any) -> None:
        if isinstance(event, StepFinished) and not stopped:
            stopped.append(event)
            agent.interrupt()

    stopped: list[Any] = []
    provider.script(say("whole"))
    agent = make_agent(emit=stop_once)
    result = agent.run_conversation("first")
    assert (result["stop_reason"], result["final_response"]) == ("cancelled", "whole")
    provider.script(say("now"))
    assert agent.chat("second") == "now"
    assert_requests_alternate(provider)


def test_a_failure_that_comes_with_the_cancel_is_a_cancel(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    def stop(event: Any) -> None:
        if isinstance(event, StatusChanged):
            agent.interrupt()

    provider.script(fail(503, retry_after="0"))
    agent = make_agent(emit=stop)
    result = agent.run_conversation("first")
    assert (result["stop_reason"], result["error"]) == ("cancelled", None)
    assert result["final_response"] == ""
