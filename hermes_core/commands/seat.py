"""What a slash command is, and what it may look at and change."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermes_core.ground.actions import Mode
from hermes_core.ground.errors import HermesError, Interrupted
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.local.config import Config

if TYPE_CHECKING:
    from hermes_core.agent.agent import AIAgent


@dataclass(frozen=True, slots=True)
class Seat:
    """The session in which a command was typed.

    agent: the session's agent; no turn of it runs while the command does.
    model: returns the provider and model in use, or why there is none. runtime: returns the same
    in full, or raises why not. choose: changes provider and model in this session.
    config: reads the settings anew; configure: has the session use them.
    """

    agent: "AIAgent"
    cwd: str
    mode: Mode
    set_mode: Callable[[Mode], None]
    model: Callable[[], str]
    tools: Callable[[], list[str]]
    runtime: Callable[[], Runtime]
    choose: Callable[[str | None, str | None], Runtime]
    config: Callable[[], Config]
    configure: Callable[[Config], None]
    interrupt: Interrupt


@dataclass(frozen=True, slots=True)
class Command:
    """A command; ``run(seat, argument)`` returns its answer as Markdown.

    hint: what may follow the name, ``""`` for nothing.
    """

    name: str
    description: str
    hint: str
    run: Callable[[Seat, str], str]

    @property
    def usage(self) -> str:
        """How it is typed, without the slash."""
        return f"{self.name} {self.hint}" if self.hint else self.name


def answer(command: Command, seat: Seat, argument: str) -> str:
    """Return what a command answers; an error of the core is its answer too."""
    try:
        return command.run(seat, argument)
    except Interrupted:
        raise
    except HermesError as error:
        return str(error)
