"""``hermes providers``: what each provider needs, what is configured, and where from."""

import argparse
import os

from acp_server.cli.console import say
from acp_server.cli.printable import visible
from hermes_core.ground.secrets import REDACTOR


def run_providers(_arguments: argparse.Namespace) -> int:
    """Print every provider; return the exit code. Raises ``HermesError``."""
    from hermes_core.commands.providers import oddities, provider_rows
    from hermes_core.local.config import load_config

    config = load_config(os.environ)
    rows = provider_rows(config)
    for row in sorted(rows, key=lambda row: not row.usable):
        mark = "✓" if row.usable else " "
        words = row.found if row.usable else f"needs {row.needs}"
        tell(f"{mark} {row.name:<20} {words}" + (f". {row.note}" if row.note else ""))
    for line in (*oddities(config), *config.warnings):
        tell(f"! {line}")
    say("\n`hermes model` chooses one; `hermes auth login PROVIDER` stores a key or a login.")
    return 0


def tell(text: str) -> None:
    """Print text that may hold what files and providers say: nothing hidden, no key."""
    say(visible(REDACTOR.redact(text)))


def tell_markdown(text: str) -> None:
    """Print the short Markdown of a command as plain lines."""
    tell(text.replace("`", ""))
