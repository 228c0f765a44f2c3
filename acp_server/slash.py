"""Slash commands: a prompt that is a command is answered without a model.

The user's own prompts are among them. They are looked at anew when a session opens, when one is
typed, and after each turn, and the client is told when there are others.
"""

import re
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from acp_server.mapping import Json, commands_update
from hermes_core.commands.seat import Command, Reply, Seat
from hermes_core.commands.table import COMMANDS, LOGIN
from hermes_core.commands.templates import expand, near_names, run_typed, split_command
from hermes_core.ground.errors import ConfigError
from hermes_core.local.templates import Stamp, Template, read_templates, stamp_of

_LOGIN = re.compile(rf"/{LOGIN}(?!\S)(.*)", re.IGNORECASE | re.DOTALL)
_TAKEN = frozenset(COMMANDS)

Found = tuple[Command, str]
"""A command and its argument."""


class Commands:
    """The commands of one session; may be used from any thread.

    home: returns the folder of the settings. tell: sends an update of the session.
    ``find`` and ``filled`` read nothing, and are for the event loop too.
    """

    def __init__(self, home: Callable[[], Path], tell: Callable[[Json], None]) -> None:
        self._home = home
        self._tell = tell
        self._lock = threading.Lock()
        self._stamp: Stamp | None = None
        self._own: dict[str, Template] = {}
        self._told: Json | None = None

    def find(self, blocks: Sequence[dict[str, Any]]) -> Found | None:
        """Return the command that a prompt is, and its argument; None for any other prompt.

        A command is one text that begins with a slash and a name. Anything else that begins with a
        slash, such as a path, is for the model. What is no command of Hermes is one all the same:
        it finds out whether it is a prompt of the user's own, mistyped, or for the model.
        ``/login`` is one however it is typed, since a key may follow.
        """
        if login := _login_in(blocks):
            return COMMANDS[LOGIN], login[1].strip()
        if len(blocks) != 1 or not isinstance(text := blocks[0].get("text"), str):
            return None
        split = split_command(text)
        if split is None:
            return None
        name, argument = split
        command = COMMANDS.get(name)
        return (command or self._typed(name, text.strip())), argument

    def filled(self, blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return a prompt of several blocks with what its first one means.

        That is where a prompt of the user's own is typed together with files or images.
        """
        first = blocks[0].get("text") if len(blocks) > 1 else None
        split = split_command(first) if isinstance(first, str) else None
        template = self._own.get(split[0]) if split else None
        if split is None or template is None:
            return blocks
        return [{**blocks[0], "text": expand(template, split[1]) + "\n\n"}, *blocks[1:]]

    def listed(self) -> Json:
        """Return the update that tells the client which commands there are; it knows them then."""
        with self._lock:
            self._look()
            self._told = self._build()
            return self._told

    def tell_changes(self) -> None:
        """Tell the client, if there are other commands than it was told of."""
        with self._lock:
            self._look()
            update = self._build()
            if self._told is None or update == self._told:
                return
            self._told = update
        self._tell(update)

    def _typed(self, name: str, text: str) -> Command:
        at_once = name not in self._own and bool(near_names(name, (*COMMANDS, *self._own)))
        return Command(name, "", "TEXT", partial(_run_typed, text), at_once=at_once)

    def _look(self) -> None:
        try:
            home = self._home()
        except ConfigError:
            return
        stamp = stamp_of(home)
        if stamp != self._stamp:
            self._stamp = stamp
            self._own = {one.name: one for one in read_templates(home, _TAKEN).usable}

    def _build(self) -> Json:
        listed = [(c.name, c.description, c.hint) for c in COMMANDS.values()]
        listed += [(t.name, t.description, t.hint) for t in self._own.values()]
        return commands_update(listed)


def _run_typed(text: str, seat: Seat, _argument: str) -> Reply:
    return run_typed(seat, text, COMMANDS)


def _login_in(blocks: Sequence[dict[str, Any]]) -> re.Match[str] | None:
    text = "\n".join(found for b in blocks if isinstance(found := b.get("text"), str))
    return _LOGIN.fullmatch(text.strip())
