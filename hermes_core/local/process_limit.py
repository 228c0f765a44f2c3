"""How many processes a command may start, so that one that multiplies leaves the machine usable.

The kernel counts a user's threads, since 5.14 those of a user namespace (which bubblewrap makes)
apart. Nothing tells beforehand which it is, so the limit lies above all threads of the system.
Root has no such limit.
"""

import os
import resource
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

MORE: Final = 2048
"""Processes and threads that a command may have, beside those that there are already."""

_LOAD: Final = Path("/proc/loadavg")
_SCRIPT: Final = 'ulimit -u "$0" 2>/dev/null || ulimit -p "$0" 2>/dev/null; exec "$@"'
"""The option's name differs between shells."""


def limited(argv: Sequence[str]) -> list[str]:
    """Return what starts ``argv`` under the limit; itself where there is none or a lower one."""
    limit = _limit()
    if limit is None:
        return list(argv)
    return ["/bin/sh", "-c", _SCRIPT, str(limit), *argv]


def _limit() -> int | None:
    if sys.platform != "linux" or os.geteuid() == 0:
        return None
    try:
        running = int(_LOAD.read_text(encoding="utf-8").split()[3].rpartition("/")[2])
    except (OSError, ValueError, IndexError):
        return None
    limit = running + MORE
    present = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    return limit if present == resource.RLIM_INFINITY or present > limit else None
