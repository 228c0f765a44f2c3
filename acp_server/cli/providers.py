"""``hermes providers``: what each provider needs, what is configured, and where from."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from acp_server.cli.console import Failure, say
from acp_server.cli.printable import visible
from hermes_core.ground.secrets import REDACTOR

if TYPE_CHECKING:
    from hermes_core.local.config import Config


def settings() -> "Config":
    """Return the settings of this user.

    Raises ``Failure`` if they lie inside the current folder, whose project could then send keys
    elsewhere and run code of its own, and ``ConfigError``.
    """
    from hermes_core.local.config import load_config
    from hermes_core.local.homes import lies_inside

    config = load_config(os.environ)
    if lies_inside(config.home, _folder(), os.environ):
        raise Failure(
            f"HERMES_HOME ({config.home}) lies inside the current folder, whose project could "
            "change Hermes's own settings.",
            "Set HERMES_HOME to a folder elsewhere, unset it, or change to another folder.",
        )
    return config


def run_providers(_arguments: argparse.Namespace) -> int:
    """Print every provider; return the exit code. Raises ``HermesError``."""
    from hermes_core.commands.providers import oddities, provider_rows

    config = settings()
    rows = provider_rows(config)
    for row in sorted(rows, key=lambda row: not row.usable):
        mark = "✓" if row.usable else " "
        words = row.found if row.usable else f"needs {row.needs}"
        tell(f"{mark} {row.name:<20} {words}" + (f". {row.note}" if row.note else ""))
    for line in (*oddities(config), *config.warnings):
        tell(f"! {line}")
    say("\n`hermes model` chooses one; `hermes auth login PROVIDER` stores a key or a login.")
    return 0


def _folder() -> list[Path]:
    try:
        return [Path.cwd()]
    except OSError:  # it is gone
        return []


def tell(text: str) -> None:
    """Print text that may hold what files and providers say: nothing hidden, no key."""
    say(visible(REDACTOR.redact(text)))


def tell_markdown(text: str) -> None:
    """Print the short Markdown of a command as plain lines."""
    tell(text.replace("`", ""))
