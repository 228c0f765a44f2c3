"""What the operands of a command mean on disk: links followed, folders looked into, within caps."""

import os
import re
import stat
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from pathlib import Path

from hermes_core.approval.secret_files import is_secret
from hermes_core.approval.shell_words import Word

MAX_MATCHES = 200
"""Files that a pattern may stand for; beyond, a person decides."""
MAX_ENTRIES = 3_000
"""Entries of folders that are looked at for one command."""


_CREDENTIALS = re.compile(r"://[^/\s@]+@|extraheader|token|passw|secret", re.IGNORECASE)
_MAX_SETTINGS = 256 * 1024


class TooMany(Exception):
    """A cap was reached; the message says which, for a person."""


class Grounds:
    """The folders that commands may read, as real paths.

    folders: the workspace's, real. own: the folder of our own settings, real, or ``""``.
    """

    def __init__(self, folders: Iterable[str], own: str) -> None:
        self.folders = tuple(folders)
        self.own = own
        self.entries = 0

    def holds(self, real: str) -> bool:
        """Return whether a real path lies in the workspace and not in our own home."""
        if self.own and is_below(real, self.own):
            return False
        return any(is_below(real, folder) for folder in self.folders)

    def objection(self, text: str, cwd: str, role: str) -> str:
        """Return why ``text`` may not be used as a path in that role from ``cwd``, or ``""``."""
        shown = text if len(text) <= 80 else text[:77] + "..."
        if "\0" in text:
            return "a path holds a NUL"
        path = os.path.join(cwd, text)
        try:
            real = os.path.realpath(path)
        except (OSError, ValueError):
            return f"{shown} cannot be resolved"
        if not self.holds(real):
            outside = not is_below(os.path.normpath(path), cwd)
            return f"{shown} " + ("lies outside the workspace" if outside else "leads outside")
        if role == "meta":
            return ""
        if self._is_secret(os.path.normpath(path)) or self._is_secret(real):
            return f"{shown} may hold secrets"
        return self._kind_objection(real, shown, folders=role != "file")

    def place(self, text: str, cwd: str) -> tuple[Path, Path]:
        """Return the real path of ``text`` and the innermost folder of the workspace around it."""
        real = os.path.realpath(os.path.join(cwd, text))
        around = [folder for folder in self.folders if is_below(real, folder)]
        return Path(real), Path(max(around, key=len, default="/"))

    def _is_secret(self, path: str) -> bool:
        for folder in self.folders:
            if is_below(path, folder):
                return is_secret(path[len(folder) :].strip("/").split("/"))
        return is_secret(path.split("/")[-1:])

    def _kind_objection(self, real: str, shown: str, *, folders: bool) -> str:
        try:
            mode = os.lstat(real).st_mode
        except OSError:
            return ""
        if stat.S_ISDIR(mode) and not folders:
            return f"{shown} is a folder, in which links are followed"
        usual = stat.S_ISREG(mode) or stat.S_ISDIR(mode)
        return "" if usual else f"{shown} is a device, a pipe or a socket"

    def walk_objection(self, text: str, cwd: str, is_read: Callable[[str], bool]) -> str:
        """Return why reading all below a folder is no harmless thing; ``""`` if it is.

        Links are not followed. is_read: whether files of that name are read at all.
        """
        waiting = [os.path.join(cwd, text)]
        while waiting:
            folder = waiting.pop()
            for entry in self._scan(folder):
                if entry.is_dir(follow_symlinks=False):
                    if entry.name != ".git":
                        waiting.append(entry.path)
                    elif is_read("config") and _holds_credentials(f"{entry.path}/config"):
                        return f"{os.path.relpath(entry.path, cwd)}/config holds credentials"
                elif is_read(entry.name) and self._is_secret(os.path.normpath(entry.path)):
                    return f"{os.path.relpath(entry.path, cwd)} may hold secrets"
        return ""

    def _scan(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as found:
                entries = list(found)
        except OSError:
            return []
        self.entries += len(entries) + 1
        if self.entries > MAX_ENTRIES:
            raise TooMany("it reads folders with more files than are looked at")
        return entries

    def expand(self, word: Word, cwd: str) -> list[str]:
        """Return what bash makes of ``word`` in ``cwd``, sorted; raises ``TooMany``."""
        if not word.active:
            return [word.text]
        matches = sorted(self._matches(word, cwd))
        return matches or [word.text]

    def _matches(self, word: Word, cwd: str) -> list[str]:
        found = [""]
        start = 0
        for part in re.findall(r"[^/]+|/+", word.text):
            active = {place - start for place in word.active}
            if part.startswith("/"):
                found = [
                    path + part for path in found if os.path.isdir(os.path.join(cwd, path or "/"))
                ]
            elif any(0 <= place < len(part) for place in active):
                if part.startswith("."):
                    raise TooMany("a pattern stands for hidden files")
                found = [hit for path in found for hit in self._in_folder(path, part, active, cwd)]
            else:
                found = [path + part for path in found]
            start += len(part)
            if len(found) > MAX_MATCHES:
                raise TooMany(f"a pattern stands for more than {MAX_MATCHES} files")
        return [path for path in found if os.path.lexists(os.path.join(cwd, path))]

    def _in_folder(self, path: str, part: str, active: set[int], cwd: str) -> list[str]:
        if not self.holds(os.path.realpath(os.path.join(cwd, path))):
            raise TooMany("a pattern stands for files outside the workspace")
        pattern = "".join(_escaped(part, active))
        names = (entry.name for entry in self._scan(os.path.join(cwd, path)))
        return [path + name for name in names if not name.startswith(".") and _fits(name, pattern)]


def _fits(name: str, pattern: str) -> bool:
    """Return whether a name matches; raises ``TooMany`` where that depends on the locale."""
    fits = fnmatchcase(name, pattern)
    if not name.isascii() and fnmatchcase(os.fsencode(name).decode("latin-1"), pattern) != fits:
        raise TooMany("whether a pattern stands for a file depends on the locale")
    return fits


def _holds_credentials(path: str) -> bool:
    """Return whether settings of git tell how to log in somewhere."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return bool(_CREDENTIALS.search(file.read(_MAX_SETTINGS)))
    except OSError:
        return False


def _escaped(part: str, active: set[int]) -> Iterable[str]:
    inside = False
    for place, char in enumerate(part):
        if char in "*?[" and place not in active and not inside:
            yield f"[{char}]"
            continue
        inside = (inside or (char == "[" and place in active)) and char != "]"
        yield char


def is_below(path: str, folder: str) -> bool:
    """Return whether ``path`` is ``folder`` or lies in it; both are normal."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
