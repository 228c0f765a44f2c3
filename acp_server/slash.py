"""Slash commands: a prompt that is a command is answered without a model."""

import re
from typing import Any

from acp_server.mapping import Json, commands_update
from hermes_core.commands.seat import Command
from hermes_core.commands.table import COMMANDS, LOGIN

_LOGIN = re.compile(rf"/{LOGIN}(?!\S)(.*)", re.IGNORECASE | re.DOTALL)


def find(blocks: list[dict[str, Any]]) -> tuple[Command, str] | None:
    """Return the command that a prompt is, and its argument; None for any other prompt.

    A command is one text that begins with a slash and a known name. Anything else that begins
    with a slash, such as a path, is for the model. ``/login`` is one however it is typed, since a
    key may follow.
    """
    if login := _login_in(blocks):
        return COMMANDS[LOGIN], login[1].strip()
    if len(blocks) != 1 or not isinstance(text := blocks[0].get("text"), str):
        return None
    name, _, argument = text.strip().partition(" ")
    command = COMMANDS.get(name.removeprefix("/")) if name.startswith("/") else None
    return None if command is None else (command, argument.strip())


def _login_in(blocks: list[dict[str, Any]]) -> re.Match[str] | None:
    text = "\n".join(found for b in blocks if isinstance(found := b.get("text"), str))
    return _LOGIN.fullmatch(text.strip())


def available() -> Json:
    """Return the update that tells the client which commands there are."""
    return commands_update([(c.name, c.description, c.hint) for c in COMMANDS.values()])
