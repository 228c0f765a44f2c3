"""What single requests say: budgets, the window, the plan."""

from dataclasses import dataclass

import pytest

from hermes_core.agent.layers import (
    BYPASS_ON,
    PLANNED,
    PLANNING,
    BudgetLayer,
    ModeLayer,
    PlanLayer,
    PressureLayer,
    steps_without,
)
from hermes_core.agent.own_tools.todo import Plan
from hermes_core.ground.actions import Mode
from hermes_core.ground.budget import Budget
from hermes_core.ground.content import PlanEntry
from hermes_core.ground.events import StatusChanged
from hermes_core.ground.messages import Message, tool_message, user_message
from tests.hermes_core.agent.doubles import Screen, calls, says, tool_call


@dataclass
class Bill:
    least: float = 0.0
    known: bool = True


def test_steps_are_warned_of_at_70_and_90_percent_and_at_the_end() -> None:
    budget = Budget(100)
    layer = BudgetLayer(Screen(), budget, lambda: "fake")
    warned = []
    for number in range(1, 101):
        budget.consume()
        if layer(budget):
            warned.append(number)
    assert warned == [70, 90, 98, 99, 100]
    assert layer(budget).startswith("[Hermes: after this, 0 model calls of 100 are left")


def test_one_call_is_one_call() -> None:
    budget = Budget(2)
    budget.consume()
    text = BudgetLayer(Screen(), budget, lambda: "fake")(budget)
    assert "1 model call of 2 is left" in text


def test_money_is_warned_of_as_well() -> None:
    budget, bill, screen = Budget(100, max_cost=2.0), Bill(), Screen()
    budget.watch(bill)
    layer = BudgetLayer(screen, budget, lambda: "fake")
    told = []
    for spent in (0.5, 1.39, 1.4, 1.5, 1.8, 1.9):
        budget.consume()
        bill.least = spent
        told.append(layer(budget))
    assert [bool(text) for text in told] == [False, False, True, False, True, False]
    assert "$1.40 of $2 are spent" in told[2]
    assert screen.events == []


def test_a_price_that_is_not_known_is_told_once_and_only_with_a_cap() -> None:
    for cap, count in ((None, 0), (2.0, 1)):
        budget, screen = Budget(100, max_cost=cap), Screen()
        budget.watch(Bill(known=False))
        layer = BudgetLayer(screen, budget, lambda: "fake-model")
        layer(budget)
        layer.finish()
        told = [event.text for event in screen.of(StatusChanged)]
        assert len(told) == count
        assert all("fake-model" in text and "agent.max_cost" in text for text in told)


def test_the_window_is_told_of_once_for_each_threshold_until_there_is_room_again() -> None:
    used = [10, 61, 65, 80, 85, 30, 62]
    layer = PressureLayer(lambda: (used[0], 100))
    told = []
    while used:
        told.append(layer(Budget(1)))
        del used[0]
    assert [bool(text) for text in told] == [False, True, False, True, False, False, True]
    assert "61% of the context window" in told[1]


def test_an_unknown_window_says_nothing() -> None:
    assert PressureLayer(lambda: (10, 0))(Budget(1)) == ""


TODO = calls(tool_call("t", "todo", {}))
LOOK = calls(tool_call("l", "look", {}))


@pytest.mark.parametrize(
    ("messages", "steps"),
    [
        ([], 0),
        ([user_message("a")], 0),
        ([LOOK, user_message("a"), LOOK, tool_message("l", "look", "x"), LOOK], 2),
        ([user_message("a"), LOOK, TODO, LOOK], 1),
        ([user_message("a"), LOOK, TODO], 0),
        ([user_message("a"), says("b")], 1),
    ],
)
def test_steps_are_counted_back_to_the_plan_or_the_prompt(
    messages: list[Message], steps: int
) -> None:
    assert steps_without(messages, "todo") == steps


def test_open_steps_of_the_plan_are_recalled_every_tenth_step() -> None:
    plan = Plan()
    messages: list[Message] = [user_message("a"), TODO]
    layer = PlanLayer(plan, lambda: messages)
    plan.replace([PlanEntry("one", "completed", "medium"), PlanEntry("two", "pending", "medium")])
    recalled = []
    for number in range(1, 25):
        messages.append(LOOK)
        if "next: two" in layer(Budget(1)):
            recalled.append(number)
    assert recalled == [10, 20]
    plan.replace([PlanEntry("one", "completed", "medium")])
    assert len(messages) == 26
    del messages[12:]
    assert layer(Budget(1)) == ""


def test_the_mode_is_told_as_long_as_it_is_plan_and_once_after_it() -> None:
    mode: list[Mode] = ["default"]
    screen = Screen()
    layer = ModeLayer(lambda: mode[-1], screen)
    told = []
    for one in ("default", "plan", "plan", "default", "accept_edits", "plan", "bypass"):
        mode.append(one)
        told.append(layer(Budget(10)))
    assert told == ["", PLANNING, PLANNING, PLANNED, "", PLANNING, PLANNED]


def test_that_plan_mode_is_over_is_told_after_a_restart_too() -> None:
    layer = ModeLayer(lambda: "default", Screen(), planned=True)
    assert [layer(Budget(10)) for _ in range(2)] == [PLANNED, ""]


def test_bypass_is_warned_of_each_time_it_is_switched_on() -> None:
    mode: list[Mode] = []
    screen = Screen()
    layer = ModeLayer(lambda: mode[-1], screen)
    for one in ("default", "bypass", "bypass", "default", "bypass"):
        mode.append(one)
        assert layer(Budget(10)) == ""
    assert screen.events == [StatusChanged("warning", BYPASS_ON)] * 2
