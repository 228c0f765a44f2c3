"""What a slash command is, and what it may look at and change."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hermes_core.ground.actions import Mode
from hermes_core.ground.asking import Questions
from hermes_core.ground.errors import HermesError, Interrupted
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import Content
from hermes_core.ground.runtime import Runtime
from hermes_core.local.config import Config

if TYPE_CHECKING:
    from hermes_core.agent.agent import AIAgent


@dataclass(frozen=True, slots=True)
class Seat:
    """The session in which a command was typed.

    agent: the session's agent; no turn of it runs while the command does, unless that is one to
        be answered at once.
    model: returns the provider and model in use, or why there is none. runtime: returns the same
    in full, or raises why not. choose: changes provider and model in this session.
    config: reads the settings anew; configure: has the session use them.
    stop: interrupts the running turn alone; returns whether one ran. drop: forgets messages of the
        queue, by their numbers, and those who wait for their answers are told so.
    open_numbers: returns the numbers of what begins by itself or runs.
    show_history: shows all that the session's log holds, as where a session is loaded.
    environ: the environment of the program.
    questions: shows pages to the person; None where nobody is to wait for them.
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
    stop: Callable[[], bool] = lambda: False
    drop: Callable[[Sequence[int]], None] = lambda _: None
    open_numbers: Callable[[], frozenset[int]] = frozenset
    show_history: Callable[[], None] = lambda: None
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    questions: Questions | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """An answer that is shown and not kept: it says what goes on."""

    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A message to the model; ``number``: its number in the queue, if it waits there."""

    content: Content
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Prompts:
    """What is sent to the model in the place of an answer, one turn after the other."""

    prompts: tuple[Prompt, ...]


Reply = str | Remark | Prompts
"""What a command comes to; a text is its answer as Markdown."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command; ``run(seat, argument)`` returns its answer as Markdown, or what to do instead.

    hint: what may follow the name, ``""`` for nothing. at_once: whether it is answered while a
    turn runs; others wait until that has ended.
    """

    name: str
    description: str
    hint: str
    run: Callable[[Seat, str], Reply]
    at_once: bool = False

    @property
    def usage(self) -> str:
        """How it is typed, without the slash."""
        return f"{self.name} {self.hint}" if self.hint else self.name


def answer(command: Command, seat: Seat, argument: str) -> Reply:
    """Return what a command answers; an error of the core is its answer too."""
    try:
        if argument and not command.hint:
            name = command.name
            raise HermesError(f"`/{name}` takes nothing behind it. Type `/{name}` alone.")
        return command.run(seat, argument)
    except Interrupted:
        raise
    except HermesError as error:
        return str(error)
