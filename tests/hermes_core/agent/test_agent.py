"""Whole turns over loopback HTTP: resuming, failing, and what the store then holds."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.content import PlanEntry
from hermes_core.ground.errors import ConfigError, HermesError, ProviderError, StoreError
from hermes_core.ground.events import (
    PlanChanged,
    StatusChanged,
    TextDelta,
    ToolCallFinished,
    ToolCallRunning,
    ToolCallStarted,
    UserPrompted,
)
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

READ = {"path": "main.py"}


def test_a_turn_is_in_the_store_when_it_ends(
    provider: FakeProvider, make_agent: MakeAgent, store: Store
) -> None:
    provider.script(Reply([Text("Let me "), Text("see."), Call("read_file", READ)]), say("Ok."))
    screen = Screen()
    agent = make_agent(emit=screen)
    result = agent.run_conversation("What is in main.py?\nTell me.")
    assert store.messages(agent.session_id) == result["messages"]
    kinds = [type(event) for event in events_of(store, agent)]
    assert kinds[:5] == [
        UserPrompted,
        TextDelta,
        ToolCallStarted,
        ToolCallRunning,
        ToolCallFinished,
    ]
    texts = [e.text for e in events_of(store, agent) if isinstance(e, TextDelta)]
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
    assert_requests_alternate(provider)


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
    make_agent: MakeAgent, store: Store, project: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    agent = make_agent()
    assert str(project) in agent.system_prompt
    moved = make_agent(session_id=agent.session_id, cwd=other, additional_directories=[tmp_path])
    row = store.session(moved.session_id)
    assert row
    assert (row.cwd, row.additional) == (str(other), (str(tmp_path),))
    assert str(other) in moved.system_prompt


def test_a_folder_that_is_none_is_refused(make_agent: MakeAgent, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not a folder"):
        make_agent(cwd=tmp_path / "nowhere")


def test_a_mode_that_is_none_is_refused(make_agent: MakeAgent) -> None:
    with pytest.raises(ConfigError, match="accept_edits"):
        make_agent(mode="yolo")
    agent = make_agent(mode="accept_edits")
    with pytest.raises(ConfigError):
        agent.mode = "yolo"  # type: ignore[assignment]  # the mistake under test
    assert agent.mode == "accept_edits"


def test_the_plan_reaches_the_screen_and_the_store(
    provider: FakeProvider, make_agent: MakeAgent, store: Store
) -> None:
    provider.script(call("todo", {"steps": [{"content": "look"}]}), say("ok"))
    screen = Screen()
    agent = make_agent(emit=screen)
    agent.chat("plan it")
    plan = PlanChanged((PlanEntry("look"),))
    assert plan in screen.events
    assert plan in events_of(store, agent)


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
    assert_requests_alternate(provider)


def test_a_failure_after_tools_keeps_their_results(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    provider.script(call("read_file", READ), fail(400), say("now"))
    agent = make_agent()
    assert agent.run_conversation("first")["exception"]
    assert agent.chat("second") == "now"
    assert "return a - b" in provider.requests[2].tool_results[0]
    assert_requests_alternate(provider)


def test_without_a_key_the_session_opens_and_the_turn_says_what_to_do(
    make_agent: MakeAgent, config: Config
) -> None:
    agent = make_agent(config=replace(config, provider="openrouter", base_url=None))
    result = agent.run_conversation("hello")
    assert isinstance(result["exception"], ConfigError)
    assert "OPENROUTER_API_KEY" in str(result["error"])
    assert result["api_calls"] == 0


def test_a_key_that_is_added_counts_from_the_next_turn(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    agent = make_agent(config=replace(config, provider="openrouter", base_url=None))
    assert agent.run_conversation("first")["exception"]
    agent.configure(config)
    provider.script(say("now"))
    result = agent.run_conversation("second")
    assert (result["final_response"], result["api_calls"]) == ("now", 1)


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
    assert_requests_alternate(provider)


def test_a_cut_off_answer_with_calls(provider: FakeProvider, make_agent: MakeAgent) -> None:
    cut = Reply([Call("write_file", '{"path": "x", "content": "abc'), Finish("length")])
    provider.script(cut, cut, cut, say("now"))
    agent = make_agent(mode="accept_edits")
    result = agent.run_conversation("first")
    assert result["stop_reason"] == "max_tokens"
    assert agent.chat("second") == "now"
    assert_requests_alternate(provider)
    assert "Not run" in provider.requests[3].tool_results[0]


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
    provider.script(*[call("read_file", READ)] * 3, say("I read it three times."))
    agent = make_agent(config=replace(config, max_turns=3))
    result = agent.run_conversation("go")
    assert result["stop_reason"] == "max_turn_requests"
    assert result["final_response"] == "I read it three times."
    assert (result["steps"], result["api_calls"]) == (3, 4)
    assert provider.requests[3].body["tools"] == provider.requests[0].body["tools"]
    assert_requests_alternate(provider)


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
    assert_requests_alternate(provider)
    assert store.messages("killed")[-1]["content"] == "now"
