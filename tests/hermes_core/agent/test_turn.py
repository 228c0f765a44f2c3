"""The loop: steps until an answer, and every other way in which a turn ends."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hermes_core.agent import endings
from hermes_core.agent.endings import Ending
from hermes_core.agent.misbehaviour import ASKS
from hermes_core.agent.turn import run_turn
from hermes_core.agent.upkeep import Upkeep
from hermes_core.ground.budget import Budget
from hermes_core.ground.errors import Interrupted, MalformedResponse, ServerError, ToolError
from hermes_core.ground.events import Emit, StatusChanged, StepFinished, StepStarted, TextDelta
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import Message
from tests.hermes_core.agent.doubles import (
    ScriptedModel,
    Stage,
    assert_alternating,
    calls,
    says,
    tool_call,
)
from tests.hermes_core.agent.tools_double import broken_tool, look_tool


@dataclass
class Bill:
    least: float
    known: bool = True


LOOK = tool_call("1", "look", {"path": "a"})


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    stage = Stage(tmp_path, look_tool())
    stage.conversation.begin("do it", "m")
    return stage


def run(
    stage: Stage, model: ScriptedModel, limit: int = 500, upkeep: Upkeep | None = None
) -> Ending:
    double: Any = model
    ending = run_turn(
        stage.conversation,
        double,
        stage.tools,
        Budget(limit),
        upkeep or Upkeep(),
        emit=stage.screen,
        interrupt=stage.interrupt,
    )
    assert_next_prompt_is_valid(stage)
    return ending


def assert_next_prompt_is_valid(stage: Stage) -> None:
    rows = len(stage.store.rows)
    again = stage.load()
    again.begin("next", "m")
    assert_alternating(again.request_messages())
    del stage.store.rows[rows:]


def last(stage: Stage) -> Message:
    return stage.store.rows[-1]


def test_a_text_ends_the_turn(stage: Stage) -> None:
    model = ScriptedModel(says("hello"))
    assert run(stage, model) == Ending("hello", "end_turn")
    assert last(stage) == says("hello")
    assert stage.screen.of(StepStarted, StepFinished) == [StepStarted(1), StepFinished(1)]
    assert not stage.screen.of(TextDelta)


def test_tools_run_between_answers_and_everything_is_stored_when_it_happens(stage: Stage) -> None:
    seen: list[int] = []

    def second(*_: object) -> Message:
        seen.append(len(stage.store.rows))
        return says("done")

    model = ScriptedModel(calls(LOOK, text="let me see"), second)
    assert run(stage, model) == Ending("done", "end_turn")
    assert seen == [3]
    assert [m["role"] for m in stage.store.rows] == ["user", "assistant", "tool", "assistant"]
    assert stage.screen.of(StepStarted)[-1].number == 2
    assert [s["function"]["name"] for s in model.schemas[0]] == ["look"]


def test_the_answer_is_stored_before_its_tools_run(tmp_path: Path) -> None:
    seen: list[str] = []
    stage = Stage(tmp_path, look_tool(lambda _: seen.append(stage.store.rows[-1]["role"]) or "x"))
    stage.conversation.begin("do it", "m")
    run(stage, ScriptedModel(calls(LOOK), says("done")))
    assert seen == ["assistant"]


def test_an_empty_answer_is_asked_again_once(stage: Stage) -> None:
    model = ScriptedModel(says(" \n"), says("here"))
    assert run(stage, model) == Ending("here", "end_turn")
    assert ASKS["empty"] in str(model.requests[1][-1]["content"])
    assert [m["role"] for m in stage.store.rows] == ["user", "assistant"]


def test_a_second_empty_answer_in_a_row_is_an_error(stage: Stage) -> None:
    ending = run(stage, ScriptedModel(says(""), says("")))
    assert isinstance(ending.error, MalformedResponse)
    assert "empty answer" in ending.text
    assert [m["role"] for m in stage.store.rows] == ["user"]


def test_after_an_answer_with_calls_an_empty_one_is_asked_again(stage: Stage) -> None:
    model = ScriptedModel(says(""), calls(LOOK), says(""), says("done"))
    assert run(stage, model) == Ending("done", "end_turn")
    asked = [ASKS["empty"] in str(request[-1]["content"]) for request in model.requests]
    assert asked == [False, True, False, True]


def test_thinking_alone_is_kept_and_asked_again(stage: Stage) -> None:
    thought: Message = {**says(""), "reasoning": "Hm.", "reasoning_details": [{"n": 1}]}
    last_thought: Message = {**says("done"), "reasoning": "So.", "reasoning_details": [{"n": 2}]}
    model = ScriptedModel(thought, thought, last_thought)
    assert run(stage, model) == Ending("done", "end_turn")
    assert ASKS["thought"] in str(model.requests[1][-1]["content"])
    assert last(stage)["reasoning"] == "Hm.\n\nHm.\n\nSo."
    assert last(stage)["reasoning_details"] == [{"n": 1}, {"n": 1}, {"n": 2}]
    assert [m["role"] for m in stage.store.rows] == ["user", "assistant"]


def test_thinking_alone_three_times_is_an_error(stage: Stage) -> None:
    thought: Message = {**says(""), "reasoning": "Hm."}
    ending = run(stage, ScriptedModel(*[thought] * 3))
    assert isinstance(ending.error, MalformedResponse)
    assert "thought, but gave no answer" in ending.text


def saying(*texts: str, message_id: str, finish_reason: str = "length") -> Callable[..., Message]:
    """Return an entry of a script that streams its text first."""

    def answer(emit: Emit, _interrupt: Interrupt) -> Message:
        for text in texts:
            emit(TextDelta(text, message_id))
        return says("".join(texts), finish_reason)

    return answer


def test_an_answer_that_is_cut_off_is_continued_and_joined(stage: Stage) -> None:
    model = ScriptedModel(
        saying("one ", "two ", message_id="a"),
        saying("three ", message_id="b"),
        saying("four", message_id="c", finish_reason="stop"),
    )
    assert run(stage, model) == Ending("one two three four", "end_turn")
    assert stage.store.rows[1:] == [says("one two three four")]
    shown = stage.screen.of(TextDelta)
    assert "".join(event.text for event in shown) == "one two three four"
    assert {event.message_id for event in shown} == {"a"}
    assert [m["role"] for m in model.requests[2]] == ["system", "user", "assistant", "user"]
    assert model.requests[2][-2]["content"] == "one two three "
    assert model.requests[2][-1]["content"] == ASKS["cut_text"]
    assert model.longer == [1, 2, 4]


def test_an_answer_may_go_on_with_a_call(stage: Stage) -> None:
    model = ScriptedModel(says("I look ", "length"), calls(LOOK, text="there."), says("done"))
    assert run(stage, model) == Ending("done", "end_turn")
    assert stage.store.rows[1] == calls(LOOK, text="I look there.")
    assert [m["role"] for m in model.requests[2]] == ["system", "user", "assistant", "tool"]
    assert model.longer == [1, 2, 1]


def test_nothing_to_add_to_a_cut_answer_is_its_end(stage: Stage) -> None:
    assert run(stage, ScriptedModel(says("whole", "length"), says(""))) == Ending(
        "whole", "end_turn"
    )


def test_an_answer_is_continued_four_times(stage: Stage) -> None:
    ending = run(stage, ScriptedModel(*[says("x", "length")] * 5))
    assert ending == Ending("xxxxx", "max_tokens")
    assert stage.store.rows[1:] == [says("xxxxx", "length")]


def test_what_was_shown_of_a_cut_answer_is_kept_if_the_provider_fails(stage: Stage) -> None:
    with pytest.raises(ServerError):
        run(stage, ScriptedModel(says("a part", "length"), ServerError("down")))
    assert stage.store.rows[1:] == [says("a part", "length")]
    assert_next_prompt_is_valid(stage)


def test_a_budget_that_ends_in_the_middle_of_an_answer_keeps_it(stage: Stage) -> None:
    ending = run(stage, ScriptedModel(says("a part", "length")), limit=1)
    assert ending == Ending("a part", "max_turn_requests")
    assert stage.store.rows[1:] == [says("a part")]


def test_thinking_that_takes_up_the_limit_again_and_again(stage: Stage) -> None:
    thought: Message = {**says("", "length"), "reasoning": "Hm.", "reasoning_details": [{}]}
    model = ScriptedModel(*[thought] * 3)
    ending = run(stage, model)
    assert ending.stop_reason == "max_tokens"
    assert "thinking" in ending.text
    assert ASKS["cut_thought"] in str(model.requests[1][-1]["content"])
    assert last(stage)["content"] == ending.text
    assert [event.text for event in stage.screen.of(TextDelta)] == [ending.text]


CUT = calls(LOOK, tool_call("2", "look", '{"path": "b'), finish_reason="length")


def test_the_calls_of_an_answer_that_was_cut_off_are_asked_for_again(tmp_path: Path) -> None:
    ran: list[str] = []
    stage = Stage(tmp_path, look_tool(lambda path: ran.append(path) or "x"))
    stage.conversation.begin("do it", "m")
    cut: Message = {**CUT, "content": "Now. "}
    model = ScriptedModel(cut, calls(LOOK), says("done"))
    assert run(stage, model) == Ending("done", "end_turn")
    assert ran == ["a"]
    assert model.requests[1][-2] == {**says("Now. ", "length")}
    assert model.requests[1][-1]["content"] == ASKS["cut_call"]
    assert stage.store.rows[1] == calls(LOOK, text="Now. ")


def test_calls_that_are_cut_off_again_and_again_are_not_run(tmp_path: Path) -> None:
    ran: list[str] = []
    stage = Stage(tmp_path, look_tool(lambda path: ran.append(path) or "x"))
    stage.conversation.begin("do it", "m")
    ending = run(stage, ScriptedModel(CUT, CUT, CUT))
    assert ran == []
    assert ending.stop_reason == "max_tokens"
    assert [m["role"] for m in stage.store.rows] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    assert [m["content"] for m in stage.store.rows[2:4]] == [endings.CUT_CALL] * 2
    assert [event.text for event in stage.screen.of(TextDelta)] == [ending.text]


def test_an_answer_that_only_announces_work_is_an_answer(stage: Stage) -> None:
    model = ScriptedModel(says("I will fix it now."))
    assert run(stage, model) == Ending("I will fix it now.", "end_turn")


def test_tools_that_do_not_exist_are_asked_for_three_times(stage: Stage) -> None:
    answers = [calls(tool_call("", f"wish_{n}", {})) for n in range(3)]
    ending = run(stage, ScriptedModel(*answers))
    assert (ending.stop_reason, ending.completed) == ("end_turn", False)
    assert "tools that do not exist" in ending.text
    assert last(stage)["content"] == ending.text
    assert [event.text for event in stage.screen.of(TextDelta)] == [ending.text]


def test_a_call_that_fails_again_and_again_is_warned_of_and_then_stopped(tmp_path: Path) -> None:
    stage = Stage(tmp_path, broken_tool(ToolError("no luck"), in_prepare=True))
    stage.conversation.begin("do it", "m")
    model = ScriptedModel(*[calls(tool_call("", "broken"))] * 5)
    ending = run(stage, model)
    assert "the same call 5 times" in ending.text
    warned = ["the same call failed" in str(request[-1]["content"]) for request in model.requests]
    assert warned == [False, False, True, False, False]
    assert "the same call failed" not in str(stage.store.rows)
    assert [event.level for event in stage.screen.of(StatusChanged)] == ["warning"]


def test_money_ends_a_turn_with_a_summary(stage: Stage) -> None:
    budget = Budget(500, max_cost=0.5)
    budget.consume()
    budget.watch(Bill(0.6))
    double: Any = ScriptedModel(says("I did a part."))
    ending = run_turn(
        stage.conversation,
        double,
        stage.tools,
        budget,
        Upkeep(),
        emit=stage.screen,
        interrupt=stage.interrupt,
    )
    assert ending == Ending("I did a part.", "max_turn_requests")
    [told] = stage.screen.of(StatusChanged)
    assert "$0.60" in told.text
    assert "agent.max_cost" in told.text


@pytest.mark.parametrize("text", ["I will not do that.", ""])
def test_a_refusal(stage: Stage, text: str) -> None:
    answer = calls(LOOK, text=text, finish_reason="content_filter")
    ending = run(stage, ScriptedModel(answer))
    assert ending.stop_reason == "refusal"
    assert ending.text
    assert "tool_calls" not in last(stage)


def test_an_endless_loop_of_tools_stops_with_a_summary(stage: Stage) -> None:
    model = ScriptedModel(*[calls(LOOK)] * 3, says("I looked three times."))
    ending = run(stage, model, limit=3)
    assert ending == Ending("I looked three times.", "max_turn_requests")
    assert model.schemas[3] == model.schemas[0]
    assert endings.SUMMARY_REQUEST in str(model.requests[3][-1]["content"])
    assert endings.SUMMARY_REQUEST not in str(stage.store.rows)
    assert "agent.max_turns" in stage.screen.of(StatusChanged)[-1].text
    assert last(stage)["content"] == "I looked three times."


@pytest.mark.parametrize(
    "summary",
    [
        [ServerError("down")],
        [says("")],
        [calls(LOOK), calls(LOOK)],
        [calls(LOOK), ServerError("down")],
        [calls(LOOK, finish_reason="length")] * 2,
    ],
    ids=["error", "empty", "calls", "calls, error", "cut"],
)
def test_without_a_summary_the_end_is_still_clear(
    stage: Stage, summary: list[Message | Exception]
) -> None:
    ending = run(stage, ScriptedModel(calls(LOOK), *summary), limit=1)
    assert ending.stop_reason == "max_turn_requests"
    assert "agent.max_turns" in ending.text
    assert last(stage)["content"] == ending.text
    assert [event.text for event in stage.screen.of(TextDelta)] == [ending.text]


def test_a_summary_that_is_a_call_is_asked_for_again_without_tools(stage: Stage) -> None:
    model = ScriptedModel(calls(LOOK), calls(LOOK), says("I looked."))
    assert run(stage, model, limit=1) == Ending("I looked.", "max_turn_requests")
    assert [len(schemas) for schemas in model.schemas] == [1, 1, 0]
    assert [m["role"] for m in stage.store.rows] == ["user", "assistant", "tool", "assistant"]


def test_a_refused_summary_does_not_take_the_turn_out_of_the_history(stage: Stage) -> None:
    run(stage, ScriptedModel(calls(LOOK), says("no", "content_filter")), limit=1)
    again = stage.load()
    again.begin("next", "m")
    assert "do it" in [m["content"] for m in again.request_messages()]


def test_an_interrupt_before_the_first_step_asks_no_model(stage: Stage) -> None:
    stage.interrupt.set()
    model = ScriptedModel()
    with pytest.raises(Interrupted):
        run(stage, model)
    assert model.requests == []


def test_a_failure_of_the_provider_is_raised_with_the_history_intact(stage: Stage) -> None:
    with pytest.raises(ServerError):
        run(stage, ScriptedModel(ServerError("down")))
    assert_next_prompt_is_valid(stage)


class Noting(Upkeep):
    """Notes when it is asked for what."""

    def __init__(self, order: list[str]) -> None:
        super().__init__()
        self.order = order

    def before_step(self, budget: Budget) -> None:
        self.order.append("room")
        super().before_step(budget)

    def note(self, budget: Budget, *more: str) -> str:
        self.order.append("note")
        return super().note(budget, *more)

    def after_turn(self) -> None:
        self.order.append("over")
        super().after_turn()


def test_the_steps_of_a_turn_have_one_order(tmp_path: Path) -> None:
    """Room is made before the messages are read; tools run between two calls; then all is over."""
    order: list[str] = []
    stage = Stage(tmp_path, look_tool(lambda _: order.append("tool") or "x"))
    stage.conversation.begin("do it", "m")

    def answer(message: Message) -> Callable[..., Message]:
        return lambda *_: order.append("call") or message

    model = ScriptedModel(answer(calls(LOOK)), answer(says("done")))
    run(stage, model, upkeep=Noting(order))
    assert order == ["room", "note", "call", "tool", "room", "note", "call", "over"]
