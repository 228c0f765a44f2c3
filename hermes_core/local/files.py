"""Files on the disk: bounded reads and writes that never leave half a file."""

import errno
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from hermes_core.ground.errors import ToolError
from hermes_core.ground.ports import Written
from hermes_core.local.folders import open_folder, sync_folder

MAX_READ = 10_000_000
"""Bytes that ``LocalFiles.read`` returns at most."""

_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISLNK, "a link"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def write_atomically(path: Path, data: bytes, mode: int | None = None) -> None:
    """Replace a file's content as a whole: readers and a crash see the old or the new file.

    A link is followed to its real file. The old permissions stay unless ``mode`` is given; a new
    file gets those that the process's umask leaves. Raises ``OSError``; the old file is intact.
    """
    real = Path(os.path.realpath(path))
    with open_folder(real.parent) as folder:
        _replace(folder, real.name, data, mode)


class LocalFiles:
    """The disk, as ``ports.Files``.

    Paths must be real ones, such as ``Workspace.resolve`` returns: a link that appears in one of
    them after it was checked is refused, never followed.
    """

    def read(self, path: Path) -> bytes:
        """Return a regular file's content; raise ``ToolError`` if there is none or too much."""
        try:
            with open_folder(path.parent) as folder:
                _require_file(folder, path.name)
                file = os.open(path.name, _READ, dir_fd=folder)
            with open(file, "rb") as stream:
                size = os.fstat(file).st_size
                data = b"" if size > MAX_READ else stream.read(MAX_READ + 1)
        except OSError as error:
            raise _failure("read", path, error) from None
        size = max(size, len(data))
        if size > MAX_READ:
            raise ToolError(
                f"Cannot read {path}: it has {size:,} bytes, and {MAX_READ:,} is the limit. "
                "Use a command that shows a part of it."
            )
        return data

    def write(self, path: Path, data: bytes) -> Written:
        """Replace or create a file, with the folders it needs; raise ``ToolError`` on failure."""
        try:
            with open_folder(path.parent, create=True) as folder:
                with suppress(FileNotFoundError):
                    status = _require_file(folder, path.name)
                    _require_writable(folder, path.name, status)
                _replace(folder, path.name, data, None)
        except OSError as error:
            raise _failure("write", path, error) from None
        return Written("disk")

    def commands_ran(self, started_ns: int) -> None:
        """Do nothing: the disk is always read anew."""


def _replace(folder: int, name: str, data: bytes, mode: int | None) -> None:
    old = _status(folder, name)
    temporary = f".hermes-{secrets.token_hex(6)}.tmp"
    first = 0o666 if old is None and mode is None else 0o600
    file = os.open(temporary, _CREATE, first, dir_fd=folder)
    try:
        with open(file, "wb") as stream:
            _dress(file, old, mode)
            stream.write(data)
            stream.flush()
            os.fsync(file)
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
    sync_folder(folder)


def _dress(file: int, old: os.stat_result | None, mode: int | None) -> None:
    """Give a new file its predecessor's owner and permissions."""
    if old is not None:
        own = os.fstat(file)
        if (own.st_uid, own.st_gid) != (old.st_uid, old.st_gid):
            with suppress(PermissionError):
                os.fchown(file, old.st_uid, old.st_gid)
    if mode is not None:
        os.fchmod(file, mode)
    elif old is not None:
        os.fchmod(file, stat.S_IMODE(old.st_mode))


def _status(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _require_file(folder: int, name: str) -> os.stat_result:
    status = os.stat(name or ".", dir_fd=folder, follow_symlinks=False)
    for matches, kind in _KINDS:
        if matches(status.st_mode):
            raise OSError(errno.EINVAL, f"it is {kind}, not a file")
    return status


def _require_writable(folder: int, name: str, status: os.stat_result) -> None:
    """Respect a file's own protection, which replacing it would pass by."""
    marked = not status.st_mode & 0o222
    if marked or not os.access(name, os.W_OK, dir_fd=folder):
        raise OSError(errno.EACCES, f"it is read-only (mode {stat.S_IMODE(status.st_mode):04o})")


def _failure(verb: str, path: Path, error: OSError) -> ToolError:
    reason = error.strerror or str(error)
    if isinstance(error, FileNotFoundError):
        reason = "there is no such file"
    elif error.errno == errno.ELOOP:
        reason = "its path leads through a link that appeared after it was checked"
    return ToolError(f"Cannot {verb} {path}: {reason[:1].lower()}{reason[1:]}.")
