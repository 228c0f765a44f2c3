"""``/mode``: what runs without asking."""

from dataclasses import dataclass

from hermes_core.ground.actions import Mode
from hermes_core.ground.errors import HermesError
from hermes_core.ground.typed import quoted


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
        "Harmless commands and reads inside the workspace run; all else asks first",
    ),
    ModeInfo(
        "accept_edits",
        "Accept edits",
        "Edits inside the workspace run too; other commands and paths outside of it ask first",
    ),
    ModeInfo("plan", "Plan", "Only reads and harmless commands run; nothing is changed"),
    ModeInfo(
        "bypass",
        "Bypass",
        "Everything runs unasked but what is delicate, and says so; never restored at a restart",
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
    raise HermesError(f"There is no mode {quoted(text.strip())}. There are: {known}.")


def describe_modes(current: Mode) -> str:
    """Return a Markdown list of the modes, with the current one marked."""
    lines = []
    for info in MODES:
        mark = " (now)" if info.id == current else ""
        lines.append(f"- `{info.id}`{mark}: {info.description}.")
    return "\n".join(lines)
