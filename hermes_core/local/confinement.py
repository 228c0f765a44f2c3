"""What a command is kept from. The walls that hold it stand in ``sandbox``."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

SandboxMode = Literal["auto", "unasked", "off"]
"""``unasked`` leaves alone what a person approved."""

_SECRET_NAMES: Final = (".env", "auth.json", "config.yaml", "config.yml")


@dataclass(frozen=True, slots=True)
class Confinement:
    """The policy for one command.

    kind: ``unasked`` writes nothing but to ``/dev/null`` and a temporary folder of its own, and
        reaches no network; ``approved`` may do what its user may. Neither changes our own home,
        nor sees the files in it that may hold a key, nor other programs' processes.
    home: our own home, a real path. roots: the real folders of the workspace.
    """

    kind: Literal["unasked", "approved"]
    home: Path
    roots: tuple[Path, ...] = ()

    @classmethod
    def unasked(cls, home: Path, roots: Sequence[Path]) -> "Confinement":
        """Return the policy for a command that was judged safe and that nobody has seen."""
        return cls("unasked", _real(home), tuple(map(_real, roots)))

    @classmethod
    def approved(cls, home: Path, roots: Sequence[Path]) -> "Confinement":
        """Return the policy for a command that a person, or a person's rule, allowed."""
        return cls("approved", _real(home), tuple(map(_real, roots)))


@dataclass(frozen=True, slots=True)
class OwnHome:
    """Our own home as a command may see it.

    sealed: whether the folder as a whole can be made read-only. shown: the files and folders in
    it that may be read. hidden: the files that may hold a key, those included that links lead to.
    """

    sealed: bool
    shown: tuple[Path, ...]
    hidden: tuple[Path, ...]


def own_home(home: Path) -> OwnHome:
    """Look at our own home; a folder that holds the user's home is not sealed."""
    shown: list[Path] = []
    hidden: list[Path] = []
    try:
        entries = sorted(os.scandir(home), key=lambda entry: entry.name)
    except OSError:
        return OwnHome(False, (), ())
    for entry in entries:
        path = home / entry.name
        if not _may_hold_key(entry.name):
            if entry.is_dir() or entry.is_file():
                shown.append(path)
        elif entry.is_file():
            hidden.append(path)
            if (real := _real(path)) != path:
                hidden.append(real)
    sealed = not _real(Path(os.path.expanduser("~"))).is_relative_to(home)
    return OwnHome(sealed, tuple(shown), tuple(hidden))


def _may_hold_key(name: str) -> bool:
    """Copies, temporary files and backups of such a file count as it does."""
    return name.lstrip(".").startswith(tuple(one.lstrip(".") for one in _SECRET_NAMES))


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
