"""What a tool card may show, in the core's own terms."""

from dataclasses import dataclass
from typing import Literal

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


CardContent = Text | Diff


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
