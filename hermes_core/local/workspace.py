"""The folders that a session works in, and what a path means there."""

import os
from dataclasses import dataclass
from pathlib import Path

from hermes_core.ground.errors import ToolError


@dataclass(frozen=True, slots=True)
class Workspace:
    """A session's working folder, and further folders that belong to it. All absolute."""

    cwd: Path
    additional: tuple[Path, ...] = ()

    def resolve(self, path: str) -> Path:
        """Return the real, absolute path of what the model or a person wrote.

        ``~`` is the user's home, anything relative starts at ``cwd``, links are followed as far
        as the path exists. Raises ``ToolError`` for a path that no file can have.
        """
        if not path.strip():
            raise ToolError("The path is empty. Give the path of a file or folder.")
        try:
            encoded = os.fsencode(path)
        except UnicodeEncodeError:
            encoded = b"\0"
        if b"\0" in encoded:
            raise ToolError(f"The path {path!a} has a character that no file name can have.")
        if path == "~" or path.startswith("~/"):
            path = os.path.expanduser(path)
        try:
            return Path(os.path.realpath(self.cwd / path))
        except OSError as error:  # a link that vanishes while it is followed
            reason = error.strerror or type(error).__name__
            raise ToolError(f"The path {path!r} cannot be resolved: {reason}.") from error

    def contains(self, path: Path) -> bool:
        """Return whether ``path``, links followed, lies in one of the workspace's folders."""
        real = Path(os.path.realpath(path))
        return any(real.is_relative_to(folder) for folder in self._real_folders())

    def display(self, path: Path) -> str:
        """Return how people see ``path``: relative to ``cwd`` if it lies there, else absolute."""
        for folder in (self.cwd, Path(os.path.realpath(self.cwd))):
            if path.is_relative_to(folder):
                return str(path.relative_to(folder))
        return str(path)

    def _real_folders(self) -> tuple[Path, ...]:
        return tuple(Path(os.path.realpath(folder)) for folder in (self.cwd, *self.additional))
