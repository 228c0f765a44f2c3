"""What a tool card may show, and what a message may point at, in the core's own terms."""

from dataclasses import dataclass
from typing import Literal

from hermes_core.ground.visible import fence


@dataclass(frozen=True, slots=True)
class Link:
    """A file or folder that a message points at.

    path: as the tools take it. first, last: the lines that are meant, counted from 1; last None:
    to the end. symbol: the name that is meant, where no lines are. priority: who comes first where
    there is not room for all.
    """

    path: str
    first: int = 1
    last: int | None = None
    symbol: str = ""
    priority: float = 0.5


@dataclass(frozen=True, slots=True)
class Attached:
    """What a link came to: its text, or why there is none."""

    link: Link
    text: str
    failed: bool = False


ToolKind = Literal[
    "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"
]


@dataclass(frozen=True, slots=True)
class Text:
    """Plain or Markdown text."""

    text: str


@dataclass(frozen=True, slots=True)
class Diff:
    """The whole text of one file before and after; ``old`` is None for a new file.

    ``path`` is absolute.
    """

    path: str
    old: str | None
    new: str


@dataclass(frozen=True, slots=True)
class Console:
    """A command and its output so far, as they would stand in a terminal.

    command: ``""`` where the card shows it otherwise. cwd: where it runs. exit_code, signal: how it
    ended, if it did; at most one is known. terminal: the id of the client's own terminal that it
    runs in, ``""`` for none.
    """

    command: str
    output: str = ""
    cwd: str = ""
    exit_code: int | None = None
    signal: str = ""
    terminal: str = ""

    @property
    def text(self) -> str:
        """All of it as a Markdown code block; ``""`` if there is nothing yet."""
        lines = [f"$ {self.command}"] if self.command else []
        lines += [self.output] if self.output else []
        return fence("\n".join(lines), "console") if lines else ""


@dataclass(frozen=True, slots=True)
class Image:
    """An image in Base64; ``data`` is ``""`` where only its size is known any more.

    size: bytes of the image.
    """

    mime_type: str
    data: str
    size: int

    @property
    def text(self) -> str:
        """What stands for it where no image can be shown."""
        return f"[an image, {self.mime_type}, {self.size:,} bytes]"


CardContent = Text | Diff | Console | Image


@dataclass(frozen=True, slots=True)
class Location:
    """A place an editor may follow along to; ``line`` counts from 1."""

    path: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class PlanEntry:
    """One line of the agent's plan."""

    content: str
    status: Literal["pending", "in_progress", "completed"] = "pending"
    priority: Literal["high", "medium", "low"] = "medium"
