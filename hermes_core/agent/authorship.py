"""Who changed what while a turn ran: its own tools, or somebody else.

Of a file tool we know the path, what it found there and what it left. Of a command, or a tool of a
foreign server, we know when it ran; the time at which a path last changed (its ctime, which no
program sets) tells whether that was then; what moved with its folder keeps its time, and is known
by what is gone elsewhere. What nothing of this explains is another's: that of a
person, of an editor, of another session.
"""

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hermes_core.ground.actions import Action
from hermes_core.local.restoring import blob_id, found_at
from hermes_core.sessions.checkpoints import Hand
from hermes_core.sessions.shadow import Change, State

_SLACK = 50_000_000
"""Nanoseconds that the clock of a file system may be behind ours: it is read once a tick."""

_SECOND = 1_000_000_000
_ROUNDING = 2 * _SECOND
"""What a file system may round off that keeps whole seconds, or every other one."""

_FOREVER = 2**63


@dataclass(slots=True)
class _Write:
    """One write of a file tool. at: when the path had last changed before it (ns), None for never.

    found, left: what stood there before and after; done: whether it is over.
    """

    at: int | None
    found: State | None
    left: State | None = None
    done: bool = False


class Authorship:
    """What the tools of one turn did; told by any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._writes: dict[str, list[_Write]] = {}
        self._spans: list[list[int]] = []

    @contextmanager
    def watch(self, action: Action) -> Iterator[None]:
        """Note what happens within as the turn's own."""
        if action.kind == "edit":
            with self._writing([str(path) for path in action.paths]):
                yield
        elif action.kind in ("execute", "mcp"):
            span = [time.time_ns() - _SLACK, _FOREVER]
            with self._lock:
                self._spans.append(span)
            yield  # after an interrupt or a failure it may still go on, so the span stays open
            if action.kind == "execute":  # a foreign server may work on after its answer
                span[1] = time.time_ns()
        else:
            yield

    def others(self, root: str, changes: Sequence[Change]) -> dict[str, Hand]:
        """Return the paths of ``changes``, of the folder ``root``, that others had a hand in."""
        gone = {one.old for one in changes if one.new is None}
        found: dict[str, Hand] = {}
        with self._lock:
            for one in changes:
                path = os.path.join(root, one.path)
                moved = one.old is None and one.new in gone and bool(self._spans)
                if not moved and not self._is_own(path, one):
                    found[one.path] = "too" if path in self._writes else "only"
        return found

    @contextmanager
    def _writing(self, paths: Sequence[str]) -> Iterator[None]:
        begun = [(path, _Write(_changed_at(path), _state(path))) for path in paths]
        with self._lock:
            for path, write in begun:
                self._writes.setdefault(path, []).append(write)
        try:
            yield
        finally:
            for path, write in begun:
                write.left, write.done = _state(path), True

    def _is_own(self, path: str, change: Change) -> bool:
        writes = self._writes.get(path, [])
        known = change.old
        for write in writes:
            if write.found != known and not self._by_command(write.at):
                return False
            if not write.done:
                return True
            known = write.left
        if writes and change.new == known:
            return True
        return self._by_command(_changed_at(path))

    def _by_command(self, at: int | None) -> bool:
        """Return whether a command can have changed something last at ``at``; None for gone."""
        if at is None:
            return bool(self._spans)
        rounded = _ROUNDING if at % _SECOND == 0 else 0
        return any(first - rounded <= at <= last for first, last in self._spans)


def _changed_at(path: str) -> int | None:
    try:
        return os.lstat(path).st_ctime_ns
    except OSError:
        return None


def _state(path: str) -> State | None:
    place = Path(path)
    try:
        found = found_at(place.parent, place.name)
    except OSError:
        return None
    return None if found is None else State(found[0], blob_id(found[1]))
