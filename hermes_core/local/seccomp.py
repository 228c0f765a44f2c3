"""A filter for system calls, as a program for the kernel's ``seccomp``.

It refuses (EPERM) what the walls of files cannot hold back: sockets of every family, those to
``docker`` or an ssh agent included, other processes' memory, mounts, handles of files. Numbers from
the kernel's tables of system calls; see seccomp(2) for the program.
"""

import platform
import struct
import sys
from dataclasses import dataclass
from typing import Final

_EPERM: Final = 1
_ALLOW: Final = 0x7FFF0000
_ERRNO: Final = 0x00050000
_LOAD: Final = 0x20
_JUMP_IF_EQUAL: Final = 0x15
_JUMP_IF_AT_LEAST: Final = 0x35
_RETURN: Final = 0x06
_X32: Final = 0x40000000


@dataclass(frozen=True, slots=True)
class _Machine:
    """Its mark (``AUDIT_ARCH_*``) and the numbers of its calls.

    outside: calls that reach out. metadata: calls that change a file other than its content.
    """

    arch: int
    outside: tuple[int, ...]
    metadata: tuple[int, ...]


_NEWER: Final = (425, 428, 429, 430, 432, 442)  # io_uring_setup, open_tree … mount_setattr
_NEWER_METADATA: Final = (452, 463, 466)  # fchmodat2, setxattrat, removexattrat

# outside, in this order: socket, ptrace, process_vm_readv and -writev, open_by_handle_at, add_key,
# request_key, keyctl, bpf, userfaultfd, perf_event_open, mount, umount2, pivot_root, chroot,
# unshare, setns. metadata: truncate, the chmod and chown families, utime and kin, setxattr and
# removexattr and kin.
_X86 = (41, 101, 310, 311, 304, 248, 249, 250, 321, 323, 298, 165, 166, 155, 161, 272, 308)
_X86_METADATA = (
    76,
    *range(90, 95),
    132,
    235,
    260,
    261,
    268,
    280,
    *range(188, 191),
    *range(197, 200),
)
_ARM = (198, 117, 270, 271, 265, 217, 218, 219, 280, 282, 241, 40, 39, 41, 51, 97, 268)
_ARM_METADATA = (45, *range(52, 56), 88, *range(5, 8), *range(14, 17))

_MACHINES: Final = {
    "x86_64": _Machine(0xC000003E, (*_X86, *_NEWER), (*_X86_METADATA, *_NEWER_METADATA)),
    "aarch64": _Machine(0xC00000B7, (*_ARM, *_NEWER), (*_ARM_METADATA, *_NEWER_METADATA)),
}


def filter_program(*, metadata: bool) -> bytes | None:
    """Return the program, or None for a machine whose calls are not known here.

    metadata: whether modes, owners, times and attributes of files are to stay as they are.
    """
    machine = _MACHINES.get(platform.machine())
    if machine is None or sys.maxsize < 2**32:
        return None
    refused = machine.outside + (machine.metadata if metadata else ())
    last = len(refused) + 4  # the steps: arch, its check, number, x32, the calls, allow, refuse
    steps = [
        (_LOAD, 0, 0, 4),
        (_JUMP_IF_EQUAL, 0, last - 1, machine.arch),
        (_LOAD, 0, 0, 0),
        (_JUMP_IF_AT_LEAST, last - 3, 0, _X32),
        *((_JUMP_IF_EQUAL, last - 4 - i, 0, number) for i, number in enumerate(refused)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ERRNO | _EPERM),
    ]
    return b"".join(struct.pack("HBBI", *step) for step in steps)
