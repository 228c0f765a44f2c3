"""Where a command runs: in a process of ours, or in a terminal of the client's.

The second if the user wants that and the client has terminals, and only for what somebody allowed:
what runs unasked is held by walls of ours. The client starts a script (``local/errand``), so that
folder, environment and wall are those that the command would have here, and so that it is known
whether it began. If it did not, it never will, and runs here, unless the client refused it.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from hermes_core.ground.content import Console
from hermes_core.ground.errors import NoTerminal, ToolError
from hermes_core.ground.ports import Ended, Terminals
from hermes_core.local.confinement import Confinement
from hermes_core.local.errand import Errand, script_of, write_errand
from hermes_core.local.output import Output
from hermes_core.local.processes import Finished, approved_argv, run_command
from hermes_core.local.sandbox import SANDBOX
from hermes_core.tools.registry import ToolContext

KEPT: Final = 1_000_000
"""Bytes of a command's output that the client is asked to keep, or as many as the model may get."""

_TORN: Final = 1_024
"""Characters that a secret may have whose beginning the client cut off."""


@dataclass(frozen=True, slots=True)
class Job:
    """A command that is to run, with all that was decided on it.

    limit: seconds. card: what its card shows; show: is given that as it changes. on_text: gets all
    of the output that is known, in pieces.
    """

    command: str
    cwd: Path
    env: Mapping[str, str]
    limit: float
    confinement: Confinement
    card: Console
    show: Callable[[Console], None]
    on_text: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _NotBegun:
    """That a command did not begin in the client's terminal, and never will."""

    reason: str


def run_job(ctx: ToolContext, job: Job) -> Finished:
    """Run a command where it is to run; return how it ended.

    Raises ``ToolError`` if it could not be started, or if the client started it and does not tell
    of it.
    """
    allowed = job.confinement.kind == "approved"
    if ctx.terminals is None or not allowed or not ctx.config.terminal_in_editor:
        return _here(ctx, job)
    done = _in_client(ctx, ctx.terminals, job)
    if isinstance(done, Finished):
        return done
    note = f"it ran in a process of Hermes: the editor gave no terminal, {done.reason}"
    return replace(_here(ctx, job), notes=(note,))


def _here(ctx: ToolContext, job: Job) -> Finished:
    return run_command(
        job.command,
        job.cwd,
        env=job.env,
        timeout=job.limit,
        max_output=ctx.config.terminal_max_output,
        interrupt=ctx.interrupt,
        on_output=lambda text: job.show(replace(job.card, output=text)),
        on_text=job.on_text,
        confinement=job.confinement,
        sandbox=ctx.config.sandbox_mode,
    )


def _in_client(ctx: ToolContext, terminals: Terminals, job: Job) -> Finished | _NotBegun:
    try:
        wall = SANDBOX.wall(job.confinement, ctx.config.sandbox_mode)
        script = script_of(approved_argv(job.command), job.cwd, job.env, wall)
        errand = write_errand(ctx.home, job.command, script)
    except OSError as error:
        return _NotBegun(f"for its script could not be written ({error.strerror or error})")
    try:
        done = _follow(ctx, terminals, job, errand)
    finally:
        errand.discard()
    if isinstance(done, _NotBegun):
        return done
    return replace(done, walled=wall is not None and wall.wraps)


def _follow(
    ctx: ToolContext, terminals: Terminals, job: Job, errand: Errand
) -> Finished | _NotBegun:
    begun = time.monotonic()
    names: list[str] = []

    def show(name: str) -> None:
        names.append(name)
        job.show(replace(job.card, terminal=name))

    try:
        ended = terminals.run(
            errand.argv,
            job.cwd,
            timeout=job.limit,
            output_limit=max(KEPT, ctx.config.terminal_max_output),
            interrupt=ctx.interrupt,
            begun=show,
        )
    except NoTerminal as error:
        if errand.withdraw():
            if error.refused:
                raise ToolError(
                    f"The editor refused a terminal for this command: {error}. Nothing was run."
                    " `terminal.in_editor` in config.yaml has commands run there."
                ) from error
            return _NotBegun(str(error))
        raise ToolError(
            f"The editor started the command in a terminal that cannot be followed: {error}. It may"
            " still run, and was not run a second time. Look for what it did before another try."
        ) from error
    if errand.withdraw() and not ended.interrupted:
        return _NotBegun("its terminal did not start the command")
    done = _finished(ended, job, ctx.config.terminal_max_output)
    shown = "" if ended.troubles or ended.timed_out else "".join(names)
    return replace(done, terminal=shown, seconds=time.monotonic() - begun)


def _finished(ended: Ended, job: Job, max_output: int) -> Finished:
    output = Output(max_output, job.on_text)
    output.feed(_whole_words(ended).encode("utf-8", "replace"))
    output.finish()
    return Finished(
        ended.exit_code,
        ended.signal,
        output.text(),
        output.truncated,
        ended.timed_out,
        ended.interrupted,
        seconds=0.0,
        unclear=ended.exit_code is None and ended.signal is None,
        notes=tuple(_notes(ended)),
    )


def _notes(ended: Ended) -> list[str]:
    notes = [f"the editor's terminal: {'; '.join(ended.troubles)}"] if ended.troubles else []
    if ended.truncated:
        notes.append("the editor kept only the end of the output, which is all that is known of it")
    return notes


def _whole_words(ended: Ended) -> str:
    """Return the output without what may be the rest of a secret."""
    if not ended.truncated:
        return ended.output
    line = ended.output.find("\n", 0, 8 * _TORN)
    return ended.output[line + 1 if line >= 0 else _TORN :]
