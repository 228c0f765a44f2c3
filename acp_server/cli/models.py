"""``hermes model``: search and pick a provider and a model, and save the choice."""

import argparse
import sys
from typing import TYPE_CHECKING

from acp_server.cli.console import Failure, is_terminal, say
from acp_server.cli.providers import settings, tell, tell_markdown
from hermes_core.ground.typed import quoted, whole_number

if TYPE_CHECKING:
    from hermes_core.local.config import Config

SHOWN = 20
"""Choices that are shown at a time; a word narrows them down."""


def add_model_parser(parser: argparse.ArgumentParser) -> None:
    """Give ``hermes model`` its options."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="the model to save; else ask")
    parser.add_argument("--provider", metavar="P", help="the provider to save with it")
    parser.add_argument("--list", action="store_true", help="list models, those that NAME fits")
    parser.add_argument("--refresh", action="store_true", help="ask the provider anew")


def run_model(arguments: argparse.Namespace) -> int:
    """Save a choice, list models, or ask; return the exit code. Raises ``HermesError``."""
    from hermes_core.commands.model import offer, offer_text, save_model

    config = settings()
    provider, name = arguments.provider, arguments.name
    if arguments.list:
        found = offer(config, provider, name or "", refresh=arguments.refresh)
        tell_markdown(offer_text(found, limit=10_000))
    elif name is not None:
        tell_markdown(save_model(config, provider, name))
    elif is_terminal(sys.stdin):
        try:
            _ask(config, provider, refresh=arguments.refresh)
        except EOFError:
            say("\nNothing was changed.")
            return 1
    else:
        tell_markdown(_current(config))
    return 0


def _current(config: "Config") -> str:
    from hermes_core.commands.model import model_text
    from hermes_core.model.assembly import runtime_for
    from hermes_core.providers.resolution import Request

    current = model_text(runtime_for(Request(), config))
    return f"{current}\n`hermes model NAME --provider P` saves another choice; --list lists models."


def _ask(config: "Config", provider: str | None, *, refresh: bool) -> None:
    from hermes_core.commands.model import offer, save_model
    from hermes_core.commands.providers import provider_rows

    if provider is None:
        rows = sorted(provider_rows(config), key=lambda row: not row.usable)
        labels = {
            row.name: row.found if row.usable else f"needs {row.needs}".replace("`", "")
            for row in rows
        }
        provider = _pick("Provider", labels, free=False)
    found = offer(config, provider, refresh=refresh)
    if found.note:
        tell(found.note)
    windows = {one.id: f"{one.window:,} tokens" if one.window else "" for one in found.models}
    model = _pick("Model", windows, free=True)
    tell_markdown(save_model(config, provider, model))


def _pick(what: str, choices: dict[str, str], *, free: bool) -> str:
    """Ask until one of ``choices`` is named by its number or name; any name will do if ``free``."""
    query = ""
    while True:
        fitting = [name for name in choices if all(w in name.lower() for w in query.split())]
        for number, name in enumerate(fitting[:SHOWN], 1):
            tell(f"{number:>4}  {name:<40} {choices[name]}".rstrip())
        if len(fitting) > SHOWN:
            say(f"      and {len(fitting) - SHOWN} more")
        say(f"{what} (a number, a name, or a word to search): ", end="")
        answer = sys.stdin.readline()
        if not answer.strip():
            raise EOFError
        answer = answer.strip()
        if 0 < (number := whole_number(answer) or 0) <= min(len(fitting), SHOWN):
            return fitting[number - 1]
        if answer in choices:
            return answer
        if any(answer.lower() in name.lower() for name in choices):
            query = answer.lower()
        elif free:
            return answer
        else:
            raise Failure(
                f"There is no {what.lower()} {quoted(answer)}.", "`hermes providers` lists all."
            )
