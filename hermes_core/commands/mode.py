"""``/mode``: what runs without asking."""

from dataclasses import dataclass

from hermes_core.ground.actions import Mode
from hermes_core.ground.errors import HermesError


@dataclass(frozen=True, slots=True)
class ModeInfo:
    """A mode as people see it."""

    id: Mode
    name: str
    description: str


MODES = (
    ModeInfo(
        "default",
        "Ask",
        "Reads inside the workspace run; edits, commands and paths outside of it ask first",
    ),
    ModeInfo(
        "accept_edits",
        "Accept edits",
        "Edits inside the workspace run too; commands and paths outside of it ask first",
    ),
)


def find_mode(text: str) -> Mode:
    """Return the mode that ``text`` names by its id or its name.

    Raises ``HermesError`` with the modes there are.
    """
    wanted = text.strip().casefold().replace("-", "_").replace(" ", "_")
    for info in MODES:
        if wanted in (info.id, info.name.casefold().replace(" ", "_")):
            return info.id
    known = ", ".join(info.id for info in MODES)
    raise HermesError(f"There is no mode {text.strip()!r}. There are: {known}.")


def describe_modes(current: Mode) -> str:
    """Return a Markdown list of the modes, with the current one marked."""
    lines = []
    for info in MODES:
        mark = " (now)" if info.id == current else ""
        lines.append(f"- `{info.id}`{mark}: {info.description}.")
    return "\n".join(lines)
