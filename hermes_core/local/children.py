"""Child processes from their start to the end of their last descendant."""

import itertools
import os
import secrets
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from hermes_core.ground.errors import ToolError
from hermes_core.local.descendants import MARK, Family, adopt_orphans, strays
from hermes_core.local.guardian import Guardian
from hermes_core.local.wall import Wall

GRACE = 2.0
"""Seconds between the request to end and the kill."""

_TOKEN = secrets.token_hex(8)
_numbers = itertools.count(1)
_guardian = Guardian(f"{MARK}={_TOKEN}.")
_lock = threading.Lock()
_living: set["Child"] = set()


class Child:
    """One started process with everything that descends from it.

    wrapped: whether the process is a wall around the command; it is never asked to end then, only
        what is behind it, for its end is a kill of all that.
    exited: set when the process itself has ended and its ``returncode`` holds.
    gone: set when no descendant is left either.
    """

    def __init__(
        self, process: "subprocess.Popen[bytes]", mark: str, cwd: Path, *, wrapped: bool = False
    ) -> None:
        self.process = process
        self._wrapped = wrapped
        self.cwd = cwd
        self.exited = threading.Event()
        self.gone = threading.Event()
        self.stopping = False
        self._family = Family(process.pid, mark, self._strays)

    def finish(self) -> None:
        """End what an exited child left behind; returns at once, the work is done behind."""
        if self.stopping:
            return
        if self._wrapped and self.exited.is_set():
            self.stopping = True
            name = f"reap-{self.process.pid}"
            threading.Thread(target=self._reap_namespace, name=name, daemon=True).start()
        elif self.exited.is_set() and not self._family.remains(_known_pids()):
            self.forget()
        else:
            self.stop()

    def stop(self) -> None:
        """Ask the child and its descendants to end, and kill them after ``GRACE``.

        Returns at once; ``gone`` tells when it is done.
        """
        if self.stopping:
            return
        self.stopping = True
        if not self._wrapped:
            self._signal_group(signal.SIGTERM)
            self._signal_group(signal.SIGCONT)
        name = f"stop-{self.process.pid}"
        threading.Thread(target=self._put_down, name=name, daemon=True).start()

    def kill(self) -> bool:
        """Kill everything that can be found; return whether anything was left."""
        self._signal_group(signal.SIGKILL)
        members = self._family.members()
        for member in members:
            self._family.signal(member, signal.SIGKILL)
        return bool(members)

    def forget(self) -> None:
        """Tell that nothing is left of the child."""
        with _lock:
            if self not in _living:
                return
            _living.remove(self)
        _guardian.forget(self.process.pid)
        self.gone.set()

    def watch(self, then: Callable[[], None]) -> None:
        """Wait for the exit on a thread of its own, then set ``exited`` and call ``then``."""

        def wait() -> None:
            self.process.wait()
            self.exited.set()
            then()

        name = f"wait-{self.process.pid}"
        threading.Thread(target=wait, name=name, daemon=True).start()

    def _reap_namespace(self) -> None:
        """Wait for what dies with the wall; we adopted it, and it is in the wall's group."""
        with suppress(ChildProcessError):
            while True:
                os.waitpid(-self.process.pid, 0)
        self.forget()

    def _put_down(self) -> None:
        deadline = time.monotonic() + GRACE
        pause = 0.005
        asked: set[int] = {self.process.pid}
        while (members := self._family.members()) and time.monotonic() < deadline:
            for member in members:
                if member.pid not in asked:
                    asked.add(member.pid)
                    self._family.signal(member, signal.SIGTERM)
            time.sleep(pause)
            pause = min(pause * 2, 0.1)
        deadline = time.monotonic() + GRACE
        while self.kill() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.forget()

    def _strays(self) -> set[int]:
        """Return what got away from commands, if this is the only one that it can be of."""
        with _lock:
            alone = _living <= {self}
        return strays(_known_pids()) if alone else set()

    def _signal_group(self, number: signal.Signals) -> None:
        """Signal the whole group, whose number is ours as long as its leader is not reaped."""
        if not self.exited.is_set():
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, number)


def start_child(
    argv: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    *,
    merge: bool,
    exited: Callable[[], None],
    talk: bool = False,
    wall: Wall | None = None,
) -> Child:
    """Start ``argv`` in a session of its own, with stdin at its end and no other inherited file.

    stdout is a pipe that does not block; stderr is another one or, with ``merge``, the same; with
    ``talk`` stdin is one too.
    ``exited`` is called from another thread when the process has ended. wall: what it is started
    behind. Raises ``ToolError``.
    """
    adopt_orphans()
    mark = f"{_TOKEN}.{next(_numbers)}"

    def spawn(
        argv: Sequence[str], env: Mapping[str, str], files: Sequence[int]
    ) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            list(argv),
            cwd=cwd,
            env={**env, MARK: mark},
            stdin=subprocess.PIPE if talk else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merge else subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            pass_fds=tuple(files),
        )

    try:
        process = wall.start(argv, env, spawn) if wall else spawn(argv, env, ())
    except ValueError:
        raise ToolError("The command holds a character that none can have.") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        where = f" ({error.filename})" if error.filename else ""
        raise ToolError(f"The command could not be started: {reason}{where}.") from None
    child = Child(process, mark, cwd, wrapped=wall is not None and wall.wraps)
    with _lock:
        _living.add(child)
    _guardian.watch(process.pid)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            os.set_blocking(stream.fileno(), False)
    child.watch(exited)
    return child


def stopping_children(cwd: Path | None = None) -> list[Child]:
    """Return the children that were asked to end and are not gone; with ``cwd`` those of it."""
    with _lock:
        return [c for c in _living if c.stopping and cwd in (None, c.cwd)]


def end_all_children() -> None:
    """Kill every child of ours with all its descendants, within about two seconds."""
    deadline = time.monotonic() + GRACE
    while (living := _all_children()) and time.monotonic() < deadline:
        for child in living:
            if not child.kill() and child.exited.is_set():
                child.forget()
        time.sleep(0.005)
    for pid in strays(_known_pids()):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    _guardian.close()


def _all_children() -> list[Child]:
    with _lock:
        return list(_living)


def _known_pids() -> set[int | None]:
    return {_guardian.pid(), *(child.process.pid for child in _all_children())}
