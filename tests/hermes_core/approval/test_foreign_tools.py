"""Tools of MCP servers, of which nobody knows what they do."""

from pathlib import Path

import pytest

from hermes_core.approval.judge import Judge
from hermes_core.approval.rules import Rules
from hermes_core.ground.actions import Action, Mode
from hermes_core.local.workspace import Workspace

CALL = Action("mcp", "s: t {}", scope="the tool t of the MCP server s here", key="mcp:s:1:t")
OTHER = Action("mcp", "s: u {}", scope="the tool u of the MCP server s here", key="mcp:s:1:u")


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    (tmp_path / "work").mkdir()
    return Judge(Workspace(tmp_path / "work"), Rules(tmp_path / "home", tmp_path / "work"))


@pytest.mark.parametrize(
    ("mode", "verdict", "bypassed"),
    [
        ("default", "ask", False),
        ("accept_edits", "ask", False),
        ("plan", "deny", False),
        ("bypass", "allow", True),
    ],
)
def test_each_mode_has_its_answer(judge: Judge, mode: Mode, verdict: str, bypassed: bool) -> None:
    decision = judge.decide(CALL, mode)
    assert (decision.verdict, decision.bypassed) == (verdict, bypassed)
    assert not decision.unasked


def test_always_covers_the_tool_and_never_plan_mode(judge: Judge) -> None:
    assert judge.decide(CALL, "default").always == CALL.scope
    assert judge.remember(CALL, allow=True) == ""
    assert judge.decide(CALL, "default").verdict == "allow"
    assert judge.decide(OTHER, "default").verdict == "ask"
    assert judge.decide(CALL, "plan").verdict == "deny"


def test_a_denial_holds_in_bypass_too(judge: Judge) -> None:
    judge.remember(CALL, allow=False)
    assert judge.decide(CALL, "bypass").verdict == "deny"


def test_without_a_key_there_is_no_always(judge: Judge) -> None:
    assert judge.decide(Action("mcp", "s"), "default").always == ""
