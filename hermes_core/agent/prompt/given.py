"""What the program that opened a session says of the work in it: added to ours, or instead."""

from typing import Final, Literal

from hermes_core.agent.prompt.foreign import structured
from hermes_core.agent.prompt.layer import Layer
from hermes_core.ground.errors import ConfigError
from hermes_core.ground.injection import visible

How = Literal["append", "override"]
Instructions = tuple[str, str]
"""One of ``How``, and the text."""

LONGEST: Final = 100_000
"""Characters of such a text."""

_HEADING = "# Session instructions"


def checked(instructions: Instructions | None) -> Instructions | None:
    """Return them; raise ``ConfigError`` for an unknown way, and for too long a text or one
    of which nothing can be seen.
    """
    if instructions is None:
        return None
    how, text = instructions
    if how not in ("append", "override"):
        raise ConfigError(f"Session instructions are appended or override ours; not {how!r}.")
    if len(text) > LONGEST:
        raise ConfigError(f"Session instructions have at most {LONGEST:,} characters.")
    if not visible(text).strip():
        raise ConfigError("Session instructions need a text.")
    return how, text


def overrides(instructions: Instructions | None) -> bool:
    """Return whether they stand in the place of what we say of the agent and its work."""
    return instructions is not None and instructions[0] == "override"


def given(instructions: Instructions | None) -> Layer:
    """Return the layer that they are: the first one of the prompt, or one behind ours.

    They are the word of the program that the user works in, so that they are not wrapped as data.
    """
    if instructions is None:
        return Layer("session instructions", "")
    text = f"{structured(visible(instructions[1]).strip())}\n"
    if overrides(instructions):
        return Layer("identity", text)
    return Layer("session instructions", f"{_HEADING}\n{text}")
