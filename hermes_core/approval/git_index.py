"""Which files git tracks, as its index says: gitformat-index(5), versions 2 to 4.

``git grep`` shows what tracked files hold, one of secrets among them.
"""

import os
import struct
from collections.abc import Iterator

from hermes_core.approval.git_places import bytes_of
from hermes_core.approval.secret_files import is_secret

_MAX_SIZE = 4 * 1024 * 1024
_FIXED = 62
"""Bytes of an entry before its name, or before more flags."""
_HASH = 20
_EXTENDED = 0x4000
_seen: dict[str, tuple[tuple[int, int, int], str]] = {}


class BadIndex(Exception):
    """The bytes are no index that is understood here."""


def tracked_objection(git_dir: str) -> str:
    """Return which tracked file may hold secrets, as a reason to ask, or ``""``.

    The names of objects are those of SHA-1; an index with others is not understood.
    """
    path = os.path.join(git_dir, "index")
    try:
        found = os.stat(path)
    except OSError:
        return ""
    mark = (found.st_mtime_ns, found.st_size, found.st_ino)
    known = _seen.get(path)
    if known is None or known[0] != mark:
        if len(_seen) > 64:
            _seen.clear()
        known = (mark, _objection(path, found.st_size))
        _seen[path] = known
    return known[1]


def tracked_names(data: bytes) -> Iterator[str]:
    """Yield the paths in an index, below the top folder; raise ``BadIndex``.

    So it does at the end where there is more, such as another file to go on with.
    """
    if len(data) < 12 or data[:4] != b"DIRC":
        raise BadIndex
    version, count = struct.unpack(">II", data[4:12])
    if version not in (2, 3, 4):
        raise BadIndex
    at, before = 12, b""
    for _ in range(count):
        start = at
        at += _FIXED
        if at > len(data):
            raise BadIndex
        (flags,) = struct.unpack(">H", data[at - 2 : at])
        at += 2 if flags & _EXTENDED else 0
        if version == 4:
            dropped, at = _number(data, at)
            if dropped > len(before):
                raise BadIndex
            before = before[: len(before) - dropped]
        end = data.find(b"\0", at)
        if end < 0:
            raise BadIndex
        name = data[at:end]
        if version == 4:
            name = before = before + name
            at = end + 1
        else:
            at = start + (end - start + 8) // 8 * 8
        yield os.fsdecode(name)
    _check_rest(data, at)


def _check_rest(data: bytes, at: int) -> None:
    """Check that what follows the entries can be left out by whoever wants their names alone."""
    while at < len(data) - _HASH:
        name, size = data[at : at + 4], data[at + 4 : at + 8]
        if not name[:1].isupper() or len(size) < 4:  # others change what the entries mean
            raise BadIndex
        at += 8 + int.from_bytes(size, "big")
    if at != len(data) - _HASH:
        raise BadIndex


def _objection(path: str, size: int) -> str:
    if size > _MAX_SIZE:
        return "the repository tracks too many files to look at"
    data = bytes_of(path, _MAX_SIZE)
    if data is None:
        return "the repository's index cannot be read"
    try:
        names = list(tracked_names(data))
    except BadIndex:
        return "the repository's index is not understood"
    secret = next((one for one in names if is_secret(one.split("/"))), None)
    return f"git tracks {secret[:80]!a}, which may hold secrets" if secret else ""


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Read a number of git's variable width; return it and where it ends."""
    value, shift = -1, True
    while shift:
        if at >= len(data) or value > _MAX_SIZE:
            raise BadIndex
        byte = data[at]
        value, at, shift = ((value + 1) << 7) | (byte & 0x7F), at + 1, bool(byte & 0x80)
    return value, at
