"""Whole turns over loopback HTTP: resuming, cancelling, failing, and what the store then holds."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hermes_core import AIAgent
from hermes_core.agent.results import Result
from hermes_core.ground.content import PlanEntry
from hermes_core.ground.errors import ConfigError, HermesError, ProviderError, StoreError
from hermes_core.ground.events import (
    ApprovalRequested,
    PlanChanged,
    StatusChanged,
    StepFinished,
    TextDelta,
    ToolCallFinished,
    ToolCallRunning,
    ToolCallStarted,
    TurnInterrupted,
    UserPrompted,
)
from hermes_core.ground.events_json import from_json
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import Message
from hermes_core.local.config import Config
from hermes_core.sessions.store import SessionRow, Store
from tests.fakes.provider import (
    Call,
    Cut,
    FakeProvider,
    Finish,
    Reply,
    Text,
    Wait,
    call,
    calls,
    fail,
    say,
)
from tests.hermes_core.agent.doubles import WATCHDOG, MakeAgent, Screen, assert_alternating

READ = {"path": "main.py"}


def shown(store: Store, agent: AIAgent) -> list[Any]:
    return [from_json(row) for row in store.shown(agent.session_id)]


def every_request_alternates(provider: FakeProvider) -> None:
    assert provider.requests
    for request in provider.requests:
        messages: list[Any] = request.messages
        assert_alternating(messages)


def test_a_turn_is_in_the_store_when_it_ends(
    provider: FakeProvider, make_agent: MakeAgent, store: Store
) -> None:
    provider.script(Reply([Text("Let me "), Text("see."), Call("read_file", READ)]), say("Ok."))
    screen = Screen()
    agent = make_agent(emit=screen)
    result = agent.run_conversation("What is in main.py?\nTell me.")
    assert store.messages(agent.session_id) == result["messages"]
    kinds = [type(event) for event in shown(store, agent)]
    assert kinds[:5] == [
        UserPrompted,
        TextDelta,
        ToolCallStarted,
        ToolCallRunning,
        ToolCallFinished,
    ]
    texts = [e.text for e in shown(store, agent) if isinstance(e, TextDelta)]
    assert texts == ["Let me see.", "Ok."]
    row = store.session(agent.session_id)
    assert row
    assert row.title == "What is in main.py?"
    assert row.system_prompt == provider.requests[0].messages[0]["content"]


def test_the_second_turn_sends_the_first(provider: FakeProvider, make_agent: MakeAgent) -> None:
    provider.script(say("one"), say("two"))
    agent = make_agent()
    agent.chat("first")
    agent.chat("second")
    assert [m["content"] for m in provider.requests[1].messages[1:]] == ["first", "one", "second"]
    every_request_alternates(provider)


def test_usage_and_calls_are_those_of_the_turn(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    provider.script(call("read_file", READ), say("one"), say("two"))
    agent = make_agent()
    first, second = agent.run_conversation("a"), agent.run_conversation("b")
    assert (first["api_calls"], first["steps"]) == (2, 2)
    assert (second["api_calls"], second["steps"]) == (1, 1)
    assert first["usage"]["input"] == 2 * second["usage"]["input"] > 0


def test_a_session_goes_on_in_another_process(
    provider: FakeProvider, make_agent: MakeAgent, project: Path
) -> None:
    steps = [{"content": "look", "status": "in_progress"}]
    provider.script(call("todo", {"steps": steps}), say("one"), call("todo"), say("two"))
    first = make_agent(emit=Screen(), mode="accept_edits")
    first.chat("first")
    (project / "AGENTS.md").write_text("New rules.")
    again = make_agent(emit=Screen(), session_id=first.session_id, cwd=None)
    assert again.mode == "accept_edits"
    again.chat("second")
    before, after = provider.requests[0].messages, provider.requests[2].messages
    assert after[0] == before[0]
    assert [m["role"] for m in after] == [
        *("system", "user", "assistant", "tool", "assistant", "user")
    ]
    assert provider.requests[3].tool_results[-1] == "[in_progress] look"


def test_another_folder_makes_another_prompt(
    provider: FakeProvider, make_agent: MakeAgent, store: Store, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    agent = make_agent()
    moved = make_agent(session_id=agent.session_id, cwd=other, additional_directories=[tmp_path])
    row = store.session(moved.session_id)
    assert row
    assert (row.cwd, row.additional) == (str(other), (str(tmp_path),))
    assert str(other) in str(row.system_prompt)


def test_a_folder_that_is_none_is_refused(make_agent: MakeAgent, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not a folder"):
        make_agent(cwd=tmp_path / "nowhere")


def test_the_plan_reaches_the_screen_and_the_store(
    provider: FakeProvider, make_agent: MakeAgent, store: Store
) -> None:
    provider.script(call("todo", {"steps": [{"content": "look"}]}), say("ok"))
    screen = Screen()
    agent = make_agent(emit=screen)
    agent.chat("plan it")
    plan = PlanChanged((PlanEntry("look"),))
    assert plan in screen.events
    assert plan in shown(store, agent)


def test_a_system_message_replaces_the_prompt_for_one_turn(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    provider.script(say("one"), say("two"))
    agent = make_agent()
    agent.run_conversation("a", system_message="Be brief.")
    agent.run_conversation("b")
    assert provider.requests[0].messages[0]["content"] == "Be brief."
    assert "You are Hermes" in provider.requests[1].messages[0]["content"]


HISTORY: list[Message] = [
    {"role": "system", "content": "left out"},
    {"role": "user", "content": "old question"},
    {"role": "assistant", "content": "old answer"},
]


def test_a_given_history_becomes_the_session(
    provider: FakeProvider, make_agent: MakeAgent, store: Store
) -> None:
    provider.script(say("one"), say("two"))
    agent = make_agent()
    session_id = agent.session_id
    result = agent.run_conversation("a", conversation_history=HISTORY)
    agent.run_conversation("b", conversation_history=result["messages"])
    assert agent.session_id == session_id
    sent = [m["content"] for m in provider.requests[1].messages[1:]]
    assert sent == ["old question", "old answer", "a", "one", "b"]
    assert [m["content"] for m in store.messages(session_id)] == [*sent, "two"]


def test_a_history_that_differs_begins_a_session_of_its_own(
    provider: FakeProvider, make_agent: MakeAgent, store: Store
) -> None:
    provider.script(say("one"), say("two"))
    agent = make_agent()
    first = agent.run_conversation("a")
    second = agent.run_conversation("b", conversation_history=HISTORY)
    assert first["session_id"] != second["session_id"] == agent.session_id
    assert [m["content"] for m in store.messages(first["session_id"])] == ["a", "one"]
    assert len(store.messages(second["session_id"])) == 4
    titles = [row.title for row in store.sessions()]
    assert sorted(map(str, titles)) == ["a", "b"]


# What ends a turn early


def test_a_failing_provider_ends_the_turn_and_the_next_prompt_works(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    provider.script(fail(400, "no such parameter"), say("now"))
    screen = Screen()
    agent = make_agent(emit=screen)
    result = agent.run_conversation("first")
    assert isinstance(result["exception"], ProviderError)
    assert result["error"] == str(result["exception"]) == result["final_response"]
    assert (result["stop_reason"], result["completed"]) == ("error", False)
    assert [(e.level, e.text) for e in screen.of(StatusChanged)] == [("error", result["error"])]
    assert agent.chat("second") == "now"
    sent = [m["content"] for m in provider.requests[1].messages[1:]]
    assert sent[0] == "first"
    assert sent[2] == "second"
    every_request_alternates(provider)


def test_a_failure_after_tools_keeps_their_results(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    provider.script(call("read_file", READ), fail(400), say("now"))
    agent = make_agent()
    assert agent.run_conversation("first")["exception"]
    assert agent.chat("second") == "now"
    assert "return a - b" in provider.requests[2].tool_results[0]
    every_request_alternates(provider)


def test_without_a_key_the_session_opens_and_the_turn_says_what_to_do(
    make_agent: MakeAgent, config: Config
) -> None:
    from dataclasses import replace

    agent = make_agent(config=replace(config, provider="openrouter", base_url=None))
    result = agent.run_conversation("hello")
    assert isinstance(result["exception"], ConfigError)
    assert "OPENROUTER_API_KEY" in str(result["error"])
    assert result["api_calls"] == 0


def test_a_full_disk_ends_the_turn_with_its_reason(
    provider: FakeProvider,
    make_agent: MakeAgent,
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    agent = make_agent()

    def full(*args: Any) -> None:
        raise StoreError("The disk is full. Make room and try again.")

    with monkeypatch.context() as patched:
        patched.setattr(store, "append", full)
        result = agent.run_conversation("first")
    assert isinstance(result["exception"], StoreError)
    assert provider.requests == []
    provider.script(say("now"))
    assert agent.chat("second") == "now"


def test_a_callback_that_raises_is_heard_of_and_the_history_stays_in_order(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    def crash(number: int, _: Any) -> None:
        if number == 2:
            raise RuntimeError("mistake of the caller")

    provider.script(call("read_file", READ), say("now"))
    agent = make_agent(step_callback=crash)
    with pytest.raises(RuntimeError, match="mistake of the caller"):
        agent.chat("first")
    assert agent.chat("second") == "now"
    every_request_alternates(provider)


def test_a_cut_off_answer_with_calls(provider: FakeProvider, make_agent: MakeAgent) -> None:
    provider.script(
        Reply([Call("write_file", '{"path": "x", "content": "abc'), Finish("length")]), say("now")
    )
    agent = make_agent(mode="accept_edits")
    result = agent.run_conversation("first")
    assert result["stop_reason"] == "max_tokens"
    assert agent.chat("second") == "now"
    every_request_alternates(provider)
    assert "Not run" in provider.requests[1].tool_results[0]


def test_a_refusal_is_not_part_of_the_next_request(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    provider.script(Reply([Text("No."), Finish("content_filter")]), say("now"))
    agent = make_agent()
    result = agent.run_conversation("bad")
    assert (result["stop_reason"], result["final_response"]) == ("refusal", "No.")
    assert agent.chat("good") == "now"
    assert [m["content"] for m in provider.requests[1].messages[1:]] == ["good"]


def test_an_endless_loop_stops_at_the_limit(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    from dataclasses import replace

    provider.script(*[call("read_file", READ)] * 3, say("I read it three times."))
    agent = make_agent(config=replace(config, max_turns=3))
    result = agent.run_conversation("go")
    assert result["stop_reason"] == "max_turn_requests"
    assert result["final_response"] == "I read it three times."
    assert (result["steps"], result["api_calls"]) == (3, 4)
    assert "tools" not in provider.requests[3].body
    every_request_alternates(provider)


def test_a_second_turn_at_the_same_time_is_refused(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    hold = threading.Event()
    provider.script(Reply([Text("a"), Wait(hold)]))
    agent = make_agent()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(agent.chat, "first")
        provider.wait_for_request(1)
        with pytest.raises(HermesError, match="already running"):
            agent.chat("second")
        hold.set()
        assert running.result(WATCHDOG) == "a"


def test_a_session_that_is_open_elsewhere_is_refused(
    make_agent: MakeAgent, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = make_agent()

    def held(session_id: str) -> None:
        raise StoreError(f"The session {session_id} is open in another Hermes.")

    monkeypatch.setattr(store, "claim", held)
    with pytest.raises(StoreError, match="open in another"):
        make_agent(session_id=agent.session_id)


# Cancelling


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
    every_request_alternates(provider)


def test_cancel_while_the_model_answers(provider: FakeProvider, make_agent: MakeAgent) -> None:
    provider.script(Reply([Text("half an ans"), Wait(threading.Event())]))
    screen = Screen()
    agent = make_agent(emit=screen)
    result = cancel_when(agent, lambda: screen.wait_for(TextDelta))
    assert_cancelled(result, screen, provider, agent)
    assert "half an ans" not in str(provider.requests[1].messages)


def test_the_half_that_was_shown_is_in_the_display_log(
    provider: FakeProvider, make_agent: MakeAgent, store: Store
) -> None:
    provider.script(Reply([Text("half an ans"), Wait(threading.Event())]))
    screen = Screen()
    agent = make_agent(emit=screen)
    cancel_when(agent, lambda: screen.wait_for(TextDelta))
    events = shown(store, agent)
    assert isinstance(events[1], TextDelta)
    assert events[1].text == "half an ans"
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
    every_request_alternates(provider)


def test_a_stream_that_breaks_in_a_tool_call_runs_nothing(
    provider: FakeProvider, make_agent: MakeAgent, project: Path
) -> None:
    broken = Reply([Text("I write"), Call("write_file", '{"path": "never", "con'), Cut()])
    provider.script(broken)
    agent = make_agent(mode="accept_edits")
    result = agent.run_conversation("first")
    assert result["exception"]
    assert not (project / "never").exists()
    assert "I write" not in str(result["messages"])


# After a kill


def test_calls_left_open_by_a_kill_are_answered_before_the_next_request(
    provider: FakeProvider, make_agent: MakeAgent, store: Store, project: Path
) -> None:
    store.create_session(SessionRow("killed", str(project), system_prompt="old"))
    open_calls: list[Message] = [
        {"role": "user", "content": "first"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "terminal", "arguments": '{"command": "make"}'},
                }
            ],
        },
    ]
    store.append("killed", open_calls, [])
    provider.script(say("now"))
    agent = make_agent(session_id="killed")
    assert store.messages("killed") == open_calls
    assert agent.chat("second") == "now"
    assert provider.requests[0].tool_results == [
        "interrupted: the process ended while this ran; it may have run"
    ]
    every_request_alternates(provider)
    assert store.messages("killed")[-1]["content"] == "now"
