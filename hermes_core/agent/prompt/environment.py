"""Where the agent works: folders, system, day, and the branch that is checked out."""

import os
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from hermes_core.agent.prompt.layer import Layer


def environment(cwd: Path, additional: Sequence[Path], today: date) -> Layer:
    """Return what does not change while a session lasts, or is said of its start."""
    system = os.uname()
    lines = ["# Environment", f"Working folder: {_one_line(str(cwd))} (relative paths start here)"]
    lines += [f"Also part of the workspace: {_one_line(str(path))}" for path in additional]
    lines.append(f"System: {system.sysname} {system.release}. Today: {today.isoformat()}.")
    branch = git_branch(cwd)
    if branch:
        lines.append(f"Git branch at the start of the session: {branch}")
    return Layer("environment", "\n".join(lines) + "\n")


def git_branch(cwd: Path) -> str:
    """Return the branch, or the short commit, that is checked out around ``cwd``, else ``""``.

    Reads ``.git/HEAD`` itself; no program is run.
    """
    for folder in (cwd, *cwd.parents):
        place = folder / ".git"
        if place.is_dir():
            return _branch_in(_first_line(place / "HEAD"))
        if place.is_file():
            pointer = _first_line(place)
            if pointer.startswith("gitdir: "):
                place = folder / pointer.removeprefix("gitdir: ")
                return _branch_in(_first_line(place / "HEAD"))
            return ""
    return ""


def _branch_in(head: str) -> str:
    if head.startswith("ref: "):
        return _one_line(head.removeprefix("ref: ").removeprefix("refs/heads/"))
    return _one_line(head[:12])


def _first_line(path: Path) -> str:
    """Return the first line of a small file; ``""`` for one that is no regular file."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(4096).decode("utf-8", "replace").partition("\n")[0].strip()
    except (OSError, ValueError):
        return ""


def _one_line(text: str) -> str:
    """Return ``text`` without control characters, at most 300 characters long."""
    return "".join(char if char.isprintable() else "?" for char in text)[:300]
