"""The wall of bubblewrap: a view of the file system, and of the processes, made for one command.

See bwrap(1). All programs of a command die with it, whatever they do to get away: they live in a
process namespace that ends with its first process.
"""

import os
import secrets
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final

from hermes_core.local.confinement import Confinement, own_home
from hermes_core.local.seccomp import filter_program
from hermes_core.local.wall import Spawn

_PLACES: Final = (
    "/usr/bin",
    "/bin",
    "/usr/local/bin",
    "/run/wrappers/bin",
    "/run/current-system/sw/bin",
)
_SSH_PARTS: Final = ("/etc/ssh/ssh_config.d", "/etc/crypto-policies/back-ends/openssh.config")
_MOST_SSH: Final = 65_536
_TMP: Final = Path("/") / "tmp"
_MEMORY: Final = Path("/") / "dev" / "shm"
_starter = ThreadPoolExecutor(1, "walled-start")
"""The thread that starts them all: the kernel kills a command when the thread that started it ends,
as it is asked to for the case that this process is killed."""


class BubblewrapWall:
    """Starts commands inside of bubblewrap."""

    wraps = True

    def __init__(self, program: str, confinement: Confinement) -> None:
        self._program = program
        self._confinement = confinement

    def start(
        self, argv: Sequence[str], env: Mapping[str, str], spawn: Spawn
    ) -> "subprocess.Popen[bytes]":
        """Start ``argv`` behind the wall."""
        unasked = self._confinement.kind == "unasked"
        program = filter_program(metadata=False) if unasked else None
        options = list(_options(self._confinement))
        files: list[int] = []
        try:
            if program is not None:
                files.append(_filled(program))
                options += ["--seccomp", str(files[0])]
            elif unasked:  # costs some 10 ms, most of them behind the command
                options.append("--unshare-net")
            for path, data in _ssh_parts(_SSH_PARTS) if not unasked else ():
                files.append(_filled(data))
                options += ["--ro-bind-data", str(files[-1]), path]
            if unasked:
                env = {**env, "TMPDIR": str(_temporary(self._confinement))}
            wrapped = [self._program, *options, "--", *argv]
            return _starter.submit(spawn, wrapped, env, files).result()
        finally:
            for fd in files:
                os.close(fd)

    def line(self, argv: Sequence[str]) -> str:
        """Return the lines of sh that run ``argv`` behind the wall of an approved command.

        The shell that reads them has to stay: what it started dies with it.
        """
        options = list(_options(self._confinement))
        given, documents = " </dev/null", ""
        for number, (path, data) in zip(range(3, 10), _ssh_parts(_SSH_PARTS), strict=False):
            end = f"END-{secrets.token_hex(8)}"
            options += ["--ro-bind-data", str(number), path]
            given += f" {number}<<'{end}'"
            documents += f"\n{os.fsdecode(data)}\n{end}"
        return shlex.join([self._program, *options, "--", *argv]) + given + documents


def find_bubblewrap() -> str | None:
    """Return the system's program; a PATH could come from a project."""
    paths = (os.path.join(place, "bwrap") for place in _PLACES)
    return next((path for path in paths if os.access(path, os.X_OK)), None)


def _options(confinement: Confinement) -> Iterator[str]:
    yield from ("--unshare-pid", "--die-with-parent")
    if confinement.kind == "unasked":
        yield from ("--unshare-ipc", "--ro-bind", "/", "/", "--dev", "/dev")
        if _temporary(confinement) == _TMP:
            yield from ("--tmpfs", str(_TMP))
    else:
        yield from ("--dev-bind", "/", "/")
    yield from ("--proc", "/proc")
    yield from _without_keys(confinement.home)
    yield from _rights(confinement)


def _without_keys(home: Path) -> Iterator[str]:
    """Yield options that leave of our own home what may be read, and that read-only.

    A key file that is written anew meanwhile does not come into view: it lies in a folder that
    the command does not see.
    """
    seen = own_home(home)
    if seen.sealed:
        yield from ("--tmpfs", str(home))
        for path in seen.shown:
            yield from ("--ro-bind-try", str(path), str(path))
        yield from ("--remount-ro", str(home))
    for path in seen.hidden:
        if not seen.sealed or not path.is_relative_to(home):
            yield from ("--ro-bind", os.devnull, str(path))


def _rights(confinement: Confinement) -> Iterator[str]:
    """Root's own rights would undo the walls; nobody else has any inside of bubblewrap."""
    if os.geteuid() == 0:
        if confinement.kind == "unasked":
            yield from ("--cap-drop", "ALL", "--cap-add", "CAP_DAC_READ_SEARCH")
        else:
            yield from ("--cap-drop", "CAP_SYS_ADMIN")


def _ssh_parts(places: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the parts of the system's settings for ssh, with their content.

    Inside of a user namespace root's files are nobody's, and ssh refuses such parts: ``git push``
    would fail. Copies belong to the user, which ssh accepts.
    """
    if os.geteuid() == 0:
        return
    for place in map(Path, places):
        for path in sorted(place.glob("*.conf")) if place.is_dir() else [place]:
            with suppress(OSError):
                real = Path(os.path.realpath(path))
                if real.is_file() and real.stat().st_size <= _MOST_SSH:
                    yield str(real), real.read_bytes()


def _temporary(confinement: Confinement) -> Path:
    """Return the only folder that an unasked command may write to; it is gone with the command."""
    covered = any(root.is_relative_to(_TMP) for root in confinement.roots)
    return _MEMORY if covered else _TMP


def _filled(data: bytes) -> int:
    fd = os.memfd_create("filter")
    os.write(fd, data)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
