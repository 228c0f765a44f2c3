"""The environment that this process was started with: taken over once, and wiped where others look.

The kernel shows a process's first environment in ``/proc/PID/environ``, to root whatever it is
told, and a crash writes it into a core file. See proc(5), environ(7).
"""

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType

from hermes_core.ground.secrets import REDACTOR
from hermes_core.local.config import holds_secret

_ENV_START, _ENV_END = 50 - 3, 51 - 3
"""Fields 50 and 51 of ``/proc/self/stat``, counted behind the program's name, which is field 2."""

_FOR_AWS = re.compile(r"AWS_(?:ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|CONTAINER_.+)")
"""What AWS's own library reads from ``os.environ``, and nobody hands it."""


def take_environment() -> Mapping[str, str]:
    """Return the environment, and leave no key of it where another program could find it.

    Call it once, before any thread is started. ``os.environ`` keeps what is no secret and what
    AWS's library looks for there. Of what the kernel shows of this process nothing is left (Linux;
    elsewhere that cannot be helped). No core file is written from here on, by children neither.
    """
    taken = MappingProxyType(dict(os.environ))
    for name, value in taken.items():
        if _is_secret(name, value) and not _FOR_AWS.fullmatch(name):
            del os.environ[name]
    _forbid_core_files()
    with suppress(OSError, ValueError, IndexError):  # no /proc, or another system
        _wipe()
    return taken


def _is_secret(name: str, value: str) -> bool:
    return holds_secret(name) or REDACTOR.redact(value) != value


def _forbid_core_files() -> None:
    import resource

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _wipe() -> None:
    """Overwrite the block that the kernel shows, once the C library has copies of what stays."""
    for name, value in os.environ.items():
        os.putenv(name, value)
    with open("/proc/self/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    start, end = int(fields[_ENV_START]), int(fields[_ENV_END])
    if 0 < start < end:
        with open("/proc/self/mem", "r+b", buffering=0) as memory:
            memory.seek(start)
            memory.write(bytes(end - start))
