"""``/help``: what Hermes works with here, and what can be typed."""

from collections.abc import Sequence

from hermes_core.commands.mode import describe_modes
from hermes_core.ground.actions import Mode


def help_text(
    *,
    cwd: str,
    model: str,
    mode: Mode,
    tools: Sequence[str],
    commands: Sequence[tuple[str, str]],
    more: str = "",
) -> str:
    """Return the help as Markdown.

    model: the provider and the model in use, or why there is none.
    commands: (how it is typed, what it does) each. more: what stands below them.
    """
    typed = "\n".join(f"- `/{usage}`: {does}" for usage, does in commands)
    named = ", ".join(f"`{tool}`" for tool in tools)
    return (
        f"**Hermes** works in `{cwd}`.\n\n"
        f"- Model: {model}\n"
        f"- Tools: {named}\n\n"
        f"Modes:\n{describe_modes(mode)}\n\n"
        f"Commands:\n{typed}" + (f"\n\n{more}" if more else "")
    )
