"""Seats for commands that are tested by themselves."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from hermes_core.commands.seat import Reply, Seat, answer
from hermes_core.commands.table import COMMANDS
from hermes_core.ground.errors import NoCredentials
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.local.config import load_config

if TYPE_CHECKING:
    from hermes_core import AIAgent


def seat_in(home: Path, agent: "AIAgent | None" = None, **more: Any) -> Seat:
    """Return a seat whose settings lie in ``home``; ``more`` are further fields."""
    environ = {"HERMES_HOME": str(home), "HOME": str(home), "PATH": "/usr/bin:/bin"}

    def runtime() -> Runtime:
        if agent is None:
            raise NoCredentials("There is no key.")
        return agent.runtime

    fields: dict[str, Any] = {
        "agent": cast("AIAgent", agent),
        "cwd": str(home),
        "mode": "default",
        "set_mode": lambda _: None,
        "model": lambda: "`m` through custom",
        "tools": list,
        "runtime": runtime,
        "choose": lambda *_: runtime(),
        "config": lambda: load_config(environ),
        "configure": lambda _: None,
        "interrupt": Interrupt(),
        "environ": environ,
    }
    return Seat(**{**fields, **more})


def run(seat: Seat, text: str) -> Reply:
    """Return what a command answers."""
    name, _, argument = text.removeprefix("/").partition(" ")
    return answer(COMMANDS[name], seat, argument.strip())


def said(seat: Seat, text: str) -> str:
    """Return what a command answers, which has to be a text."""
    reply = run(seat, text)
    assert isinstance(reply, str)
    return reply
