"""Opening a folder so that no link can take its place between a check and a use."""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@contextmanager
def open_folder(path: Path, create: bool = False) -> Iterator[int]:
    """Open the folder at the absolute ``path``, for use as a ``dir_fd``; close it at the end.

    No part of ``path`` may be a link: it must be a real path. With ``create`` missing folders
    are made. Raises ``OSError``; its number is ``ELOOP`` where a link stands in the way.
    """
    folder = _open(path, create)
    try:
        yield folder
    finally:
        os.close(folder)


def make_private_folder(path: Path) -> None:
    """Make ``path``, and the folders above it that are missing, for their owner alone.

    Raises ``OSError``.
    """
    if not path.parent.exists():
        make_private_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)


def sync_folder(folder: int) -> None:
    """Write a folder's entries to the disk, where its file system can do that."""
    with suppress(OSError):
        real = os.open(".", _FOLDER, dir_fd=folder)
        try:
            os.fsync(real)
        finally:
            os.close(real)


def _open(path: Path, create: bool) -> int:
    try:
        return _open_existing(path)
    except FileNotFoundError:
        if not create or path == path.parent:
            raise
    above = _open(path.parent, create)
    try:
        with suppress(FileExistsError):
            os.mkdir(path.name, dir_fd=above)
        return _step(above, path.name)
    finally:
        os.close(above)


def _open_existing(path: Path) -> int:
    if sys.platform == "darwin":
        return os.open(path, _FOLDER | os.O_NOFOLLOW_ANY)
    folder = os.open(path.anchor, _FOLDER)
    for name in path.parts[1:]:
        try:
            below = _step(folder, name)
        finally:
            os.close(folder)
        folder = below
    return folder


def _step(folder: int, name: str) -> int:
    flags = _FOLDER | os.O_NOFOLLOW
    if sys.platform == "linux":
        flags |= os.O_PATH
    try:
        return os.open(name, flags, dir_fd=folder)
    except NotADirectoryError:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):
            raise OSError(errno.ELOOP, f"{name} is a link") from None
        raise
