"""The wall of Linux's Landlock: no program is needed for it, and no right.

A thread gives up rights for itself, starts the command and ends: what it starts inherits the walls,
and this process stays free. Landlock holds content, names and TCP; a ``seccomp`` filter holds the
rest (see landlock(7), seccomp(2)). It cannot make an exception inside a folder that is writable, so
that it serves commands that write nothing.
"""

import atexit
import ctypes
import functools
import os
import shutil
import struct
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from hermes_core.local.confinement import Confinement, own_home
from hermes_core.local.seccomp import filter_program
from hermes_core.local.wall import Spawn

_CREATE: Final = 444
_ADD: Final = 445
_RESTRICT: Final = 446
_VERSION: Final = 1
_BENEATH: Final = 1
_NO_NEW_PRIVS: Final = 38
_SET_SECCOMP: Final = 22
_FILTER: Final = 2
_CAPABILITIES: Final = 0x20080522
_DAC_READ_SEARCH: Final = 2

_WRITE_FILE: Final = 1 << 1
_READ_FILE: Final = 1 << 2
_NAMES: Final = sum(1 << bit for bit in range(4, 13))  # to remove and to make files and folders
_REFER: Final = 1 << 13
_TRUNCATE: Final = 1 << 14
_IOCTL: Final = 1 << 15
_OF_FILES: Final = _WRITE_FILE | _READ_FILE | _TRUNCATE
_TCP: Final = 0b11
_SCOPES: Final = 0b11  # abstract sockets and signals


class LandlockWall:
    """Starts commands that write nothing. Raises ``OSError`` where the kernel offers less."""

    wraps = False

    def __init__(self, confinement: Confinement) -> None:
        self._confinement = confinement

    def start(
        self, argv: Sequence[str], env: Mapping[str, str], spawn: Spawn
    ) -> "subprocess.Popen[bytes]":
        """Start ``argv`` from a thread that has given up its rights."""
        scratch = _scratch()
        started: list[subprocess.Popen[bytes]] = []
        errors: list[Exception] = []

        def give_up_and_start() -> None:
            try:
                _restrict(self._confinement, scratch)
                started.append(spawn(argv, {**env, "TMPDIR": scratch}, ()))
            except Exception as error:
                errors.append(error)

        thread = threading.Thread(target=give_up_and_start, name="walled-start")
        thread.start()
        thread.join()
        if errors:
            raise errors[0]
        return started[0]


def landlock_version() -> int:
    """Return the version of Landlock that the kernel offers; 0 for none."""
    with suppress(OSError, AttributeError):
        return max(0, int(_libc().syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION)))
    return 0


def _restrict(confinement: Confinement, scratch: str) -> None:
    """Take from the calling thread all that the policy denies."""
    program = filter_program(metadata=True)
    if program is None:
        raise OSError(0, "no filter of system calls is known for this machine")
    version = landlock_version()
    handled = _handled(version)
    attributes = struct.pack("QQQ", handled, _TCP, _SCOPES)
    known = 8 if version < 4 else 16 if version < 6 else 24
    rules = _call(_CREATE, attributes[:known], ctypes.c_size_t(known), 0)
    try:
        for path in _readable(own_home(confinement.home).hidden):
            _allow(rules, path, _READ_FILE)
        _allow(rules, Path("/dev/null"), _OF_FILES & handled)
        _allow(rules, Path(scratch), handled)
        _control(_NO_NEW_PRIVS, 1)
        _call(_RESTRICT, rules, 0)
    finally:
        os.close(rules)
    _drop_rights()
    steps = ctypes.create_string_buffer(program, len(program))
    pointer = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(steps))
    _control(_SET_SECCOMP, _FILTER, ctypes.c_char_p(pointer))


def _drop_rights() -> None:
    """Keep of root's rights that to read: with the others it looks into any process."""
    if os.geteuid() == 0:
        kept = 1 << _DAC_READ_SEARCH
        header, sets = (
            struct.pack("Ii", _CAPABILITIES, 0),
            struct.pack("6I", kept, kept, 0, 0, 0, 0),
        )
        if _libc().capset(header, sets) != 0:
            raise OSError(ctypes.get_errno(), "root's rights cannot be dropped")


def _handled(version: int) -> int:
    handled = _WRITE_FILE | _READ_FILE | _NAMES
    for since, right in ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL)):
        if version >= since:
            handled |= right
    return handled


def _readable(hidden: Iterable[Path]) -> Iterator[Path]:
    """Yield folders and files that together hold everything but ``hidden``."""
    if not (hidden := set(hidden)):
        yield Path("/")
        return
    leading = {parent for path in hidden for parent in path.parents}
    for folder in leading:
        with suppress(OSError):
            for entry in os.scandir(folder):
                path = folder / entry.name
                if path not in hidden and path not in leading and not entry.is_symlink():
                    yield path


def _allow(rules: int, path: Path, rights: int) -> None:
    """Add a rule; a path that has vanished, or has no such rights, needs none."""
    with suppress(OSError):
        fd = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            _call(_ADD, rules, _BENEATH, struct.pack("=Qi", rights, fd), 0)
        finally:
            os.close(fd)


def _call(number: int, *arguments: object) -> int:
    result = _libc().syscall(number, *arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return int(result)


def _control(option: int, *arguments: object) -> None:
    padded = (*arguments, *[ctypes.c_ulong(0)] * (4 - len(arguments)))
    if _libc().prctl(option, *padded) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


@functools.cache
def _scratch() -> str:
    """Return the temporary folder of unasked commands; it goes with this process."""
    folder = tempfile.mkdtemp(prefix="hermes-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
