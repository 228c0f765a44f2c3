"""``/sandbox``: what holds commands on this machine, and why not more does."""

import os
from contextlib import suppress

from hermes_core.local.config import Config
from hermes_core.local.confinement import SandboxMode
from hermes_core.local.sandbox import SANDBOX, Walls

TOLD = "sandbox-told"
"""The file in our home that says what was told of a missing sandbox already."""

_UNASKED = (
    "It can write to nothing but a temporary folder of its own, and reaches no network and no "
    "socket."
)
_APPROVED = (
    "It can do what you can, except to change Hermes' own folder, to read the keys in it, to see "
    "other programs' processes, and to gain rights (`sudo`)."
)
_NARROW = (
    "So only those commands run without a question whose programs have no option that writes or "
    "runs something (`cat`, `ls`, `grep`); others that only read (`git log`, `find`) ask."
)
_INSTALL = (
    "Bubblewrap is the package `bubblewrap` of your distribution; a new session finds it once "
    "Hermes is started again."
)


def sandbox_text(mode: SandboxMode) -> str:
    """Return what is active, as Markdown; the first call may try what works."""
    if mode == "off":
        return (
            "The sandbox is off (`sandbox.mode: off` in config.yaml). Approval is all that holds "
            f"commands. {_NARROW}"
        )
    walls = SANDBOX.walls()
    lines = [
        _line("A command that runs without a question", walls.unasked, _UNASKED),
        _line("A command that you allowed", _approved(mode, walls), _APPROVED),
    ]
    if mode == "unasked":
        lines.append("- What you allow is left alone, as `sandbox.mode: unasked` says.")
    lines += [f"- Not more, because: {reason}." for reason in walls.reasons]
    if any("not installed" in reason for reason in walls.reasons):
        lines.append(f"- {_INSTALL}")
    return "\n".join(lines)


def terminals_text(config: Config, *, there: bool) -> str:
    """Return where commands run that were allowed, as Markdown; ``""`` if that is usual.

    there: whether the client has terminals.
    """
    if not config.terminal_in_editor:
        return ""
    if not there:
        return (
            "- `terminal.in_editor` has no effect here: this editor offers no terminals, so "
            "that all commands run in processes of Hermes."
        )
    return (
        "- What you allow runs in **a terminal of the editor's** (`terminal.in_editor`): "
        "behind the same walls and with the environment that commands of Hermes have. The editor "
        "shows its output as it is; what the model gets is masked. What runs without a question, "
        "and what sub-agents run, stays in processes of Hermes."
    )


def notice_once(config: Config) -> str:
    """Return what a person should know where there is no sandbox; ``""`` if it was told before."""
    if config.sandbox_mode == "off":
        return ""
    walls = SANDBOX.walls()
    if walls.unasked is not None:
        return ""
    reasons = "; ".join(walls.reasons)
    path = config.home / TOLD
    with suppress(OSError, UnicodeDecodeError):
        if path.read_text(encoding="utf-8") == reasons:
            return ""
    with suppress(OSError):
        os.makedirs(config.home, mode=0o700, exist_ok=True)
        path.write_text(reasons, encoding="utf-8")
    return (
        f"Commands run without a sandbox here ({reasons}). Approval is all that holds them, so "
        "that more of them ask; `/sandbox` tells more."
    )


def _approved(mode: SandboxMode, walls: Walls) -> str | None:
    return None if mode == "unasked" else walls.approved


def _line(what: str, wall: str | None, held: str) -> str:
    if wall is None:
        more = f" {_NARROW}" if held is _UNASKED else ""
        return f"- {what}: no sandbox. Approval is all that holds it.{more}"
    return f"- {what}: **{wall}**. {held}"
