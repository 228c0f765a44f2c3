"""A command as a script that another program starts: an editor, in a terminal of its own.

Some programs take the words they are given as an argument list, others put them together to a line
for a shell, with quotes or without. The path of the script needs none, so that it means the same to
all of them; what the command is, its folder, its environment and its wall stand in the script and
are ours. It runs once: it begins by making a file, and so does who takes it back. Only one of the
two can. Whatever the other program says, it is known whether the command began.
"""

import os
import re
import secrets
import shlex
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from hermes_core.ground.secrets import REDACTOR
from hermes_core.local.bubblewrap import BubblewrapWall
from hermes_core.local.folders import make_private_folder
from hermes_core.local.wall import Wall

FOLDER: Final = "errands"
"""Where they lie, below our home."""

KEPT_SECONDS: Final = 86_400
"""How long what is left of one is kept: a script that is started late finds that it may not run."""

_SHELL: Final = "/bin/sh"
_PLAIN: Final = re.compile(r"/[A-Za-z0-9_@+:,./-]+")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_READ_ONLY: Final = frozenset({"UID", "EUID", "PPID", "SHELLOPTS", "BASHOPTS", "BASH_VERSINFO"})
"""What a shell sets itself; a script that sets one of them ends there."""

_OURS: Final = re.compile(r"\d{10,}-[a-z0-9-]+\.sh(?:\.begun)?")
_LONGEST_WORDS: Final = 32

_HEAD: Final = """\
# Hermes: a command that was allowed, for a terminal of the editor's. It runs once.
[ "$1" = begin ] || exec /usr/bin/env -i /bin/sh "$0" begin
(set -C; : >"$0.begun") 2>/dev/null || exit 126
"""


class Errand:
    """A script that waits to be started, by ``argv``, or was."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.argv: tuple[str, ...] = (_SHELL, str(path))

    def withdraw(self) -> bool:
        """Take it back; return True if it never began and never will. To be asked once."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        try:
            os.close(os.open(f"{self._path}.begun", flags, 0o600))
        except OSError:  # it began, or nobody can tell
            return False
        return True

    def discard(self) -> None:
        """Remove the script; that it began, or was taken back, stays known for a while."""
        with suppress(OSError):
            self._path.unlink()


def write_errand(home: Path, command: str, script: str) -> Errand:
    """Write a script to a new file below ``home`` and return it; raise ``OSError``.

    command: what it does, for the file's name alone.
    """
    folder = Path(os.path.realpath(home)) / FOLDER
    make_private_folder(folder)
    _prune(folder)
    name = "-".join(filter(None, (str(int(time.time())), _words(command), secrets.token_hex(8))))
    path = folder / f"{name}.sh"
    if not _PLAIN.fullmatch(str(path)):
        raise OSError(0, "the path of Hermes' folder needs quotes", str(folder))
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(path, flags, 0o600), "wb") as file:
        file.write(os.fsencode(script))
    return Errand(path)


def script_of(argv: list[str], cwd: Path, env: Mapping[str, str], wall: Wall | None) -> str:
    """Return a script that runs ``argv``; only ``env`` reaches it, whatever starts the script.

    wall: what it runs behind, if that can be started by another program.
    """
    lines = [f"cd -- {shlex.quote(str(cwd))} || exit 126"]
    for name, value in env.items():
        if _NAME.fullmatch(name) and name not in _READ_ONLY:
            lines.append(f"export {name}={shlex.quote(value)}")
    if isinstance(wall, BubblewrapWall):  # which dies with the shell that started it
        lines += [wall.line(argv), "exit $?"]
    else:
        lines.append(f"exec {shlex.join(argv)} </dev/null")
    return _HEAD + "\n".join(lines) + "\n"


def _words(command: str) -> str:
    """Return what the script's name tells of its command: an editor may show no more of it."""
    words = re.findall(r"[a-z0-9]+", REDACTOR.redact(command[:1_000]).lower())
    return "-".join(words)[:_LONGEST_WORDS].strip("-")


def _prune(folder: Path) -> None:
    oldest_kept = time.time() - KEPT_SECONDS
    with os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if _OURS.fullmatch(entry.name) and entry.stat().st_mtime < oldest_kept:
                    os.unlink(entry.path)
