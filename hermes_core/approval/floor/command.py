"""A simple command as the tolerant reader sees it."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Command:
    """Words with marks, without leading assignments and keywords.

    redirects: operator and target. text: what it reads, where that is written there. piped: the
    command whose output it reads.
    """

    words: list[str] = field(default_factory=list)
    redirects: list[tuple[str, str]] = field(default_factory=list)
    text: str | None = None
    piped: "Command | None" = None
