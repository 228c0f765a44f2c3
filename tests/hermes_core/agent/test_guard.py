"""Going in circles: seen, warned of, stopped; and what is no circle."""

from pathlib import Path

import pytest

from hermes_core.agent.calls import Outcome, read_call
from hermes_core.agent.duplicates import digest_of
from hermes_core.agent.endings import Ending
from hermes_core.agent.guard import STOP_AT, UNKNOWN_STEPS, UNREADABLE_STEPS, Guard
from hermes_core.ground.events import StatusChanged
from hermes_core.local.workspace import Workspace
from hermes_core.tools.registry import Output
from tests.hermes_core.agent.doubles import Screen, tool_call
from tests.hermes_core.agent.tools_double import act_tool, change_tool, look_tool

SPECS = {spec.name: spec for spec in (look_tool(), change_tool(), act_tool())}


def came_to(name: str, about: object, text: str = "", *, failed: bool = False) -> Outcome:
    request = read_call(tool_call("1", name, about), SPECS, Workspace(Path("/")))
    output = Output(request.problem or text, failed=failed or bool(request.problem))
    return Outcome(request, output, digest_of(output.text))


FAILED = came_to("act", {"command": "make"}, "no luck", failed=True)
SEEN = came_to("look", {"path": "a"}, "same")
EDIT = came_to("change", {"path": "a"}, "changed")


class Desk:
    def __init__(self) -> None:
        self.screen = Screen()
        self.guard = Guard(self.screen)
        self.notes: list[bool] = []

    def steps(self, *steps: Outcome | list[Outcome]) -> Ending | None:
        ending = None
        for step in steps:
            ending = self.guard.check(step if isinstance(step, list) else [step])
            self.notes.append(bool(self.guard.note))
        return ending

    @property
    def told(self) -> list[str]:
        return [event.text for event in self.screen.of(StatusChanged)]


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.mark.parametrize(
    ("outcome", "words"), [(FAILED, "failed"), (SEEN, "came out the same")], ids=["fail", "look"]
)
def test_the_same_again_and_again(desk: Desk, outcome: Outcome, words: str) -> None:
    ending = desk.steps(*[outcome] * (STOP_AT - 1))
    assert ending is None
    assert desk.notes == [False, True, False, False]
    assert len(desk.told) == 1
    assert words in desk.told[0]
    ending = desk.steps(outcome)
    assert ending is not None
    assert not ending.completed
    assert words in ending.text


def test_other_looks_in_between_do_not_hide_a_circle(desk: Desk) -> None:
    others = [came_to("look", {"path": f"b{n}"}, "x") for n in range(4)]
    mixed = [step for other in others for step in (FAILED, other)]
    assert desk.steps(*mixed, FAILED) is not None


def test_testing_after_each_edit_is_no_circle(desk: Desk) -> None:
    for number in range(20):
        edit = came_to("change", {"path": f"f{number}"}, "changed")
        assert desk.steps(edit, FAILED, SEEN) is None
    assert desk.told == []


def test_the_same_change_again_is_no_progress(desk: Desk) -> None:
    assert desk.steps(*[step for _ in range(5) for step in (EDIT, FAILED)]) is not None


def test_a_failure_that_is_another_call_is_no_circle(desk: Desk) -> None:
    steps = [came_to("act", {"command": f"make {n}"}, "no", failed=True) for n in range(20)]
    assert desk.steps(*steps) is None


def test_looks_that_show_something_new_are_no_circle(desk: Desk) -> None:
    steps = [came_to("look", {"path": "log"}, f"line {n}") for n in range(20)]
    assert desk.steps(*steps) is None


def test_a_change_that_comes_out_the_same_is_no_circle(desk: Desk) -> None:
    assert desk.steps(*[EDIT] * 20) is None


def test_tools_that_do_not_exist(desk: Desk) -> None:
    unknown = [came_to(f"wish_{n}", {}) for n in range(UNKNOWN_STEPS)]
    assert desk.steps(*unknown[:-1], [unknown[-1], EDIT]) is None
    ending = desk.steps(*unknown)
    assert ending is not None
    assert "do not exist" in ending.text
    assert "'wish_2'" in ending.text


def test_calls_that_cannot_be_read(desk: Desk) -> None:
    broken = [came_to("look", '{"path": ' + "[" * n) for n in range(1, UNREADABLE_STEPS + 1)]
    assert desk.steps(*broken[:-1]) is None
    ending = desk.steps(broken[-1])
    assert ending is not None
    assert "cannot be read" in ending.text
