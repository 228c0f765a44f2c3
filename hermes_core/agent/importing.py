"""Importing a session from a file, its history brought into the order that providers demand."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_core.agent.alternation import PROCESS_ENDED, TURN_LOST, Alternation, closing, repair
from hermes_core.ground.errors import ConfigError
from hermes_core.ground.messages import Message

if TYPE_CHECKING:
    from hermes_core.sessions.store import Store

_log = logging.getLogger(__name__)


def import_session(store: "Store", data: bytes, cwd: Path) -> tuple[str, list[str]]:
    """Store the session that a file holds; return its new id, and what was put right in it.

    cwd: the folder that it goes on in; the file's own folders, modes and models do not count, nor
    does its prompt. What was put right is in the log too. Raises ``HermesError`` for a file that
    is no export.
    """
    from hermes_core.sessions.imported import read_export
    from hermes_core.sessions.importing import Destination, write_import

    if not cwd.is_dir():
        raise ConfigError(f"{cwd} is not a folder. Choose an existing working folder.")
    found = read_export(data)
    session_id, notes = write_import(store, found, Destination(str(cwd)), mended)
    for note in notes:
        _log.warning("session %s: imported: %s", session_id, note)
    return session_id, notes


def mended(messages: Sequence[Message]) -> tuple[list[Message], list[str]]:
    """Return ``messages`` in order and brought to rest, and a note for each change."""
    whole, notes = repair(messages)
    order = Alternation()
    for message in whole:
        order = order.then(message)
    rest = closing(order, PROCESS_ENDED, TURN_LOST)
    if rest:
        notes.append("closed a turn that had no end")
    return [*whole, *rest], notes
