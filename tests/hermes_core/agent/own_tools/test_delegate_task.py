"""What the model may ask of ``delegate_task``, and what it and the card are told."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hermes_core.agent.child import Report, Task
from hermes_core.agent.own_tools.delegate_task import (
    FOR_ALL,
    MOST_FILES,
    MOST_TASKS,
    delegate_tool,
    delegate_tools,
)
from hermes_core.ground.errors import ToolError
from hermes_core.tools.registry import Output
from tests.hermes_core.agent.doubles import Stage


class Children:
    """Answers with the reports that it was given."""

    def __init__(self, *reports: Report, depth_left: int = 1) -> None:
        self.reports = reports
        self.depth_left = depth_left
        self.given: list[Task] = []

    def run(self, tasks: Sequence[Task], _ctx: Any, _progress: Any) -> list[Report]:
        self.given.extend(tasks)
        return list(self.reports)


def run(cwd: Path, children: Any, *tasks: dict[str, str]) -> Output:
    prepared = delegate_tool(children).prepare(Stage(cwd).tools.context, {"tasks": list(tasks)})
    assert prepared.action.kind == "none"
    return prepared.run(lambda _: None)


def test_tasks_are_given_with_their_context_and_a_title(tmp_path: Path) -> None:
    children = Children(Report("x", "end_turn", "ok"))
    run(
        tmp_path,
        children,
        {"task": " Find it.\nAll of it. ", "context": "in src"},
        {"task": "t" * 100, "title": "Long one"},
        {"task": "t" * 100},
    )
    assert children.given == [
        Task("Find it.", "Find it.\nAll of it.\n\nContext:\nin src"),
        Task("Long one", "t" * 100),
        Task("t" * 59 + "…", "t" * 100),
    ]


def test_the_title_of_the_call(tmp_path: Path) -> None:
    children: Any = Children()
    context = Stage(tmp_path).tools.context
    tool = delegate_tool(children)
    one = tool.prepare(context, {"tasks": [{"task": "find it", "title": "Find"}]})
    assert one.title == "Delegate: Find"
    two = tool.prepare(context, {"tasks": [{"task": "a"}, {"task": "b"}]})
    assert two.title == "Delegate 2 tasks"
    assert len(two.content) == 2


@pytest.mark.parametrize(
    ("tasks", "word"),
    [([], "no task"), ([{"task": "x"}] * (MOST_TASKS + 1), "at most"), ([{"task": " "}], "text")],
)
def test_tasks_that_are_none(tmp_path: Path, tasks: Any, word: str) -> None:
    with pytest.raises(ToolError, match=word):
        run(tmp_path, Children(), *tasks)


def test_without_a_generation_left_there_are_no_children(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="No children"):
        run(tmp_path, Children(depth_left=0), {"task": "x"})
    none: Any = Children(depth_left=0)
    assert delegate_tools(none) == {}
    some: Any = Children()
    assert list(delegate_tools(some)) == ["delegate_task"]


def test_every_end_is_told_as_what_it_is(tmp_path: Path) -> None:
    reports = [
        Report("a", "end_turn", "Found.", steps=1, files=(str(tmp_path / "x.py"), "/else/y.py")),
        Report("b", "max_turn_requests", "So far.", steps=50),
        Report("c", "max_tokens", "Cut", steps=2),
        Report("d", "refusal", "No.", steps=1),
        Report("e", "cancelled", steps=3),
        Report("f", "cancelled"),
        Report("g", "error", error="No key.", steps=0),
        Report("h", "end_turn", "Stopped.", steps=5, stuck=True),
    ]
    output = run(tmp_path, Children(*reports), {"task": "x"})
    assert not output.failed
    assert output.text == (
        "## 1. a: completed after 1 step\nFound.\nFiles changed with its tools: x.py, /else/y.py"
        "\n\n## 2. b: stopped at its limit after 50 steps; its summary of what it did\nSo far."
        "\n\n## 3. c: cut off at the model's output limit after 2 steps\nCut"
        "\n\n## 4. d: declined by the provider after 1 step\nNo."
        "\n\n## 5. e: interrupted by the user after 3 steps; it may have done a part"
        "\n\n## 6. f: interrupted by the user"
        "\n\n## 7. g: failed after 0 steps: No key."
        "\n\n## 8. h: went in circles after 5 steps\nStopped."
    )
    assert len(output.content) == 8


def test_a_call_of_which_nothing_came_has_failed(tmp_path: Path) -> None:
    reports = (Report("a", "cancelled"), Report("b", "error", error="x"))
    assert run(tmp_path, Children(*reports), {"task": "x"}).failed


def test_long_answers_and_lists_are_cut(tmp_path: Path) -> None:
    files = tuple(f"/f/{n}" for n in range(MOST_FILES + 5))
    long = Report("a", "end_turn", "x" * FOR_ALL + "END", files=files)
    output = run(tmp_path, Children(long, long), {"task": "x"})
    assert len(output.text) < FOR_ALL + 4_000
    assert output.text.count("characters left out") == 2
    assert output.text.count("END") == 2
    assert output.text.count("and 5 more") == 2
