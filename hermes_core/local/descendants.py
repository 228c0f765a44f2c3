"""Finding what descends from a child process, even where it left the child's group and session.

A descendant is found in the child's process group, below another descendant, or by the mark that
it inherited in its environment (``setsid``, a double fork). On Linux this process adopts orphans,
so that the search is among its own descendants only; and an orphan without a mark, which emptied
its environment, shows itself as a child that nobody here has started (``strays``).
"""

import functools
import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

MARK = "HERMES_COMMAND_ID"
"""The environment variable that tells which command a process descends from."""

ABANDONED_AFTER = 5.0
"""Seconds after which a dead child that nobody waited for counts as an adopted orphan."""

_dead_since: dict[int, float] = {}
_started_here: set[int] = set()
_MARKED = f"{MARK}=".encode()

_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36


class Family:
    """A child process, the leader of its process group, and its descendants."""

    def __init__(self, leader: int, mark: str, others: Callable[[], set[int]] = set) -> None:
        self.leader = leader
        self.mark = mark
        self._others = others
        self._signalled: set[psutil.Process] = set()

    def members(self) -> "list[psutil.Process]":
        """Return the living processes, parents first; reap those that ended as our orphans."""
        import psutil

        found: dict[int, psutil.Process] = {}
        others = self._others()
        for process in _candidates():
            with suppress(psutil.Error, OSError):
                if process.ppid() in found or process.pid in others or self._has(process):
                    if process.status() == psutil.STATUS_ZOMBIE:
                        self._reap(process.pid)
                    else:
                        found[process.pid] = process
        return list(found.values())

    def signal(self, member: "psutil.Process", number: int) -> None:
        """Send a signal to one of ``members``, unless it has ended."""
        import psutil

        self._signalled.add(member)
        with suppress(psutil.Error):
            member.send_signal(number)

    def remains(self, others: set[int | None]) -> bool:
        """Return, cheaply, whether the exited leader left descendants behind.

        others: direct children of ours that are known to be something else.
        """
        own = _own_children()
        environments = {pid: _environment(pid) for pid in (own or set()) - others}
        _reap_abandoned({pid for pid, environment in environments.items() if not environment})
        with suppress(ProcessLookupError):
            with suppress(PermissionError):
                os.killpg(self.leader, 0)
            return bool(self.members())
        if own is None:
            return bool(self.members())
        mark = f"{MARK}={self.mark}\0".encode()
        if any(mark in environment for environment in environments.values()):
            return True
        unmarked = any(_MARKED not in environment for environment in environments.values())
        return unmarked and bool(self._others())

    def _has(self, process: "psutil.Process") -> bool:
        if process in self._signalled or os.getpgid(process.pid) == self.leader:
            return True
        return process.environ().get(MARK) == self.mark

    def _reap(self, pid: int) -> None:
        """Take an adopted orphan off the process table; the leader belongs to its ``Popen``."""
        if pid != self.leader:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


@functools.cache
def adopt_orphans() -> bool:
    """Become the parent of our descendants' orphans; return whether the system offers that.

    On the way, forbid our descendants to read this process's environment and memory through
    ``/proc``: keys are there. (A debugger can no longer attach either, unless root starts it.)
    """
    if sys.platform != "linux":
        return False
    try:
        import ctypes

        control = ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):
        return False
    control(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    _started_here.update(_listed_children() or ())
    return bool(control(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


def strays(known: set[int | None]) -> set[int]:
    """Return orphans that we adopted and that bear no mark, the living ones.

    They are in sessions of their own, and nobody in this process has started them: no ``Popen``
    stands for them. known: direct children of ours that are known to be something else.
    """
    suspects = {pid for pid in (_own_children() or set()) - known if _escaped(pid)}
    _started_here.intersection_update(suspects)
    if suspects - _started_here:
        _started_here.update(_popen_pids())
    return suspects - _started_here


def _popen_pids() -> set[int]:
    """Return the processes that a ``Popen`` in this process stands for.

    Nothing is asked of the collector but who refers to the classes: holding on to every object,
    if only for a moment, breaks the tuples that other threads are building (``SystemError``).
    """
    classes: list[type] = [subprocess.Popen]
    for one in classes:
        classes.extend(one.__subclasses__())
    found = (one for one in gc.get_referrers(*classes) if isinstance(one, subprocess.Popen))
    return {pid for one in found if (pid := getattr(one, "pid", None)) is not None}


def _escaped(pid: int) -> bool:
    """Return whether a living child left our session, as commands do, and shows no mark."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state, _, _, session = file.read().rpartition(b")")[2].split()[:4]
    except (OSError, ValueError):
        return False
    own = os.getsid(0)
    return state not in b"ZX" and int(session) != own and _MARKED not in _environment(pid)


def _candidates() -> "list[psutil.Process]":
    import psutil

    if adopt_orphans():
        return psutil.Process().children(recursive=True)
    return sorted(psutil.process_iter(), key=lambda process: process.pid)


def _own_children() -> set[int] | None:
    """Return our direct children as the kernel lists them; None where it does not or may err."""
    return _listed_children() if adopt_orphans() else None


def _listed_children() -> set[int] | None:
    pids: set[int] = set()
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/children", "rb") as file:
                pids.update(map(int, file.read().split()))
        except OSError:
            if os.path.exists(f"/proc/self/task/{task}"):
                return None
    return pids


def _environment(pid: int) -> bytes:
    """Return a process's environment; it is empty if the process is dead."""
    with suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
        return file.read()
    return b""


def _reap_abandoned(dead: set[int]) -> None:
    """Take orphans off the process table that ended by themselves, in a session of their own.

    They cannot be told from children that a library has started, so it gets the time to wait.
    """
    now = time.monotonic()
    for pid in _dead_since.keys() - dead:
        del _dead_since[pid]
    for pid in dead:
        if now - _dead_since.setdefault(pid, now) >= ABANDONED_AFTER:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
