"""Running commands: bounded in time and output, interruptible, and gone when they are over."""

import functools
import os
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.capture import Captured, capture
from hermes_core.local.children import GRACE, end_all_children, stopping_children
from hermes_core.local.confinement import Confinement, SandboxMode
from hermes_core.local.environment import child_environment, find_program
from hermes_core.local.output import Output
from hermes_core.local.process_limit import limited
from hermes_core.local.pump import running
from hermes_core.local.sandbox import SANDBOX

__all__ = [
    "Captured",
    "Finished",
    "approved_argv",
    "capture",
    "child_environment",
    "end_all_children",
    "find_program",
    "run_command",
    "wait_for_stragglers",
]

_DRAIN = 0.25
_SHOW_EVERY = 0.1
_SHELLS = ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/run/current-system/sw/bin/bash")


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended.

    exit_code: None if a signal ended it, which ``signal`` names, or if it is still being ended.
    output: cleaned text, bounded; truncated: whether a part of it was left out.
    walled: whether it ran in a sandbox that gives it processes of its own; a signal that ended its
    shell is an exit code above 128 then.
    terminal: the id of the client's terminal that shows all of it, ``""`` for none. unclear:
    whether the client did not tell how it ended. notes: what else is to be told of it.
    """

    exit_code: int | None
    signal: str | None
    output: str
    truncated: bool
    timed_out: bool
    interrupted: bool
    seconds: float
    walled: bool = False
    terminal: str = ""
    unclear: bool = False
    notes: tuple[str, ...] = ()


def run_command(
    command: str,
    cwd: Path,
    *,
    env: Mapping[str, str],
    timeout: float,
    max_output: int,
    interrupt: Interrupt,
    on_output: Callable[[str], None] | None = None,
    on_text: Callable[[str], None] | None = None,
    confinement: Confinement | None = None,
    sandbox: SandboxMode = "auto",
) -> Finished:
    """Run ``command`` in a fresh shell and return when that shell has ended.

    The shell is bash without start-up files, or else sh. stdin is at its end, there is no
    terminal, stdout and stderr are one. Nothing outlives the command: its background children are
    ended with it, those in sessions of their own included. After ``timeout`` seconds all of them
    get TERM, and KILL after 2 s. An interrupt returns within 100 ms; the ending goes on behind,
    and the next command in ``cwd`` waits for it. If this process is killed, the command dies too.

    on_output gets the text so far, at once and then at most ten times a second; on_text all of the
    text, in pieces, what is left out of the output too.
    confinement: what the command is kept from, as far as this machine and ``sandbox`` allow.
    Those that somebody allowed may start so many processes and no more (``process_limit``).
    Raises ``ToolError`` if the command cannot be started.
    """
    begun = time.monotonic()
    wait_for_stragglers(cwd, interrupt)
    if interrupt.is_set():
        return Finished(None, None, "", False, False, True, 0.0)
    output = Output(max_output, on_text)
    show = _Show(output, on_output)
    wall = SANDBOX.wall(confinement, sandbox)
    unasked = confinement is not None and confinement.kind == "unasked"
    argv = [*_shell(), command] if unasked else approved_argv(command)
    with running(argv, cwd, env, interrupt, merge=True, wall=wall) as (child, pump):
        pump.add(child.process.stdout, show.take)
        ending = pump.run(timeout, show)
        timed_out = ending == "timed_out"
        if timed_out:
            child.stop()
            ending = pump.run(GRACE + 0.5, show)
        pump.drain(0 if ending == "interrupted" else _DRAIN)
    output.finish()
    code = child.process.returncode if child.exited.is_set() else None
    return Finished(
        exit_code=code if code is not None and code >= 0 else None,
        signal=_signal_name(-code) if code is not None and code < 0 else None,
        output=output.text(),
        truncated=output.truncated,
        timed_out=timed_out,
        interrupted=ending == "interrupted",
        seconds=time.monotonic() - begun,
        walled=wall is not None and wall.wraps,
    )


def approved_argv(command: str) -> list[str]:
    """Return the shell that runs a command which somebody allowed, under the process limit."""
    return limited([*_shell(), command])


def wait_for_stragglers(cwd: Path | None = None, interrupt: Interrupt | None = None) -> None:
    """Wait, 5 s at most, until the commands that were told to end (in ``cwd``) are gone."""
    deadline = time.monotonic() + 5
    for child in stopping_children(cwd):
        while time.monotonic() < deadline and not child.gone.wait(0.02):
            if interrupt is not None and interrupt.is_set():
                return


class _Show:
    """Takes output, and shows what there is of it at a bounded rate."""

    def __init__(self, output: Output, on_output: Callable[[str], None] | None) -> None:
        self._output = output
        self._on_output = on_output
        self._changed = False
        self._next = 0.0

    def take(self, data: bytes) -> None:
        self._output.feed(data)
        self._changed = True

    def tick(self, now: float) -> float | None:
        if not self._changed or self._on_output is None:
            return None
        if now < self._next:
            return self._next - now
        self._changed = False
        self._next = now + _SHOW_EVERY
        self._on_output(self._output.text())
        return None


@functools.cache
def _shell() -> tuple[str, ...]:
    bash = next((path for path in _SHELLS if os.access(path, os.X_OK)), None)
    return (bash, "--noprofile", "--norc", "-c") if bash else ("/bin/sh", "-c")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
