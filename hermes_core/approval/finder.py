"""Which file a bare program name stands for, and whether that file is to be trusted."""

import os
import stat
from collections.abc import Iterable
from typing import Protocol

from hermes_core.approval.operands import is_below

_SHIMS = frozenset({"shims", ".pyenv", ".rbenv", ".asdf", ".nodenv", ".jenv", ".proto"})
"""Folders whose programs choose by files of the working folder what they run."""
_NODE_SHIMS = frozenset({".volta", "corepack"})
_CHOOSERS = frozenset({"rustup", "mise", "asdf", "proto", "hermit", "pyenv"})


_CHOOSING = (
    *(".python-version", ".ruby-version", ".node-version", ".nvmrc", ".java-version"),
    *(".go-version", ".tool-versions", "mise.toml", ".mise.toml", "mise.local.toml"),
    *(".mise.local.toml", ".mise", "mise", ".config/mise.toml", ".config/mise"),
    *("rust-toolchain", "rust-toolchain.toml", ".sdkmanrc", ".jvmrc", ".prototools"),
)
"""Files of a working folder, or one above it, by which such programs choose."""


def _choosing_file(cwd: str) -> str:
    folder = cwd
    while True:
        for name in _CHOOSING:
            if os.path.lexists(os.path.join(folder, name)):
                return name
        if folder in ("/", os.path.expanduser("~")):
            return ""
        folder = os.path.dirname(folder)


class Programs(Protocol):
    """Looks program names up."""

    def objection(self, name: str, cwds: Iterable[str]) -> str:
        """Return why the program of that name is not to be trusted in these folders, or ``""``."""
        ...


class SearchPath:
    """Looks names up in a fixed PATH as bash does.

    A name that is nowhere is no objection: bash then runs nothing. path: folders parted by
    colons. folders: the workspace's, real; what lies in them is not trusted.
    """

    def __init__(self, path: str, folders: Iterable[str]) -> None:
        self._path = path
        self._folders = tuple(folders)

    def objection(self, name: str, cwds: Iterable[str]) -> str:
        """Return why the program of that name is not to be trusted in these folders, or ``""``."""
        for folder in self._path.split(":"):
            if not os.path.isabs(folder):
                return "the search path of programs holds the working folder"
            place = os.path.join(folder, name)
            try:
                found = os.stat(place)
            except OSError:
                continue
            if stat.S_ISREG(found.st_mode) and os.access(place, os.X_OK):
                return self._file_objection(name, place, found, cwds)
        return ""

    def _file_objection(
        self, name: str, place: str, found: os.stat_result, cwds: Iterable[str]
    ) -> str:
        real = os.path.realpath(place)
        for path in (place, real):
            if any(is_below(path, folder) for folder in self._folders):
                return f"{name} is a program of the workspace itself"
            if _NODE_SHIMS & set(path.split("/")):
                return f"{name} is chosen by package.json of the working folder"
            chooses = _SHIMS & set(path.split("/")) or os.path.basename(path) in _CHOOSERS
            if chooses and (chosen := next(filter(None, map(_choosing_file, cwds)), "")):
                return f"{name} is chosen by {chosen} of the working folder"
        if found.st_uid not in (0, os.getuid()) or found.st_mode & stat.S_IWOTH:
            return f"{name} is a program that other users can change"
        return ""
