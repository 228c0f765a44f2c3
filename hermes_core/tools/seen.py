"""What a session's model knows of files: the content that it last read or wrote."""

import hashlib
import threading
from pathlib import Path


class Seen:
    """Digests of files as they were last read or written in one session; thread-safe.

    Paths are real and absolute.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._digests: dict[Path, bytes] = {}
        self._kept: set[Path] = set()

    def record(self, path: Path, data: bytes) -> None:
        """Note that the model knows ``path`` with the content ``data``."""
        digest = _digest(data)
        with self._lock:
            self._digests[path] = digest

    def keep(self, path: Path) -> None:
        """Note that ``path`` holds a result of this session, which it was too long to be given."""
        with self._lock:
            self._kept.add(path)

    def is_kept(self, path: Path) -> bool:
        """Return whether ``path`` holds a result of this session."""
        with self._lock:
            return path in self._kept

    def knows(self, path: Path) -> bool:
        """Return whether the file was read or written in this session."""
        with self._lock:
            return path in self._digests

    def changed(self, path: Path, data: bytes) -> bool:
        """Return whether the file was seen with another content than ``data``."""
        with self._lock:
            known = self._digests.get(path)
        return known is not None and known != _digest(data)


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()
