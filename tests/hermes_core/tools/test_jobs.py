"""Where a command runs, and what is known of one that ran in a terminal of the client's."""

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.content import CardContent, Console
from hermes_core.ground.errors import NoTerminal, ToolError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.ports import Ended
from hermes_core.ground.secrets import REDACTOR, Secret
from hermes_core.local.errand import FOLDER
from hermes_core.tools import jobs
from hermes_core.tools.execute_code import execute_code
from hermes_core.tools.registry import Output, ToolContext
from hermes_core.tools.terminal import terminal
from tests.hermes_core.tools.conftest import ignore

NAME = "t-1"


class Terminals:
    """A client that runs what it is given and tells of it what a test wants.

    starts: whether it does start it. told: what it tells of the end in the place of the truth.
    """

    def __init__(self, *, starts: bool = True, **told: Any) -> None:
        self.starts = starts
        self.told = told
        self.refusal: NoTerminal | None = None
        self.asked: list[dict[str, Any]] = []

    def run(
        self,
        argv: Sequence[str],
        cwd: Path,
        *,
        timeout: float,
        output_limit: int,
        interrupt: Interrupt,
        begun: Callable[[str], None],
    ) -> Ended:
        """Run a program; see ``ports.Terminals``."""
        self.asked.append({"timeout": timeout, "output_limit": output_limit, "cwd": cwd})
        code, output = 127, ""
        if self.starts:
            done = subprocess.run(argv, cwd=cwd, capture_output=True, timeout=60, check=False)
            code, output = done.returncode, done.stdout.decode()
        if self.refusal:
            raise self.refusal
        begun(NAME)
        return Ended(**{"exit_code": code, "output": output, **self.told})


def context(ctx: ToolContext, terminals: Terminals | None, **settings: Any) -> ToolContext:
    settings = {"terminal_in_editor": True, **settings}
    return replace(ctx, terminals=terminals, config=replace(ctx.config, **settings))


def run(
    ctx: ToolContext,
    command: str,
    progress: Callable[[tuple[CardContent, ...]], None] = ignore,
    *,
    unasked: bool = False,
    **arguments: Any,
) -> Output:
    prepared = terminal.prepare(ctx, {"command": command, **arguments})
    prepared.leave.unasked = unasked
    return prepared.run(progress)


def console(content: tuple[CardContent, ...]) -> Console:
    (part,) = [part for part in content if isinstance(part, Console)]
    return part


def test_what_was_allowed_runs_in_the_clients_terminal(ctx: ToolContext, project: Path) -> None:
    client, shown = Terminals(), list[tuple[CardContent, ...]]()
    output = run(context(ctx, client), "pwd; exit 3", shown.append, timeout=7)
    assert output.text == f"{project}\n[exit code 3]"
    assert output.failed
    assert [console(content).terminal for content in (*shown, output.content)] == [NAME, NAME]
    assert console(output.content).exit_code == 3
    assert client.asked == [{"timeout": 7, "output_limit": jobs.KEPT, "cwd": project}]
    assert [path.suffix for path in (ctx.home / FOLDER).iterdir()] == [".begun"]


@pytest.mark.parametrize(
    ("settings", "there", "unasked"),
    [({"terminal_in_editor": False}, True, False), ({}, False, False), ({}, True, True)],
)
def test_all_else_runs_here(
    ctx: ToolContext, settings: dict[str, Any], there: bool, unasked: bool
) -> None:
    client = Terminals()
    own = context(ctx, client if there else None, **settings)
    output = run(own, "echo here", unasked=unasked)
    assert output.text == "here\n[exit code 0]"
    assert console(output.content).terminal == ""
    assert client.asked == []


def test_code_runs_there_too(ctx: ToolContext) -> None:
    client = Terminals()
    prepared = execute_code.prepare(context(ctx, client), {"code": "print(6 * 7)"})
    prepared.leave.unasked = False
    output = prepared.run(ignore)
    assert output.text == "42\n[exit code 0]"
    assert client.asked


def test_keys_do_not_reach_it_and_are_masked_where_they_come_back(ctx: ToolContext) -> None:
    key = "key-0123456789-abcdefghij"
    REDACTOR.register(Secret(key))
    env = {**ctx.config.env, "EXAMPLE_API_KEY": key}
    own = context(ctx, Terminals(), env=env)
    assert run(own, "echo [$EXAMPLE_API_KEY]").text == "[]\n[exit code 0]"
    told = run(context(ctx, Terminals(output=f"a {key} b\n")), "true")
    assert key not in told.text + console(told.content).output
    assert told.text.startswith("a ")


@pytest.mark.parametrize("output", ["{rest} x\nline\n", "{rest}"])
def test_the_rest_of_a_key_whose_beginning_was_cut_off_is_left_out(
    ctx: ToolContext, output: str
) -> None:
    rest = "abcdefghij" * 20
    told = run(context(ctx, Terminals(output=output.format(rest=rest), truncated=True)), "true")
    assert "abcdefghij" not in told.text
    assert "kept only the end" in told.text


def test_much_output_is_kept_in_a_file(ctx: ToolContext) -> None:
    lines = "".join(f"line {number}\n" for number in range(2_000))
    output = run(context(ctx, Terminals(output=lines), terminal_max_output=1_000), "true")
    assert "bytes left out" in output.text
    (kept,) = (ctx.home / "outputs").iterdir()
    assert kept.read_text() == lines
    assert str(kept) in output.text


@pytest.mark.parametrize("why", ["it broke", ""])
def test_what_never_began_there_runs_here_and_says_so(ctx: ToolContext, why: str) -> None:
    client = Terminals(starts=False)
    client.refusal = NoTerminal(why) if why else None
    output = run(context(ctx, client), "echo ran >>log; cat log")
    reason = why or "its terminal did not start the command"
    note = f"[it ran in a process of Hermes: the editor gave no terminal, {reason}]"
    assert output.text == f"ran\n[exit code 0]\n{note}"
    assert not output.failed
    assert console(output.content).terminal == ""


def test_what_the_client_refused_runs_nowhere(ctx: ToolContext, project: Path) -> None:
    client = Terminals(starts=False)
    client.refusal = NoTerminal("the person said no", refused=True)
    with pytest.raises(ToolError, match=r"the person said no\. Nothing was run"):
        run(context(ctx, client), "echo ran >>log")
    assert not (project / "log").exists()


def test_what_began_there_and_cannot_be_followed_is_an_error_and_runs_once(
    ctx: ToolContext, project: Path
) -> None:
    client = Terminals()
    client.refusal = NoTerminal("it did not answer within 10 s")
    with pytest.raises(ToolError, match="may still run, and was not run a second time"):
        run(context(ctx, client), "echo ran >>log")
    assert (project / "log").read_text() == "ran\n"


def test_where_no_script_can_be_written_it_runs_here(ctx: ToolContext) -> None:
    client, home = Terminals(), ctx.home.parent / "my home"
    output = run(replace(context(ctx, client), home=home), "echo here")
    assert output.text.startswith("here\n[exit code 0]\n[it ran in a process of Hermes")
    assert client.asked == []


def test_the_ways_of_ending_are_told(ctx: ToolContext) -> None:
    def told(**known: Any) -> Output:
        return run(context(ctx, Terminals(output="so far\n", **known)), "true", timeout=9)

    killed = told(exit_code=None, signal="SIGKILL")
    assert killed.text == "so far\n[ended by signal SIGKILL]"
    assert console(killed.content).signal == "SIGKILL"
    late = told(exit_code=None, timed_out=True)
    assert late.text.startswith("so far\n[ended after 9 s, its time limit")
    assert console(late.content).terminal == ""
    stopped = told(exit_code=None, interrupted=True)
    assert stopped.text == "so far\n[interrupted by the user]"
    odd = told(exit_code=None, troubles=("it did not tell the exit", "it sleeps"))
    assert odd.text == (
        "so far\n[how it ended is not known]\n"
        "[the editor's terminal: it did not tell the exit; it sleeps]"
    )
    assert odd.failed
    assert console(odd.content).terminal == ""


def test_what_was_interrupted_before_it_began_never_runs(ctx: ToolContext, project: Path) -> None:
    client = Terminals(starts=False, exit_code=None, interrupted=True)
    output = run(context(ctx, client), "echo ran >log")
    assert output.text == "[no output, interrupted by the user]"
    assert not (project / "log").exists()
    assert [path.suffix for path in (ctx.home / FOLDER).iterdir()] == [".begun"]
