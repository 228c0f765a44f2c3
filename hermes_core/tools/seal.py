"""What an approval is bound to: a command, the folder it runs in, its environment, its call.

It is taken before anybody decides, and compared at the moment of running: what was decided on is
what runs. The folder counts by its real path and by what it is on the disk, so that neither a link
nor another folder can take its place.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hermes_core.ground.errors import ToolError
from hermes_core.tools.visible import one_line


@dataclass(frozen=True, slots=True)
class Seal:
    """The digests of what was decided on. call: the turn and the call, in any form."""

    command: str
    folder: str
    environment: str
    call: str

    @classmethod
    def of(
        cls, command: str, cwd: Path, environment: Mapping[str, str], call: tuple[str, ...]
    ) -> "Seal":
        """Take the seal of what is there now; runs nothing."""
        return cls(
            _digest(command),
            _digest([os.path.realpath(cwd), _identity(cwd)]),
            _digest(sorted(environment.items())),
            _digest(list(call)),
        )

    def require(self, now: "Seal", cwd: Path) -> None:
        """Raise ``ToolError`` if what is there now is not what was decided on."""
        if now.folder != self.folder:
            raise ToolError(
                f"The working folder {one_line(str(cwd))} is not the one that was approved: another"
                " folder or a link took its place. Nothing was run."
            )
        if now != self:
            raise ToolError(
                "The command, its environment or its call is not what was approved. Nothing was"
                " run."
            )


def _identity(cwd: Path) -> list[int]:
    try:
        status = os.stat(cwd)
    except OSError:
        return []
    return [status.st_dev, status.st_ino]


def _digest(value: object) -> str:
    data = json.dumps(value).encode("ascii")  # surrogates, as in odd paths, are escaped
    return hashlib.sha256(data).hexdigest()
