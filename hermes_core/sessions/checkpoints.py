"""Where a session can go back to, and what an undoing replaced: the rows of it.

A checkpoint stands for a turn, from before its prompt. Every method raises ``StoreError``.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from hermes_core.ground.errors import StoreError
from hermes_core.sessions.shadow import State
from hermes_core.sessions.store import Store, decode, encode

Hand = Literal["only", "too"]
"""Whether others alone changed a path, or the turn and others."""

_TITLE = 80

_INSERT = """
    INSERT INTO checkpoints (session, at, message_id, title, history, length)
    SELECT number, ?, ?, ?, coalesce(tip, number),
           (SELECT count(*) - 1 FROM messages WHERE session = coalesce(tip, sessions.number))
    FROM sessions WHERE id = ?
"""
_SELECT = """
    SELECT c.number, c.message_id, c.title, c.at, h.id, c.length
    FROM checkpoints c JOIN sessions s ON s.number = c.session
    JOIN sessions h ON h.number = c.history
    WHERE s.id = ? AND c.undone IS NULL ORDER BY c.number
"""
_SELECT_SNAPSHOTS = """
    SELECT p.checkpoint, p.root, p.before, p.after, p.others
    FROM snapshots p JOIN checkpoints c ON c.number = p.checkpoint
    JOIN sessions s ON s.number = c.session WHERE s.id = ? ORDER BY p.checkpoint
"""
_INSERT_UNDOING = """
    INSERT INTO undoings (session, at, message_id, history, files)
    SELECT number, ?, ?, coalesce(tip, number), ? FROM sessions WHERE id = ?
"""
_SELECT_UNDOING = """
    SELECT u.number, u.message_id, h.id, u.files
    FROM undoings u JOIN sessions s ON s.number = u.session
    JOIN sessions h ON h.number = u.history
    WHERE s.id = ? ORDER BY u.number DESC LIMIT 1
"""
_MARK = """
    UPDATE checkpoints SET undone = ?
    WHERE number >= ? AND undone IS NULL
      AND session = (SELECT number FROM sessions WHERE id = ?)
"""
_FORGET_UNDOINGS = """
    DELETE FROM undoings WHERE session = (SELECT number FROM sessions WHERE id = ?)
"""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The trees of one folder before and after a turn; no tree after one that was killed.

    others: paths that somebody else changed while it ran, and whether the turn did too.
    """

    root: str
    before: str
    after: str | None = None
    others: Mapping[str, Hand] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A turn that can be taken back.

    history, length: the session's history at its beginning, and how many messages it had.
    """

    number: int
    message_id: str
    title: str
    at: float
    history: str
    length: int
    snapshots: tuple[Snapshot, ...] = ()


@dataclass(frozen=True, slots=True)
class Replaced:
    """A path that an undoing changed: what stood there before it, and what after it."""

    root: str
    path: str
    before: State | None
    after: State | None


@dataclass(frozen=True, slots=True)
class Undoing:
    """An undoing that can be taken back: the first prompt of it, the history and files before."""

    number: int
    message_id: str
    history: str
    files: tuple[Replaced, ...]


class Checkpoints:
    """The checkpoints of one session."""

    def __init__(self, store: Store, session_id: str) -> None:
        self._db = store.database
        self._session_id = session_id

    def add(self, message_id: str, title: str) -> int:
        """Note that the turn of the prompt that was stored last begins; return its number.

        What was undone before is so for good.
        """
        line = " ".join(title.split())
        line = line if len(line) <= _TITLE else line[: _TITLE - 1] + "…"
        with self._db.transaction() as db:
            values = (time.time(), message_id, encode(line), self._session_id)
            cursor = db.execute(_INSERT, values)
            if cursor.rowcount == 0:
                raise StoreError(f"There is no session {self._session_id!a} in the store.")
            db.execute(_FORGET_UNDOINGS, (self._session_id,))
            return cursor.lastrowid or 0

    def set_before(self, number: int, root: str, tree: str) -> None:
        """Note what a folder held before the first change of a turn."""
        with self._db.transaction() as db:
            db.execute(
                "INSERT OR IGNORE INTO snapshots (checkpoint, root, before) VALUES (?, ?, ?)",
                (number, encode(root), tree),
            )

    def set_after(
        self, number: int, root: str, tree: str, others: Mapping[str, Hand] | None = None
    ) -> None:
        """Note what a folder held at the end of a turn, and which paths others changed."""
        with self._db.transaction() as db:
            db.execute(
                "UPDATE snapshots SET after = ?, others = ? WHERE checkpoint = ? AND root = ?",
                (tree, encode(dict(others or {})), number, encode(root)),
            )

    def all(self) -> list[Checkpoint]:
        """Return the turns of the session that were not taken back, in order."""
        snapshots: dict[int, list[Snapshot]] = {}
        for number, root, *rest in self._db.rows(_SELECT_SNAPSHOTS, (self._session_id,)):
            before, after, others = rest
            shot = Snapshot(decode(root), before, after, decode(others))
            snapshots.setdefault(number, []).append(shot)
        rows = self._db.rows(_SELECT, (self._session_id,))
        return [
            Checkpoint(
                number,
                message_id,
                decode(title),
                at,
                history,
                length,
                tuple(snapshots.get(number, ())),
            )
            for number, message_id, title, at, history, length in rows
        ]

    def undo(self, first: Checkpoint, files: Sequence[Replaced]) -> int:
        """Note that ``first`` and all after it are taken back; the history must change after."""
        coded = encode([_coded(one) for one in files])
        with self._db.transaction() as db:
            cursor = db.execute(
                _INSERT_UNDOING, (time.time(), first.message_id, coded, self._session_id)
            )
            number = cursor.lastrowid or 0
            db.execute(_MARK, (number, first.number, self._session_id))
            return number

    def last_undoing(self) -> Undoing | None:
        """Return what ``redo`` would take back."""
        rows = self._db.rows(_SELECT_UNDOING, (self._session_id,))
        if not rows:
            return None
        number, message_id, history, files = rows[0]
        return Undoing(number, message_id, history, tuple(map(_decoded, decode(files))))

    def redo(self, undoing: Undoing) -> None:
        """Note that an undoing holds no more."""
        with self._db.transaction() as db:
            db.execute("UPDATE checkpoints SET undone = NULL WHERE undone = ?", (undoing.number,))
            db.execute("DELETE FROM undoings WHERE number = ?", (undoing.number,))


def _coded(one: Replaced) -> list[object]:
    states = [None if s is None else [s.mode, s.blob] for s in (one.before, one.after)]
    return [one.root, one.path, *states]


def _decoded(data: list[object]) -> Replaced:
    root, path, *states = data
    before, after = (State(*s) if isinstance(s, list) else None for s in states)
    return Replaced(str(root), str(path), before, after)


def still_needed(store: Store) -> Callable[[str, str], bool]:
    """Return what tells, by session id and tree, whether a snapshot may be needed.

    It is for as long as its session stands, or a copy of that can go back to it.
    """
    rows = store.database.rows("SELECT before, after FROM snapshots")
    trees = {tree for row in rows for tree in row}
    return lambda session_id, tree: tree in trees or store.session(session_id) is not None
