"""The second wall around commands: which one works here, and why not a better one.

Bubblewrap holds any command; Landlock holds what writes nothing. Each is tried once in the life of
the process, with a command that does what it must not. The first wall is approval.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from hermes_core.local.bubblewrap import BubblewrapWall, find_bubblewrap
from hermes_core.local.confinement import Confinement, SandboxMode
from hermes_core.local.wall import Wall

WallName = Literal["bubblewrap", "Landlock"]

_PATIENCE: Final = 10.0
_MARK: Final = "held"
_UNASKED: Final = """
cd "$1" && cat seen >/dev/null && ! (: >>seen) && ! (: >new) && ! cat home/.env && echo held
"""
_APPROVED: Final = """
cd "$1" && echo new >new && ! (: >>home/seen) && ! grep secret home/.env && echo held
"""
_ADVICE: Final = {
    "uid map": "the system lets no user make namespaces (on Ubuntu: an AppArmor profile for bwrap)",
    "new namespace": "the system lets no user make namespaces",
    "mount proc": "the container allows no /proc of a command's own",
}


@dataclass(frozen=True, slots=True)
class Walls:
    """What holds commands that run unasked, and approved ones; None for nothing.

    reasons: why there is not more, one clause each.
    """

    unasked: WallName | None
    approved: WallName | None
    reasons: tuple[str, ...] = ()


class Sandbox:
    """Finds out once what works; may be asked from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._walls: Walls | None = None

    def walls(self) -> Walls:
        """Return what works; the first call takes some 50 ms."""
        with self._lock:
            if self._walls is None:
                self._walls = _probe()
            return self._walls

    def wall(self, confinement: Confinement | None, mode: SandboxMode) -> Wall | None:
        """Return the wall for a policy; None where there is none or the user wants none."""
        if confinement is None or mode == "off":
            return None
        if confinement.kind == "approved" and mode == "unasked":
            return None
        walls = self.walls()
        name = walls.unasked if confinement.kind == "unasked" else walls.approved
        return None if name is None else _wall(name, confinement)


SANDBOX: Final = Sandbox()
"""The process's own."""


def automatic_lane_is_narrow(mode: SandboxMode) -> bool:
    """Return whether nothing but the approval engine holds a command that runs unasked."""
    return mode == "off" or SANDBOX.walls().unasked is None


def _wall(name: WallName, confinement: Confinement) -> Wall:
    if name == "Landlock":
        from hermes_core.local.landlock import LandlockWall

        return LandlockWall(confinement)
    program = find_bubblewrap()
    if program is None:  # it was there a moment ago
        raise FileNotFoundError(2, "bubblewrap has vanished", "bwrap")
    return BubblewrapWall(program, confinement)


def _probe() -> Walls:
    if sys.platform != "linux":
        return Walls(None, None, ("there is one for Linux alone",))
    place = Path(os.path.realpath(tempfile.mkdtemp(prefix="hermes-")))
    try:
        (place / "home").mkdir()
        for name in ("seen", "home/seen", "home/.env"):
            (place / name).write_text("secret\n", encoding="utf-8")
        return _probe_in(place)
    except OSError as error:
        return Walls(None, None, (f"it could not be tried ({error.strerror})",))
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _probe_in(place: Path) -> Walls:
    unasked = Confinement("unasked", place / "home", (place,))
    approved = Confinement("approved", place / "home", (place,))
    program = find_bubblewrap()
    if program is None:
        problems = ["bubblewrap is not installed"]
    else:
        problems = [
            _problem(BubblewrapWall(program, confinement), script, place)
            for confinement, script in ((unasked, _UNASKED), (approved, _APPROVED))
        ]
    reasons = [f"bubblewrap: {one}" if program else one for one in dict.fromkeys(problems) if one]
    wrapped: tuple[WallName | None, ...] = tuple(
        None if problem else "bubblewrap" for problem in (problems[0], problems[-1])
    )
    if wrapped[0] is not None:
        return Walls(wrapped[0], wrapped[1], tuple(reasons))
    problem = _landlock_problem(unasked, place)
    if problem:
        return Walls(None, wrapped[1], (*reasons, f"Landlock: {problem}"))
    return Walls("Landlock", wrapped[1], tuple(reasons))


def _landlock_problem(confinement: Confinement, place: Path) -> str:
    from hermes_core.local.landlock import LandlockWall, landlock_version

    if landlock_version() < 1:
        return "the kernel offers none"
    return _problem(LandlockWall(confinement), _UNASKED, place)


def _problem(wall: Wall, script: str, place: Path) -> str:
    """Try the wall with a command that does what it must not; return what is wrong with it."""
    argv = ["/bin/sh", "-c", script, "probe", str(place)]
    env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
    try:
        process = wall.start(argv, env, _spawn)
        try:
            said, errors = process.communicate(timeout=_PATIENCE)
        finally:
            process.kill()
            process.wait()
    except (OSError, subprocess.SubprocessError) as error:
        return str(getattr(error, "strerror", None) or "it does not answer")
    if process.returncode == 0 and said.strip() == _MARK.encode():
        return ""
    last = errors.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]
    return next((advice for part, advice in _ADVICE.items() if part in last), last or "it leaks")


def _spawn(
    argv: Sequence[str], env: Mapping[str, str], files: Sequence[int]
) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        list(argv),
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd="/",
        start_new_session=True,
        pass_fds=tuple(files),
    )
