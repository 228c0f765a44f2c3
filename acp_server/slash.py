"""Slash commands: a prompt that is a command is answered here, without a model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from acp_server.mapping import Json, commands_update
from hermes_core.commands.help import help_text
from hermes_core.commands.mode import describe_modes, find_mode
from hermes_core.ground.actions import Mode
from hermes_core.ground.errors import HermesError, Interrupted
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.local.config import Config


@dataclass(frozen=True, slots=True)
class Seat:
    """What a command may look at and change: the session in which it was typed.

    model: returns the provider and model in use, or why there is none. runtime: returns the same
    in full, or raises why not. choose: changes provider and model in this session.
    config: reads the settings anew; configure: has the session use them.
    """

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
    mode = find_mode(argument)
    seat.set_mode(mode)
    return describe_modes(mode)


_MODEL_HELP = (
    "`/model NAME` uses another model in this session, `/model NAME --provider P` another provider "
    "too; `/model list WORD` searches the provider's models."
)


def _model(seat: Seat, argument: str) -> str:
    from hermes_core.commands.model import model_text, offer, offer_text, read_words

    words, provider = read_words(argument.split())
    if words and words[0] == "list":
        name = provider or seat.runtime().provider
        query = " ".join(words[1:])
        return offer_text(offer(seat.config(), name, query, interrupt=seat.interrupt))
    if not words and provider is None:
        return f"{model_text(seat.runtime())}\n\n{_MODEL_HELP}"
    if len(words) > 1:
        raise HermesError("A model's name has no spaces. Type `/model NAME`.")
    runtime = seat.choose(provider, words[0] if words else None)
    return f"This session goes on with {model_text(runtime)}"


def _provider(seat: Seat, argument: str) -> str:
    from hermes_core.commands.fallback import chain_names
    from hermes_core.commands.providers import provider_text

    if argument:
        return _model(seat, f"--provider={argument}")
    return provider_text(seat.runtime(), chain_names(seat.config()))


def _providers(seat: Seat, _argument: str) -> str:
    from hermes_core.commands.providers import providers_text

    return providers_text(seat.config())


def _fallback(seat: Seat, argument: str) -> str:
    from hermes_core.commands.fallback import run_fallback

    said, changed = run_fallback(seat.config(), argument.split())
    if changed:
        seat.configure(seat.config())
    return said


def answer(command: Command, seat: Seat, argument: str) -> str:
    """Return what a command answers; an error of the core is its answer too."""
    try:
        return command.run(seat, argument)
    except Interrupted:
        raise
    except HermesError as error:
        return str(error)


COMMANDS: Mapping[str, Command] = {
    command.name: command
    for command in (
        Command("help", "What Hermes works with here, and what can be typed", "", _help),
        Command("mode", "Show the modes, or change to one", "NAME", _mode),
        Command(
            "model",
            "Show the model, or use another one in this session",
            "NAME --provider P",
            _model,
        ),
        Command(
            "provider",
            "Show the provider and why it is used, or use another one",
            "NAME",
            _provider,
        ),
        Command("providers", "List the providers, and what each needs", "", _providers),
        Command(
            "fallback",
            "List the fallbacks, or change them",
            "add PROVIDER MODEL",
            _fallback,
        ),
    )
}
