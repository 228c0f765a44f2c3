"""Which process works on which session, so that two of them do not write one history."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path


class Claims:
    """One byte of a lock file stands for one session; a process that dies gives its bytes back.

    Where a file system has no locks every claim is granted.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def take(self, number: int) -> bool:
        """Claim session ``number``; return False if another process holds it."""
        try:
            fcntl.lockf(self._open(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
        except (BlockingIOError, PermissionError):
            return False
        except OSError:
            return True
        return True

    def release(self, number: int) -> None:
        """Give session ``number`` back."""
        if self._file is not None:
            with suppress(OSError):
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, number)

    def close(self) -> None:
        """Give everything back."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _open(self) -> int:
        if self._file is None:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return self._file
