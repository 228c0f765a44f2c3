"""Slash commands: a prompt that is a command is answered here, without a model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from acp_server.mapping import Json, commands_update
from hermes_core.commands.help import help_text
from hermes_core.commands.mode import describe_modes, find_mode
from hermes_core.ground.actions import Mode
from hermes_core.ground.errors import HermesError


@dataclass(frozen=True, slots=True)
class Seat:
    """What a command may look at and change: the session in which it was typed.

    model: returns the provider and model in use, or why there is none.
    """

    cwd: str
    mode: Mode
    set_mode: Callable[[Mode], None]
    model: Callable[[], str]
    tools: Callable[[], list[str]]


@dataclass(frozen=True, slots=True)
class Command:
    """A command; ``run(seat, argument)`` returns its answer as Markdown."""

    name: str
    description: str
    hint: str
    run: Callable[[Seat, str], str]

    @property
    def usage(self) -> str:
        """How it is typed, without the slash."""
        return f"{self.name} {self.hint}" if self.hint else self.name


def find(blocks: list[dict[str, Any]]) -> tuple[Command, str] | None:
    """Return the command that a prompt is, and its argument; None for any other prompt.

    A command is one text that begins with a slash and a known name. Anything else that begins
    with a slash, such as a path, is for the model.
    """
    if len(blocks) != 1 or not isinstance(text := blocks[0].get("text"), str):
        return None
    name, _, argument = text.strip().partition(" ")
    command = COMMANDS.get(name.removeprefix("/")) if name.startswith("/") else None
    return None if command is None else (command, argument.strip())


def available() -> Json:
    """Return the update that tells the client which commands there are."""
    return commands_update([(c.name, c.description, c.hint) for c in COMMANDS.values()])


def _help(seat: Seat, _argument: str) -> str:
    return help_text(
        cwd=seat.cwd,
        model=seat.model(),
        mode=seat.mode,
        tools=seat.tools(),
        commands=[(command.usage, command.description) for command in COMMANDS.values()],
    )


def _mode(seat: Seat, argument: str) -> str:
    if not argument:
        return describe_modes(seat.mode)
    try:
        mode = find_mode(argument)
    except HermesError as error:
        return str(error)
    seat.set_mode(mode)
    return describe_modes(mode)


COMMANDS: Mapping[str, Command] = {
    command.name: command
    for command in (
        Command("help", "What Hermes works with here, and what can be typed", "", _help),
        Command("mode", "Show the modes, or change to one", "NAME", _mode),
    )
}
