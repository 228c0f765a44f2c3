"""Reading a tool call: names, arguments, and what is wrong with them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes_core.agent.calls import CallRequest, read_call
from hermes_core.agent.segments import Reach, split
from hermes_core.local.workspace import Workspace
from tests.hermes_core.agent.doubles import tool_call
from tests.hermes_core.agent.tools_double import act_tool, change_tool, look_tool

SPECS = {spec.name: spec for spec in (look_tool(), change_tool(), act_tool())}


def read(name: str, arguments: Any, cwd: Path = Path("/w")) -> CallRequest:
    return read_call(tool_call("1", name, arguments), SPECS, Workspace(cwd))


def test_a_plain_call() -> None:
    request = read("act", {"command": "ls", "times": "2"})
    assert not request.problem
    assert request.sent == {"command": "ls", "times": "2"}
    assert request.arguments == {"command": "ls", "times": 2}
    assert request.reach == Reach("never")
    assert request.kind == "execute"


@pytest.mark.parametrize("name", ["Look", "LOOK", "look_tool", "functions.look", " look "])
def test_a_name_may_be_spelled_in_another_way(name: str) -> None:
    request = read(name, {"path": "a"})
    assert request.name == "look"
    assert request.reach.together == "always"


@pytest.mark.parametrize("name", ["", "lock", "looks_like", "rm"])
def test_a_name_is_never_guessed(name: str) -> None:
    request = read(name, {"path": "a"})
    assert request.spec is None
    assert "look, change, act" in request.problem
    assert request.kind == "other"
    assert request.title


def test_changes_reach_their_real_paths(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    request = read("change", {"path": "link"}, tmp_path)
    assert request.reach == Reach("paths", (tmp_path.resolve() / "real",))


@pytest.mark.parametrize(
    "text",
    [
        '{"path": "a",}',
        "{'path': 'a'}",
        '{path: "a"}',
        '```json\n{"path": "a"}',
        '{"path": "a"}}',
    ],
)
def test_broken_json_with_one_reading_is_mended(text: str) -> None:
    request = read("look", text)
    assert not request.problem
    assert request.arguments == {"path": "a"}


@pytest.mark.parametrize(
    "text",
    [
        '{"path": "a',
        '{"path": "a", "b',
        "path: a",
        "[1]",
        '"a"',
        "5",
        "NaN",
        "[" * 100_000,
        '{"file": "a",}',
        "}",
    ],
)
def test_what_was_cut_off_or_is_no_object_is_not_run(text: str) -> None:
    request = read("look", text)
    assert request.problem.startswith("Not run: ")
    assert request.sent == {"arguments": text}
    assert request.arguments == {}
    assert request.title == "look"


@pytest.mark.parametrize("text", ['{"path": NaN}', '{"path": -Infinity}'])
def test_numbers_that_json_does_not_know_are_refused(text: str) -> None:
    request = read("look", text)
    assert "not valid JSON" in request.problem


@pytest.mark.parametrize(
    ("arguments", "named"),
    [({}, "path"), ("", "path"), ({"path": ["a"]}, "path"), ({"path": "a", "depth": 1}, "depth")],
)
def test_arguments_that_do_not_fit_are_named(arguments: Any, named: str) -> None:
    request = read("look", arguments)
    assert named in request.problem
    assert isinstance(request.sent, dict)


def test_the_title_of_a_call_that_cannot_run_is_one_visible_line() -> None:
    request = read("nosuch\u202e", {"command": "rm -rf /\nls \x1b[2J" + "x" * 500})
    assert "\n" not in request.title
    assert "\x1b" not in request.title
    assert "\u202e" not in request.title
    assert request.title.startswith("nosuch")


def test_a_call_that_asks_a_person_something_is_alone() -> None:
    asks = {"look": replace(SPECS["look"], interactive=True)}
    request = read_call(tool_call("1", "look", {"path": "a"}), asks, Workspace(Path("/w")))
    assert request.reach == Reach("never")
    assert len(split([request, request])) == 2
