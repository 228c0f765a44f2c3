"""A simple command as the tolerant reader sees it."""

from dataclasses import dataclass, field

from hermes_core.approval.floor.targets import Place


@dataclass(slots=True)
class Command:
    """Words with marks, without leading assignments and keywords.

    redirects: operator and target. text: what it reads, where that is written there. piped: the
    command whose output it reads. place: where it runs. inner: whether its output is part of a
    word. runs: whether it is a command, not the head of a loop, a list of values, a sum or a
    test. pattern: whether it is a pattern of a choice.
    """

    words: list[str] = field(default_factory=list)
    redirects: list[tuple[str, str]] = field(default_factory=list)
    text: str | None = None
    piped: "Command | None" = None
    place: Place | None = None
    inner: bool = False
    runs: bool = True
    pattern: bool = False
