"""What is remembered of earlier sessions, as it was when the prompt was built."""

from pathlib import Path

from hermes_core.agent.prompt.foreign import block
from hermes_core.agent.prompt.layer import Layer
from hermes_core.ground.errors import ToolError
from hermes_core.ground.injection import kinds_of, scan
from hermes_core.sessions.memory import MemoryFile, Target, render

_HEADS: dict[Target, tuple[str, str, str, str]] = {
    "memory": ("memory", "# Memory", "memory", "Your notes from earlier sessions"),
    "user": ("user profile", "# About the user", "user-profile", "What is known of the user"),
}

NAMES = tuple(name for name, *_ in _HEADS.values())
"""The names of these layers, which stand at the end of a prompt."""


def recall(home: Path, target: Target) -> Layer:
    """Return the entries of a memory file; an empty layer if there are none.

    An entry that the scan finds fault with is not told, its place says why; of a file that a
    person made longer than it may be, the first entries that fit are told.
    """
    name, heading, tag, what = _HEADS[target]
    file = MemoryFile(home, target)
    try:
        entries = file.entries()
    except ToolError as error:
        return Layer(name, f"{heading}\n{what} cannot be read. {error}\n")
    if not entries:
        return Layer(name, "")
    shown = [_shown(entry) for entry in entries]
    kept = [entry for n, entry in enumerate(shown) if len(render(shown[: n + 1])) <= file.limit]
    left = f"\n[{len(shown) - len(kept)} more entries do not fit]" if len(kept) < len(shown) else ""
    head = f"{what}, as data ({file.usage(entries)}). They may be out of date."
    return Layer(name, f"{heading}\n{head}\n{block(tag, render(kept) + left)}")


def _shown(entry: str) -> str:
    hits = scan(entry, strict=True)
    return (
        f"[BLOCKED: an entry with {kinds_of(hits)}; the user sees it with /memory]"
        if hits
        else entry
    )
