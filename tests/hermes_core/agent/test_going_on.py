"""``run_conversation(None)`` goes on with a history as it stands; and what a turn knows of the last
one that was interrupted, of its money, of results too long for it."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from hermes_core.agent.alternation import PROCESS_ENDED
from hermes_core.ground.events import StatusChanged, ToolCallRunning, TurnInterrupted, UserPrompted
from hermes_core.ground.messages import Message, tool_message, user_message
from hermes_core.local.config import Config
from hermes_core.sessions.store import Store
from tests.fakes.provider import (
    Call,
    FakeProvider,
    Finish,
    Reply,
    Text,
    Usage,
    Wait,
    call,
    calls,
    say,
)
from tests.hermes_core.agent.doubles import (
    WATCHDOG,
    MakeAgent,
    Screen,
    assert_requests_alternate,
    events_of,
    tool_call,
)
from tests.hermes_core.agent.doubles import calls as calling


def test_a_history_that_ends_in_the_users_word_is_answered(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    provider.script(say("hello"))
    screen = Screen()
    agent = make_agent(emit=screen)
    result = agent.run_conversation(None, conversation_history=[user_message("hi")])
    assert result["final_response"] == "hello"
    assert [m["role"] for m in result["messages"]] == ["user", "assistant"]
    assert screen.of(UserPrompted) == []


def test_a_history_that_ends_in_a_result_is_gone_on_with(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    provider.script(say("done"))
    history: list[Message] = [
        user_message("look"),
        calling(tool_call("1", "read_file", {"path": "main.py"})),
        tool_message("1", "read_file", "def add"),
    ]
    result = make_agent().run_conversation(None, conversation_history=history)
    assert result["final_response"] == "done"
    assert provider.requests[0].tool_results == ["def add"]
    assert_requests_alternate(provider)


def test_a_turn_that_a_crash_ended_goes_on_in_another_process(
    provider: FakeProvider, make_agent: MakeAgent, store: Store
) -> None:
    first = make_agent()
    history: list[Message] = [
        user_message("look"),
        calling(tool_call("1", "terminal", {"command": "make"})),
    ]
    store.append(first.session_id, history, [])
    provider.script(say("done"))
    again = make_agent(session_id=first.session_id)
    assert again.run_conversation(None)["final_response"] == "done"
    assert provider.requests[0].tool_results == [PROCESS_ENDED]
    stored = [message["role"] for message in store.messages(first.session_id)]
    assert stored == ["user", "assistant", "tool", "assistant"]


def test_there_must_be_something_to_go_on_with(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    agent = make_agent()
    result = agent.run_conversation(None)
    assert "nothing to go on with" in str(result["error"])
    provider.script(say("hello"))
    agent.chat("hi")
    assert "nothing to go on with" in str(agent.run_conversation(None)["error"])
    assert agent.run_conversation(None)["messages"][-1]["content"] == "hello"
    assert len(provider.requests) == 1


def test_the_next_turn_knows_which_calls_were_not_run(
    provider: FakeProvider, make_agent: MakeAgent, store: Store
) -> None:
    provider.script(
        calls(
            Call("terminal", {"command": "echo begun; sleep 600"}),
            Call("terminal", {"command": "touch never"}),
        )
    )
    screen = Screen(lambda event: event.reply.set_result("allow_once"))
    agent = make_agent(emit=screen)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(agent.run_conversation, "first")
        screen.wait_for(ToolCallRunning)
        agent.interrupt()
        assert running.result(WATCHDOG)["interrupted"]
    provider.script(say("now"))
    agent.chat("what happened?")
    told = [m["content"] for m in provider.requests[1].messages if m["role"] == "assistant"][-1]
    assert "Stopped while running, so perhaps done in part: terminal echo begun; sleep 600." in told
    assert "Not run: terminal touch never." in told
    [shown] = [event for event in events_of(store, agent) if isinstance(event, TurnInterrupted)]
    assert shown.not_run == ("terminal touch never",)


def test_the_next_turn_knows_that_an_answer_was_interrupted(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    provider.script(Reply([Text("half of it."), Wait(threading.Event())]))
    agent = make_agent()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(agent.run_conversation, "first")
        provider.wait_for_request(1)
        agent.interrupt()
        running.result(WATCHDOG)
    provider.script(say("now"))
    agent.chat("second")
    assert "interrupted this turn before its answer" in str(provider.requests[1].messages)


def priced(config: Config, **more: Any) -> Config:
    return replace(config, input_price=1_000.0, output_price=1_000.0, **more)


def step(number: int) -> Reply:
    wanted = Call("read_file", {"path": "main.py", "limit": number})
    return Reply([wanted, Usage(prompt=400, completion=100)])


def test_a_turn_ends_when_its_money_is_spent(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    screen = Screen()
    agent = make_agent(config=priced(config, max_cost=1.0), emit=screen)
    provider.script(step(1), step(2), say("I read it twice."))
    result = agent.run_conversation("go")
    assert result["stop_reason"] == "max_turn_requests"
    assert result["final_response"] == "I read it twice."
    assert not result["completed"]
    assert "$1.00 of model calls" in screen.of(StatusChanged)[-1].text
    provider.script(say("another turn has its own"))
    assert agent.run_conversation("more")["completed"]


def test_a_cap_that_cannot_be_held_is_told(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    screen = Screen()
    agent = make_agent(config=replace(config, max_cost=1.0), emit=screen)
    provider.script(step(1), step(2), say("done"))
    assert agent.run_conversation("go")["completed"]
    [told] = screen.of(StatusChanged)
    assert "What fake costs is not known" in told.text


def test_without_any_money_no_call_is_made(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    result = make_agent(config=priced(config, max_cost=0.0)).run_conversation("go")
    assert (result["stop_reason"], result["api_calls"]) == ("max_turn_requests", 0)
    assert "the limit for one turn is $0 (agent.max_cost" in result["final_response"]
    assert provider.requests == []


def test_the_smallest_cap_lets_one_call_and_its_summary_through(
    provider: FakeProvider, make_agent: MakeAgent, config: Config
) -> None:
    provider.script(step(1), say("That far."))
    result = make_agent(config=priced(config, max_cost=1e-9)).run_conversation("go")
    assert (result["stop_reason"], result["steps"]) == ("max_turn_requests", 1)
    assert result["final_response"] == "That far."


def test_a_result_too_long_for_the_window_is_read_from_its_file_unasked(
    provider: FakeProvider, make_agent: MakeAgent, config: Config, project: Path
) -> None:
    (project / "big.py").write_text("\n".join(f"line {n}: {'x' * 60}" for n in range(3_000)))
    home = config.home / "outputs"

    def answer(request: Any) -> Reply:
        number = len(provider.requests)
        if number == 1:
            return call("search_files", {"pattern": "line", "limit": 2_000})
        if number == 2:
            [path] = home.iterdir()
            return call("read_file", {"path": str(path), "offset": 2, "limit": 1})
        return say("seen")

    provider.handler = answer
    agent = make_agent(config=replace(config, context_window=8_000))
    assert agent.chat("search") == "seen"
    first, second = provider.requests[-1].tool_results
    assert str(home) in first
    assert len(first) < 3_000
    assert second.startswith(first.split("\n")[1])


def test_a_cut_answer_is_one_message_of_the_session(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    provider.script(Reply([Text("one "), Finish("length")]), say("two"))
    result = make_agent().run_conversation("count")
    assert (result["final_response"], result["stop_reason"]) == ("one two", "end_turn")
    assert [m["content"] for m in result["messages"]] == ["count", "one two"]


def test_an_empty_answer_after_a_word_about_it_is_an_error(
    provider: FakeProvider, make_agent: MakeAgent
) -> None:
    provider.script(say(""), say(""), say("now"))
    agent = make_agent()
    result = agent.run_conversation("hi")
    assert result["stop_reason"] == "error"
    assert "empty answer twice" in str(result["error"])
    assert agent.chat("again") == "now"
    assert_requests_alternate(provider)
