"""The tool that runs a command.

The card shows the whole command, then its output as it comes, in one fenced block: clients show
that unchanged, and redraw it as a whole with each update.
"""

import hashlib
import json
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from hermes_core.ground.actions import Action
from hermes_core.ground.content import CardContent, Console
from hermes_core.ground.errors import ToolError
from hermes_core.local.confinement import Confinement
from hermes_core.local.outputs import LINE, SPOOLED_BYTES, Spool
from hermes_core.local.processes import Finished, child_environment
from hermes_core.tools.command_kind import command_kind
from hermes_core.tools.jobs import Job, run_job
from hermes_core.tools.registry import Leave, Output, Prepared, Progress, ToolContext, tool
from hermes_core.tools.seal import Seal
from hermes_core.tools.visible import many_lines, one_line

_LOOKS_AROUND = re.compile(
    r"(?<![\w/.-])(?:ps|pgrep|pkill|pidof|kill|killall|lsof|fuser|ss)(?![\w/.=-])"
)
_GAINS_RIGHTS = re.compile(r"no new privileges|setuid root|newuidmap|fusermount")

MAX_TIMEOUT = 3_600.0
"""Seconds that a model may ask for."""

MAX_COMMAND = 131_071
"""Bytes of a command: Linux starts no program with a longer argument."""


@tool(kind="execute", together="never")
def terminal(
    ctx: ToolContext,
    command: Annotated[str, "Exact command; stdin is closed, so use non-interactive options"],
    timeout: Annotated[float | None, "Seconds, if it may take over 3 minutes"] = None,
) -> Prepared:
    """Run a bash command in the working folder, in a fresh shell each time. To read, search or
    edit files, use the other tools. Background processes end with the command.
    """
    return prepare_command(ctx, "terminal", command, timeout)


def prepare_command(
    ctx: ToolContext,
    name: str,
    command: str,
    timeout: float | None,
    *,
    above: tuple[CardContent, ...] = (),
) -> Prepared:
    """Prepare a command for the tool ``name``; raise ``ToolError``.

    above: what the card shows in the place of the command.
    """
    _require_command(name, command)
    if timeout is not None and not 0 < timeout <= MAX_TIMEOUT:
        raise ToolError(f"{name}: timeout must be above 0 and at most {MAX_TIMEOUT:.0f} seconds.")
    limit = ctx.config.terminal_timeout if timeout is None else timeout
    cwd = ctx.workspace.cwd
    env = child_environment(ctx.config)
    call = (ctx.task_id, ctx.call_id)
    sealed = Seal.of(command, cwd, env, call)
    card = Console("" if above else many_lines(command), cwd=str(cwd))
    leave = Leave()

    def run(progress: Progress) -> Output:
        sealed.require(Seal.of(command, cwd, env, call), cwd)
        started = time.time_ns()
        spool = Spool(ctx.home, ctx.config.terminal_max_output, LINE)
        try:
            done = run_job(
                ctx,
                Job(
                    command,
                    cwd,
                    {**env, **leave.environment},
                    limit,
                    _confinement(ctx, leave),
                    card,
                    show=lambda card: progress((*above, card)),
                    on_text=spool.write,
                ),
            )
        finally:
            ctx.files.commands_ran(started)
            kept = spool.close()
        text = (
            _answer(done, limit)
            + _whole(ctx, kept if done.truncated else None, spool.size)
            + _of_walls(command, done)
            + "".join(f"\n[{note}]" for note in done.notes)
        )
        return Output(
            text,
            (*above, _ended(card, text, done)),
            failed=done.exit_code != 0 or done.interrupted,
        )

    return Prepared(
        one_line(command),
        Action("execute", command, (), "this exact command in this session", _key(command, cwd)),
        run,
        (*above, card),
        leave=leave,
        kind=command_kind(command),
    )


def _confinement(ctx: ToolContext, leave: Leave) -> Confinement:
    kind = Confinement.unasked if leave.unasked else Confinement.approved
    return kind(ctx.home, (ctx.workspace.cwd, *ctx.workspace.additional))


def _require_command(name: str, command: str) -> None:
    if not command.strip():
        raise ToolError(f"{name}: the command is empty.")
    try:
        data = command.encode()
    except UnicodeEncodeError:
        data = b"\0"
    if b"\0" in data:
        raise ToolError(f"{name}: the command holds a character that no command can hold.")
    if len(data) > MAX_COMMAND:
        raise ToolError(
            f"{name}: the command has {len(data):,} bytes, with its quotes, and {MAX_COMMAND:,} are"
            " allowed. Write what is long to a file with write_file and run that."
        )


def _key(command: str, cwd: Path) -> str:
    """Return what is equal for the same command in the same folder alone."""
    exact = json.dumps([command, str(cwd)]).encode()
    return f"execute:{hashlib.sha256(exact).hexdigest()}"


def _ended(card: Console, output: str, done: Finished) -> Console:
    stopped = done.interrupted or done.timed_out
    name = done.signal or ("TERM" if stopped else "")
    code = None if name else done.exit_code
    return replace(card, output=output, exit_code=code, signal=name, terminal=done.terminal)


def _answer(done: Finished, limit: float) -> str:
    """Return the output with a note on how the command ended, for the model and the card."""
    if done.interrupted:
        note = "interrupted by the user"
    elif done.timed_out:
        note = f"ended after {limit:g} s, its time limit; give a longer timeout if it needs one"
    elif done.unclear:
        note = "how it ended is not known"
    elif done.exit_code is None:
        note = f"ended by signal {done.signal or 'KILL'}"
    else:
        note = f"exit code {done.exit_code}"
    output = done.output.rstrip("\n")
    if not output.strip():
        return f"[no output, {note}]"
    return f"{output}\n[{note}]"


def _whole(ctx: ToolContext, kept: Path | None, size: int) -> str:
    """Return where all of an output is of which the middle was left out."""
    if kept is None:
        return ""
    ctx.seen.keep(kept)
    part = f"all {size:,}" if size <= SPOOLED_BYTES else f"the first {SPOOLED_BYTES:,} of {size:,}"
    return f"\n[{part} bytes of it are in {kept}, to be read in parts with read_file]"


def _of_walls(command: str, done: Finished) -> str:
    """Return what the model would not understand without knowing of the sandbox."""
    if not done.walled:
        return ""
    if _GAINS_RIGHTS.search(done.output):
        return "\n[commands run in a sandbox, where none gains rights; see sandbox.mode]"
    if _LOOKS_AROUND.search(command):
        return "\n[commands run in a sandbox and see their own processes alone; see sandbox.mode]"
    return ""
