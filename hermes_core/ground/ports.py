"""What the core needs from above, as protocols. The core brings local implementations."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class Written:
    """What a write did.

    differs: whether the file is not known to be what was sent. found: what it is instead, None
    if it could not be read back.
    """

    via: Literal["disk", "client"]
    differs: bool = False
    found: bytes | None = field(default=None, compare=False, repr=False)


class Files(Protocol):
    """Files as the user sees them: an editor's unsaved buffer where there is one, else the disk."""

    def read(self, path: Path) -> bytes:
        """Return the file's content; raise ``ToolError`` if it cannot be read."""
        ...

    def write(self, path: Path, data: bytes) -> Written:
        """Replace the file's content, making folders as needed; raise ``ToolError`` on failure."""
        ...

    def commands_ran(self, started_ns: int) -> None:
        """Tell that a command begun at ``started_ns`` (epoch, ns) may have changed files."""
        ...
