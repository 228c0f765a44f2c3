"""Whether our own home, or the user's, could have been put in its place by a project.

``HERMES_HOME`` and ``HOME`` come from the environment, and that of an editor may come from the
project that it has open: from its ``.envrc``, or from a dev container. What lies in our home
decides on what runs, and what lies in the user's is obeyed by git and by shells.
"""

import os
import pwd
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from hermes_core.ground.errors import ConfigError
from hermes_core.local.config import hermes_home

_MARKS: Final = (".git", ".hg", ".jj", ".svn", ".envrc", "mise.toml", ".mise.toml", ".devcontainer")
"""What the topmost folder of a project holds: a repository, or what sets an environment."""


def lies_inside(home: Path, roots: Iterable[Path], environ: Mapping[str, str]) -> bool:
    """Return whether ``home`` lies in a project of one of ``roots``, or such a root lies in it.

    A root's project begins at the root, or where a folder above it shows that it is a part of one.
    The user's own home, and what holds it, is no project for that matter: ``~/.hermes`` may lie in
    a root.
    """
    home = home.resolve()
    usual = _usual_home(environ)
    if home == usual:
        return False
    for root in roots:
        if root.resolve().is_relative_to(home) and not _holds(home, usual):
            return True
        if any(home.is_relative_to(one) for one in project_folders(root, environ)):
            return True
    return False


def project_folders(root: Path, environ: Mapping[str, str]) -> list[Path]:
    """Return ``root`` and the folders above it that mark a project, as real paths.

    Those that hold the user's home are left out: they are no project.
    """
    real, usual = root.resolve(), _usual_home(environ)
    folders = (real, *(one for one in real.parents if _is_marked(one)))
    return [one for one in folders if not _holds(one, usual)]


def lies_in_a_project(environ: Mapping[str, str]) -> bool:
    """Return whether ``HERMES_HOME`` is set to a place in any project; for when none is open yet.

    Raises ``ConfigError`` for one that cannot be used.
    """
    if not environ.get("HERMES_HOME", "").strip():
        return False
    home, usual = hermes_home(environ).resolve(), _usual_home(environ)
    if home == usual:
        return False
    return any(_is_marked(one) and not _holds(one, usual) for one in (home, *home.parents))


def planted_home(environ: Mapping[str, str]) -> Path | None:
    """Return the project in which ``HOME`` lies, where it is not that of the user's account."""
    try:
        account = Path(pwd.getpwuid(os.getuid()).pw_dir).resolve()
        home = Path(environ["HOME"]).resolve()
    except KeyError:
        return None
    if home == account:
        return None
    marked = (one for one in (home, *home.parents) if _is_marked(one))
    return next((one for one in marked if not account.is_relative_to(one)), None)


def _is_marked(folder: Path) -> bool:
    return any(os.path.lexists(folder / mark) for mark in _MARKS)


def _holds(folder: Path, usual: Path | None) -> bool:
    """Return whether a folder holds the user's home."""
    return usual is not None and usual.parent.is_relative_to(folder)


def _usual_home(environ: Mapping[str, str]) -> Path | None:
    try:
        return hermes_home({**environ, "HERMES_HOME": ""}).resolve()
    except ConfigError:  # the user has no home
        return None
