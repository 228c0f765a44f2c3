"""What a copy of a session can go back to: the turns that it took over, files included."""

import os
from typing import TYPE_CHECKING

from hermes_core.sessions.store import decode, encode

if TYPE_CHECKING:
    from sqlite3 import Connection

_TURNS = """
    SELECT number, history, length FROM checkpoints
    WHERE session = ? AND undone IS NULL AND (? IS NULL OR number < ?) ORDER BY number
"""
_MESSAGES = "SELECT message FROM messages WHERE session = ? ORDER BY number"
_ROOTS = "SELECT cwd, additional FROM sessions WHERE number = ?"
_INSERT_TURN = """
    INSERT INTO checkpoints (session, at, message_id, title, history, length)
    SELECT ?, at, message_id, title, ?, length FROM checkpoints WHERE number = ?
"""
_INSERT_SNAPSHOT = """
    INSERT INTO snapshots (checkpoint, root, before, after, others)
    SELECT ?, root, before, after, others FROM snapshots
    WHERE checkpoint = ? AND root = ? AND after IS NOT NULL
"""


def copy_checkpoints(db: "Connection", source: int, target: int, before: int | None = None) -> None:
    """Give a copy the checkpoints of what it was made of, for those of its folders that both have.

    source, target: numbers of sessions; the copy has its messages already. before: the checkpoint
    of the first turn that it has not. A turn that goes on, or was killed, is copied without files:
    where it ended is not known. Histories of before a compression stay those of the source, and
    such turns go with it when it is deleted.
    """
    own = _texts(db, target)
    known: dict[int, list[str]] = {}
    cwd, additional = db.execute(_ROOTS, (target,)).fetchone()
    roots = {os.path.realpath(root) for root in (decode(cwd), *decode(additional))}
    for number, history, length in db.execute(_TURNS, (source, before, before)).fetchall():
        if history not in known:
            known[history] = _texts(db, history)
        is_own = known[history][:length] == own[:length]
        values = (target, target if is_own else history, number)
        copied = db.execute(_INSERT_TURN, values).lastrowid
        db.executemany(_INSERT_SNAPSHOT, [(copied, number, encode(root)) for root in sorted(roots)])


def _texts(db: "Connection", session: int) -> list[str]:
    return [text for (text,) in db.execute(_MESSAGES, (session,))]
