"""What sort of card a command has, by the one program that it plainly runs. For display alone.

Nothing is decided by it: approval reads the command as the shell does. What is not plain (an
operator, an expansion, a wrapper) is an ordinary command.
"""

import re
import shlex
from typing import Final

from hermes_core.ground.content import ToolKind

LONGEST: Final = 4_000
"""Characters of a command that is looked at; splitting a longer one could take a while."""

_NOT_PLAIN: Final = re.compile(r"[;&|<>()`$\n\r\\!{}]")
_DELETES: Final = frozenset({"rm", "rmdir", "unlink"})
_MOVES: Final = frozenset({"mv", "rename"})


def command_kind(command: str) -> ToolKind:
    """Return ``delete`` or ``move`` for a command that does just that, else ``execute``."""
    if len(command) > LONGEST or _NOT_PLAIN.search(command):
        return "execute"
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        return "execute"
    if words[:1] == ["git"]:
        words = words[1:]
        deletes, moves = frozenset({"rm"}), frozenset({"mv"})
    else:
        deletes, moves = _DELETES, _MOVES
    name = words[0] if words else ""
    if name in deletes:
        return "delete"
    return "move" if name in moves else "execute"
