"""What comes of the calls of one answer: repeated ones, long results, the outcomes."""

from dataclasses import replace
from pathlib import Path

from hermes_core.agent import tool_executor
from hermes_core.agent.tool_executor import run_tool_calls
from hermes_core.ground.errors import ToolError
from hermes_core.ground.events import ToolCallFinished, ToolCallStarted
from hermes_core.ground.messages import ToolCall
from tests.hermes_core.agent.doubles import Stage, calls, tool_call
from tests.hermes_core.agent.tools_double import act_tool, broken_tool, look_tool


def run(stage: Stage, *wanted: ToolCall) -> list[str]:
    """Run the calls as the answer to a prompt; return the results in the order of the history."""
    stage.conversation.begin("do it", "m")
    stored = stage.conversation.append(calls(*wanted))["tool_calls"]
    run_tool_calls(stored, stage.tools, stage.conversation, stage.screen, stage.interrupt)
    return [str(m["content"]) for m in stage.store.rows if m["role"] == "tool"]


def assert_every_card_ends_once(stage: Stage) -> None:
    started = [event.call_id for event in stage.screen.of(ToolCallStarted)]
    assert started == [event.call_id for event in stage.screen.of(ToolCallFinished)]


def test_a_call_that_an_answer_repeats_is_made_once_and_answered_twice(tmp_path: Path) -> None:
    ran: list[str] = []
    asked: list[str] = []
    stage = Stage(
        tmp_path,
        look_tool(lambda path: ran.append(path) or f"saw {path}"),
        act_tool(lambda text, _: ran.append(text) or "acted"),
    )
    stage.screen._answer = lambda event: (
        asked.append(event.call_id),
        event.reply.set_result("allow_once"),
    )
    answers = run(
        stage,
        tool_call("1", "look", {"path": "a"}),
        tool_call("2", "look", {"path": "a"}),
        tool_call("3", "act", {"command": "c"}),
        tool_call("4", "act", {"command": "c"}),
    )
    again = tool_executor.REPEATED
    assert answers == ["saw a", f"{again}saw a", "acted", f"{again}acted"]
    assert ran == ["a", "c"]
    assert asked == ["3"]
    assert_every_card_ends_once(stage)
    ids = [m["tool_call_id"] for m in stage.store.rows if m["role"] == "tool"]
    assert ids == ["1", "2", "3", "4"]


def test_a_repeated_call_that_fails_fails_twice(tmp_path: Path) -> None:
    stage = Stage(tmp_path, broken_tool(ToolError("no luck"), in_prepare=True))
    assert run(stage, tool_call("1", "broken"), tool_call("2", "broken")) == [
        "no luck",
        f"{tool_executor.REPEATED}no luck",
    ]
    assert {event.status for event in stage.screen.of(ToolCallFinished)} == {"failed"}


def test_what_calls_came_to_is_returned_in_their_order(tmp_path: Path) -> None:
    stage = Stage(tmp_path, look_tool())
    stage.conversation.begin("do it", "m")
    wanted = [tool_call("1", "look", {"path": "a"}), tool_call("2", "nothing")]
    stored = stage.conversation.append(calls(*wanted))["tool_calls"]
    outcomes = run_tool_calls(
        stored, stage.tools, stage.conversation, stage.screen, stage.interrupt
    )
    assert [outcome.request.call["id"] for outcome in outcomes] == ["1", "2"]
    assert [outcome.output.failed for outcome in outcomes] == [False, True]


def test_a_result_that_is_too_long_is_cut_in_the_history_and_on_the_card(tmp_path: Path) -> None:
    stage = Stage(tmp_path, look_tool(lambda _: "x" * 500_000))
    stage.tools = replace(stage.tools, context=replace(stage.tools.context, home=tmp_path))
    [answer] = run(stage, tool_call("1", "look", {"path": "a"}))
    assert len(answer) < 3_000
    [end] = stage.screen.of(ToolCallFinished)
    assert end.output == answer


def test_a_long_result_that_is_the_same_again_is_known_by_its_digest(tmp_path: Path) -> None:
    stage = Stage(tmp_path, look_tool(lambda _: "x" * 500_000))
    stage.tools = replace(stage.tools, context=replace(stage.tools.context, home=tmp_path))
    stage.conversation.begin("do it", "m")
    outcomes = []
    for _ in range(2):
        answer = calls(tool_call("", "look", {"path": "a"}))
        stored = stage.conversation.append(answer)["tool_calls"]
        outcomes += run_tool_calls(
            stored, stage.tools, stage.conversation, stage.screen, stage.interrupt
        )
    first, second = outcomes
    assert first.output.text != second.output.text
    assert first.digest == second.digest
