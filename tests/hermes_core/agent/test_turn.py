"""The loop: steps until an answer, and every other way in which a turn ends."""

from pathlib import Path
from typing import Any

import pytest

from hermes_core.agent import endings
from hermes_core.agent.endings import Ending
from hermes_core.agent.turn import run_turn
from hermes_core.agent.upkeep import Upkeep
from hermes_core.ground.budget import Budget
from hermes_core.ground.errors import Interrupted, ServerError
from hermes_core.ground.events import StatusChanged, StepFinished, StepStarted, TextDelta
from hermes_core.ground.messages import Message
from tests.hermes_core.agent.doubles import (
    ScriptedModel,
    Stage,
    assert_alternating,
    calls,
    says,
    tool_call,
)
from tests.hermes_core.agent.tools_double import look_tool

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
        upkeep or Upkeep(notes=[endings.warning]),
        emit=stage.screen,
        interrupt=stage.interrupt,
    )
    assert_next_prompt_is_valid(stage)
    return ending


def assert_next_prompt_is_valid(stage: Stage) -> None:
    again = stage.load()
    again.begin("next", "m")
    assert_alternating(again.request_messages())
    stage.store.rows.pop()


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
    assert endings.NUDGE in str(model.requests[1][-1]["content"])
    assert [m["role"] for m in stage.store.rows] == ["user", "assistant"]


def test_a_second_empty_answer_ends_the_turn_with_a_clear_text(stage: Stage) -> None:
    model = ScriptedModel(says(""), calls(LOOK), says(""))
    ending = run(stage, model)
    assert ending.stop_reason == "end_turn"
    assert "empty answer" in ending.text
    assert [event.text for event in stage.screen.of(TextDelta)] == [ending.text]
    assert last(stage)["content"] == ending.text
    assert endings.NUDGE not in str(model.requests[2])


@pytest.mark.parametrize("text", ["the first half", ""])
def test_an_answer_cut_off_at_the_limit(stage: Stage, text: str) -> None:
    ending = run(stage, ScriptedModel(says(text, "length")))
    assert ending.stop_reason == "max_tokens"
    assert ending.text
    assert last(stage)["content"] == ending.text
    assert [e.text for e in stage.screen.of(TextDelta)] == ([] if text else [ending.text])


def test_the_calls_of_an_answer_that_was_cut_off_are_not_run(tmp_path: Path) -> None:
    ran: list[str] = []
    stage = Stage(tmp_path, look_tool(lambda path: ran.append(path) or "x"))
    stage.conversation.begin("do it", "m")
    cut = calls(LOOK, tool_call("2", "look", '{"path": "b'), finish_reason="length")
    ending = run(stage, ScriptedModel(cut))
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
    assert model.schemas[3] == []
    assert endings.SUMMARY_REQUEST in str(model.requests[3][-1]["content"])
    assert endings.SUMMARY_REQUEST not in str(stage.store.rows)
    assert "agent.max_turns" in stage.screen.of(StatusChanged)[0].text
    assert last(stage)["content"] == "I looked three times."


@pytest.mark.parametrize(
    "summary",
    [ServerError("down"), says(""), calls(LOOK), calls(LOOK, finish_reason="length")],
    ids=["error", "empty", "calls", "cut"],
)
def test_without_a_summary_the_end_is_still_clear(
    stage: Stage, summary: Message | Exception
) -> None:
    ending = run(stage, ScriptedModel(calls(LOOK), summary), limit=1)
    assert ending.stop_reason == "max_turn_requests"
    assert "agent.max_turns" in ending.text
    assert last(stage)["content"] == ending.text
    assert [event.text for event in stage.screen.of(TextDelta)] == [ending.text]


def test_a_refused_summary_does_not_take_the_turn_out_of_the_history(stage: Stage) -> None:
    run(stage, ScriptedModel(calls(LOOK), says("no", "content_filter")), limit=1)
    again = stage.load()
    again.begin("next", "m")
    assert "do it" in [m["content"] for m in again.request_messages()]


def test_the_model_is_warned_near_the_limit_and_the_warning_is_not_stored(stage: Stage) -> None:
    model = ScriptedModel(*[calls(LOOK)] * 19, says("done"))
    run(stage, model, limit=20)
    warned = ["[Hermes: after this" in str(request[-1]["content"]) for request in model.requests]
    assert warned == [False] * 17 + [True] * 3
    assert "[Hermes: after this" not in str(stage.store.rows)


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
