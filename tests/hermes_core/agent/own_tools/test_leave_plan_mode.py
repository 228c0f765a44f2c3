"""The model's plan before the person, who begins with it or not."""

from typing import Any

import pytest

from hermes_core.agent.layers import PLANNED, PLANNING, PLANNING_ASKS
from hermes_core.agent.own_tools.leave_plan_mode import LABELS, LONGEST, TITLE
from hermes_core.ground.actions import Answer, Mode
from hermes_core.ground.events import ApprovalRequested, ToolCallFinished, ToolCallStarted
from hermes_core.sessions.store import Store
from tests.fakes.provider import FakeProvider, call, say
from tests.hermes_core.agent.doubles import MakeAgent, Screen

PLAN = {"plan": "1. Mend `add`.\n2. Test it."}


def screen(answer: Answer, *words: str, before: Any = None) -> Screen:
    def decide(question: ApprovalRequested) -> None:
        if before:
            before()
        question.words.extend(words)
        question.reply.set_result(answer)

    return Screen(decide)


@pytest.mark.parametrize(
    ("answer", "then"),
    [
        ("allow_once", ("default", "the mode is default now: edits ask")),
        ("allow_always", ("accept_edits", "the mode is accept_edits now: edits in the workspace")),
        ("reject_once", ("plan", "The user wants to go on planning, so nothing may be changed")),
        ("reject_always", ("plan", "The user wants to go on planning")),
    ],
)
def test_the_answer_is_the_mode(
    make_agent: MakeAgent,
    provider: FakeProvider,
    store: Store,
    answer: Answer,
    then: tuple[Mode, str],
) -> None:
    mode, told = then
    provider.script(call("leave_plan_mode", PLAN), say("Well."))
    seen = screen(answer)
    agent = make_agent(emit=seen, mode="plan")
    agent.chat("mend it")
    [question] = seen.of(ApprovalRequested)
    assert (question.title, question.kind) == (TITLE, "switch_mode")
    assert [part.text for part in question.content] == [PLAN["plan"]]
    assert question.labels == LABELS
    [card] = seen.of(ToolCallStarted)
    assert (card.title, card.kind) == (TITLE, "switch_mode")
    assert agent.mode == mode
    row = store.session(agent.session_id)
    assert row is not None
    assert row.mode == mode
    answers = [m for m in provider.requests[1].messages if m["role"] == "tool"]
    assert told in answers[0]["content"]
    ended = "failed" if mode == "plan" else "completed"
    assert seen.of(ToolCallFinished)[0].status == ended
    assert (PLANNED in str(provider.requests[1].messages)) is (mode != "plan")


def test_the_model_knows_the_tool_where_somebody_can_be_asked(
    make_agent: MakeAgent, provider: FakeProvider
) -> None:
    provider.script(say("a"), say("b"))
    agent = make_agent(emit=Screen(), mode="plan")
    agent.chat("go")
    assert PLANNING_ASKS in str(provider.requests[0].messages)
    assert "leave_plan_mode" in agent.tool_names
    alone = make_agent(mode="plan")
    alone.chat("go")
    assert PLANNING in str(provider.requests[1].messages)
    assert "leave_plan_mode" not in alone.tool_names


def test_what_the_person_says_reaches_the_model(
    make_agent: MakeAgent, provider: FakeProvider
) -> None:
    provider.script(call("leave_plan_mode", PLAN), say("Well."))
    make_agent(emit=screen("reject_once", "no tests"), mode="plan").chat("mend it")
    assert "The user says: no tests" in str(provider.requests[1].messages)


@pytest.mark.parametrize(
    ("mode", "plan", "told"),
    [
        ("default", "Do it.", "Plan mode is not on."),
        ("bypass", "Do it.", "Plan mode is not on."),
        ("plan", " \n", "The plan is empty."),
        ("plan", "x" * (LONGEST + 1), "The plan is longer than 20,000 characters."),
    ],
)
def test_nobody_is_asked_about_what_is_no_plan(
    make_agent: MakeAgent, provider: FakeProvider, mode: Mode, plan: str, told: str
) -> None:
    provider.script(call("leave_plan_mode", {"plan": plan}), say("Well."))
    seen = screen("allow_once")
    agent = make_agent(emit=seen, mode=mode)
    agent.chat("mend it")
    assert seen.of(ApprovalRequested) == []
    assert told in str(provider.requests[1].messages)
    assert agent.mode == mode


def test_a_mode_that_was_chosen_meanwhile_stays(
    make_agent: MakeAgent, provider: FakeProvider
) -> None:
    provider.script(call("leave_plan_mode", PLAN), say("Well."))

    def chosen() -> None:
        agent.mode = "bypass"

    agent = make_agent(emit=screen("allow_once", before=chosen), mode="plan")
    agent.chat("mend it")
    assert agent.mode == "bypass"
    assert "the mode is bypass now: little asks" in str(provider.requests[1].messages)


def test_nothing_hidden_is_in_what_the_person_reads(
    make_agent: MakeAgent, provider: FakeProvider
) -> None:
    provider.script(call("leave_plan_mode", {"plan": "mend\u202e it"}), say("Well."))
    seen = screen("reject_once")
    make_agent(emit=seen, mode="plan").chat("mend it")
    assert seen.of(ApprovalRequested)[0].content[0].text == "mend\\u202e it"
