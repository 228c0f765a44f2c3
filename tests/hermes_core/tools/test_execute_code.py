import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_core.approval.judge import Judge
from hermes_core.approval.rules import Rules
from hermes_core.ground.actions import Mode
from hermes_core.ground.content import Console, Text
from hermes_core.ground.errors import ToolError
from hermes_core.tools.execute_code import MAX_CODE, execute_code
from hermes_core.tools.registry import Prepared, ToolContext
from tests.hermes_core.tools.conftest import Call, ignore


def prepared(ctx: ToolContext, code: str) -> Prepared:
    return execute_code.prepare(ctx, {"code": code})


def test_the_code_runs_in_the_working_folder(call: Call, project: Path) -> None:
    output = call("execute_code", code="import os\nprint(os.getcwd(), 6 * 7)")
    assert output.text == f"{project} 42\n[exit code 0]"
    assert not output.failed


def test_its_quotes_and_lines_are_its_own(call: Call) -> None:
    code = """print('a"b', "c'd", '$HOME `x` \\\\')\nfor n in (1, 2):\n    print(n)\n"""
    assert call("execute_code", code=code).text == "a\"b c'd $HOME `x` \\\n1\n2\n[exit code 0]"


def test_an_error_of_the_code_is_told(call: Call) -> None:
    output = call("execute_code", code="raise SystemExit('no such thing')")
    assert output.text == "no such thing\n[exit code 1]"
    assert output.failed


def test_the_project_does_not_come_between(call: Call, project: Path) -> None:
    (project / "json.py").write_text("raise SystemExit('the wrong one')\n")
    assert call("execute_code", code="import json; print(json.dumps([]))").text.startswith("[]")


def test_the_question_shows_the_code_and_the_exact_command(ctx: ToolContext) -> None:
    code = "print('x')  # \u202e" + "y" * 3_000
    ready = prepared(ctx, code)
    assert ready.title.startswith("python3 -I -c ")
    assert "y" * 3_000 in ready.title
    shown, console = ready.content
    assert isinstance(console, Console)
    assert console.text == ""
    assert isinstance(shown, Text)
    assert shown.text.startswith("```python\nprint('x')  # ")
    assert "y" * 3_000 in shown.text
    assert "\u202e" not in shown.text + ready.title


def test_the_output_follows_the_code(ctx: ToolContext) -> None:
    ready = prepared(ctx, "print(1)")
    ready.leave.unasked = False
    code, output = ready.run(ignore).content
    assert isinstance(code, Text)
    assert isinstance(output, Console)
    assert code.text == "```python\nprint(1)\n```"
    assert "1\n[exit code 0]" in output.text


@pytest.mark.parametrize(
    ("mode", "verdict"),
    [("default", "ask"), ("accept_edits", "ask"), ("plan", "deny"), ("bypass", "allow")],
)
def test_code_always_asks(ctx: ToolContext, mode: Mode, verdict: str) -> None:
    judge = Judge(ctx.workspace, Rules(), ctx.home)
    decision = judge.decide(prepared(ctx, "print(1)").action, mode)
    assert decision.verdict == verdict
    assert not decision.unasked
    assert decision.bypassed is (mode == "bypass")


def test_always_is_about_this_very_code(ctx: ToolContext) -> None:
    judge = Judge(ctx.workspace, Rules(), ctx.home)
    judge.remember(prepared(ctx, "print(1)").action, allow=True)
    assert judge.decide(prepared(ctx, "print(1)").action, "default").verdict == "allow"
    assert judge.decide(prepared(ctx, "print(2)").action, "default").verdict == "ask"


@pytest.mark.parametrize("mode", ["default", "bypass"])
def test_the_floor_is_under_code_as_well(ctx: ToolContext, mode: Mode) -> None:
    judge = Judge(ctx.workspace, Rules(), ctx.home)
    action = prepared(ctx, "import shutil\nshutil.rmtree('/')").action
    assert judge.decide(action, mode).verdict == "deny"


def test_it_is_sealed_like_any_command(ctx: ToolContext, project: Path) -> None:
    ready = prepared(ctx, "print(1)")
    project.rename(project.with_name("old"))
    project.mkdir()
    with pytest.raises(ToolError, match="is not the one that was approved"):
        ready.run(ignore)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (" \n", "execute_code: the code is empty"),
        ("#" * (MAX_CODE + 1), "execute_code: the code has 32769 characters, and 32768 are"),
        ("print('\0')", "execute_code: the command holds a character"),
        ("'" * MAX_CODE, "execute_code: the command has 163,856 bytes, with its quotes"),
    ],
)
def test_what_cannot_be_run_is_said(ctx: ToolContext, code: str, message: str) -> None:
    with pytest.raises(ToolError, match=message):
        prepared(ctx, code)


def test_the_time_limit_is_checked_and_held(ctx: ToolContext) -> None:
    with pytest.raises(ToolError, match="execute_code: timeout must be above 0"):
        execute_code.prepare(ctx, {"code": "1", "timeout": 0})
    free = replace(ctx, config=replace(ctx.config, sandbox_mode="off"))
    ready = execute_code.prepare(free, {"code": "import time; time.sleep(300)", "timeout": 0.3})
    assert "its time limit" in ready.run(ignore).text


def test_the_command_is_what_the_shell_reads_back(ctx: ToolContext) -> None:
    code = "print('''it's \"so\"''')\n"
    assert shlex.split(prepared(ctx, code).action.subject) == ["python3", "-I", "-c", code]
