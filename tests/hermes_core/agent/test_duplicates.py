"""Which calls of an answer repeat an earlier one."""

from pathlib import Path

import pytest

from hermes_core.agent.calls import read_call
from hermes_core.agent.duplicates import key_of, mark_repeated
from hermes_core.agent.segments import Reach
from hermes_core.ground.messages import ToolCall
from hermes_core.local.workspace import Workspace
from tests.hermes_core.agent.doubles import tool_call
from tests.hermes_core.agent.tools_double import act_tool, change_tool, look_tool

SPECS = {spec.name: spec for spec in (look_tool(), change_tool(), act_tool())}
LOOK_A = ("look", {"path": "a"})
LOOK_B = ("look", {"path": "b"})
CHANGE_A = ("change", {"path": "a"})
ACT = ("act", {"command": "test"})


def repeated(tmp_path: Path, *wanted: tuple[str, object]) -> list[str]:
    calls: list[ToolCall] = [tool_call(str(n), *one) for n, one in enumerate(wanted)]
    requests = [read_call(call, SPECS, Workspace(tmp_path)) for call in calls]
    return [request.same_as for request in mark_repeated(requests)]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ([LOOK_A, LOOK_B, LOOK_A, LOOK_A], ["", "", "0", "0"]),
        ([ACT, ACT], ["", "0"]),
        ([ACT, LOOK_A, ACT], ["", "", "0"]),
        ([CHANGE_A, CHANGE_A, CHANGE_A], ["", "0", "0"]),
        ([ACT, CHANGE_A, ACT], ["", "", ""]),
        ([LOOK_A, CHANGE_A, LOOK_A], ["", "", ""]),
        ([LOOK_A, ("look", "{broken")], ["", ""]),
        ([("nothing", {}), ("nothing", {})], ["", ""]),
        ([ACT, ("act", {"command": "test", "times": 2})], ["", ""]),
    ],
)
def test_a_call_is_repeated_if_nothing_stands_between_that_may_change_what_comes_out(
    tmp_path: Path, wanted: list[tuple[str, object]], expected: list[str]
) -> None:
    assert repeated(tmp_path, *wanted) == expected


def test_a_repeated_call_disturbs_nothing(tmp_path: Path) -> None:
    calls = [tool_call("1", *ACT), tool_call("2", *ACT)]
    requests = [read_call(call, SPECS, Workspace(tmp_path)) for call in calls]
    assert mark_repeated(requests)[1].reach == Reach("always")


def test_the_key_tells_arguments_apart_and_not_their_order(tmp_path: Path) -> None:
    def key(name: str, arguments: object) -> str:
        return key_of(read_call(tool_call("1", name, arguments), SPECS, Workspace(tmp_path)))

    assert key("act", '{"times": 2, "command": "x"}') == key("ACT", '{"command":"x","times":2}')
    assert key("act", {"command": "x"}) != key("act", {"command": "y"})
    assert key("look", "{broken") != key("look", "{broken too")
