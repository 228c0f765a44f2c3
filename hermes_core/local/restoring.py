"""Putting files back as they were: never through a link, never outside of one folder."""

import hashlib
import os
import stat
from contextlib import suppress
from pathlib import Path

from hermes_core.local.files import LocalFiles
from hermes_core.local.folders import open_folder


def blob_id(data: bytes) -> str:
    """Return the id that git gives to a content (SHA-1 of a header and the bytes)."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def found_at(root: Path, path: str) -> tuple[str, bytes] | None:
    """Return the git mode and the content of what stands at ``path``, or None for nothing.

    Raises ``OSError`` for what is neither a file nor a link, or lies behind a link.
    """
    try:
        with open_folder((root / path).parent) as folder:
            name = os.path.basename(path)
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                return "120000", os.fsencode(os.readlink(name, dir_fd=folder))
            if not stat.S_ISREG(status.st_mode):
                raise IsADirectoryError(f"{path} is no file")
            file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
            with open(file, "rb") as stream:
                data = stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return "100755" if status.st_mode & stat.S_IXUSR else "100644", data


def put(root: Path, path: str, mode: str, data: bytes) -> None:
    """Write a file or a link of the git mode ``mode``, with the folders it needs.

    Raises ``OSError`` or ``ToolError``.
    """
    place = root / path
    standing = None
    with suppress(FileNotFoundError):
        standing = place.lstat()
    if mode == "120000" or (standing is not None and stat.S_ISLNK(standing.st_mode)):
        with open_folder(place.parent, create=True) as folder:
            with suppress(FileNotFoundError):
                os.unlink(place.name, dir_fd=folder)
            if mode == "120000":
                os.symlink(os.fsdecode(data), place.name, dir_fd=folder)
                return
    LocalFiles().write(place, data)
    with open_folder(place.parent) as folder:
        file = os.open(place.name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder)
        try:
            now = stat.S_IMODE(os.fstat(file).st_mode)
            readers = (now & 0o444) >> 2
            os.fchmod(file, now | readers if mode == "100755" else now & ~0o111)
        finally:
            os.close(file)


def remove(root: Path, path: str) -> None:
    """Delete a file or a link, and the folders that are empty then, up to ``root``."""
    place = root / path
    with suppress(FileNotFoundError), open_folder(place.parent) as folder:
        os.unlink(place.name, dir_fd=folder)
    parent = place.parent
    while parent != root and parent.is_relative_to(root):
        try:
            with open_folder(parent.parent) as folder:
                os.rmdir(parent.name, dir_fd=folder)
        except OSError:
            return
        parent = parent.parent
