"""What the core needs from above, as protocols. The core brings local implementations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from hermes_core.ground.interrupt import Interrupt


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


@dataclass(frozen=True, slots=True)
class Ended:
    """What is known of a program that ran in a terminal of the client's.

    exit_code, signal: at most one of them, neither where the client does not tell. output: what the
    client kept of it, as it came; truncated: whether that lacks its beginning. troubles: what the
    client did not do, one clause each.
    """

    exit_code: int | None = None
    signal: str | None = None
    output: str = ""
    truncated: bool = False
    timed_out: bool = False
    interrupted: bool = False
    troubles: tuple[str, ...] = ()


class Terminals(Protocol):
    """The client's own terminals."""

    def run(
        self,
        argv: Sequence[str],
        cwd: Path,
        *,
        timeout: float,
        output_limit: int,
        interrupt: Interrupt,
        begun: Callable[[str], None],
    ) -> Ended:
        """Run a program in a new terminal until it ends, and give the terminal back.

        timeout: seconds, after which it is ended. output_limit: bytes of its output that the client
        is to keep. begun: is told the terminal's id, by which a card can show it. An interrupt ends
        the program and returns at once. Raises ``NoTerminal``; the client may have started the
        program all the same.
        """
        ...
