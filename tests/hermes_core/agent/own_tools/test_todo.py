"""The plan: what the model sets is what the user sees."""

import json
from pathlib import Path
from typing import Any

import pytest

from hermes_core.agent.own_tools.todo import LONGEST_STEP, MOST_STEPS, Plan, restore_plan, todo_tool
from hermes_core.ground.content import PlanEntry
from hermes_core.ground.errors import ToolError
from hermes_core.ground.events import PlanChanged
from hermes_core.ground.messages import user_message
from tests.hermes_core.agent.doubles import Screen, Stage, calls, tool_call


class Desk:
    """A plan, its tool, and what was shown."""

    def __init__(self, cwd: Path) -> None:
        self.plan = Plan()
        self.screen = Screen()
        self.todo = todo_tool(self.plan, self.screen)
        self._context = Stage(cwd).tools.context

    def run(self, **arguments: Any) -> str:
        return self.todo.prepare(self._context, arguments).run(lambda _: None).text


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_setting_the_plan_shows_it_whole(desk: Desk) -> None:
    steps = [
        {"content": "find\nit", "status": "completed", "priority": "high"},
        {"content": "mend it"},
    ]
    assert desk.run(steps=steps) == "2 steps, 1 completed"
    entries = (PlanEntry("find it", "completed", "high"), PlanEntry("mend it"))
    assert desk.screen.events == [PlanChanged(entries)]
    assert desk.plan.entries == entries


def test_reading_the_plan_changes_nothing(desk: Desk) -> None:
    assert desk.run() == "There is no plan."
    desk.run(steps=[{"content": "a"}])
    assert desk.run() == "[pending] a"
    assert len(desk.screen.events) == 1


def test_a_plan_can_be_emptied(desk: Desk) -> None:
    desk.run(steps=[{"content": "a"}])
    assert desk.run(steps=[]) == "0 steps, 0 completed"
    assert desk.screen.events[-1] == PlanChanged(())


@pytest.mark.parametrize(
    "steps",
    [
        [{"content": "a"}] * (MOST_STEPS + 1),
        [{"content": " "}],
        [{"content": "a", "status": "done"}],
        [{"status": "pending"}],
        ["a"],
    ],
)
def test_a_plan_that_is_none_is_refused(desk: Desk, steps: list[Any]) -> None:
    with pytest.raises(ToolError):
        desk.run(steps=steps)
    assert desk.screen.events == []


def test_a_long_step_is_cut(desk: Desk) -> None:
    desk.run(steps=[{"content": "x" * 10_000}])
    assert len(desk.plan.entries[0].content) == LONGEST_STEP


def test_the_plan_of_a_resumed_session_is_the_last_one_that_was_valid(desk: Desk) -> None:
    history = [
        user_message("a"),
        calls(tool_call("1", "todo", {"steps": [{"content": "old"}]})),
        calls(
            tool_call("2", "todo", {"steps": [{"content": "new", "status": "completed"}]}),
            tool_call("3", "todo", {"steps": [{"content": ""}]}),
            tool_call("4", "todo", "{"),
        ),
        calls(tool_call("5", "todo"), tool_call("6", "look", {"steps": []})),
    ]
    restore_plan(desk.plan, history, desk.todo)
    assert desk.plan.entries == (PlanEntry("new", "completed"),)
    assert desk.screen.events == []


def test_the_schema_is_small(desk: Desk) -> None:
    assert len(json.dumps(desk.todo.schema, separators=(",", ":"))) < 800
