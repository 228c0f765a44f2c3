"""What a wall around a command is: a way to start it."""

import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

Spawn = Callable[[Sequence[str], Mapping[str, str], Sequence[int]], "subprocess.Popen[bytes]"]
"""Starts a program with an environment, handing it these open files; raises ``OSError``."""


class Wall(Protocol):
    """Starts commands so that they are held to a policy.

    wraps: whether the started process is only the wall's own, with the command's below it. It may
    not be asked to end then: it would end the command without asking that.
    """

    @property
    def wraps(self) -> bool:
        """See the class."""
        ...

    def start(
        self, argv: Sequence[str], env: Mapping[str, str], spawn: Spawn
    ) -> "subprocess.Popen[bytes]":
        """Start ``argv`` through ``spawn``; raise ``OSError`` if that fails."""
        ...
