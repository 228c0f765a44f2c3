"""Results that are too long for a model's window, kept in files for a while.

They lie in ``$HERMES_HOME/outputs``, for their owner alone, under names that cannot be guessed.
"""

import logging
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from hermes_core.local.folders import make_private_folder

FOLDER = "outputs"
KEPT_SECONDS = 7 * 86_400
KEPT_BYTES = 256 * 1024 * 1024
"""How long a result is kept, and how much there may be of all of them together."""

SPOOLED_BYTES = 64 * 1024 * 1024
"""How much there may be of one that is written while it grows."""

LINE = 1_900
"""Characters of a line: ``read_file`` shows no longer ones whole."""

_log = logging.getLogger(__name__)

_NAME = re.compile(r"\d{10,}-[0-9a-f]{16}\.txt")


def keep_output(home: Path, text: str) -> Path:
    """Write ``text`` to a new file below ``home`` and return its real path; raise ``OSError``.

    Older results that are no longer to be kept are removed.
    """
    data = text.encode("utf-8", "replace")
    path, file = _create(home, len(data))
    try:
        with file:
            file.write(data)
    except OSError:
        _remove(path)
        raise
    return path


class Spool:
    """Takes a text in pieces; once it is longer than ``after`` bytes, all of it goes to a file.

    home: below which the file lies. width: characters of a line, longer ones are folded. size: the
    bytes of the whole text; the file ends at ``SPOOLED_BYTES``. Used by one thread.
    """

    def __init__(self, home: Path, after: int, width: int) -> None:
        self.size = 0
        self._home = home
        self._after = after
        self._width = width
        self._column = 0
        self._waiting: list[bytes] = []
        self._path: Path | None = None
        self._file: IO[bytes] | None = None
        self._failed = False

    def write(self, text: str) -> None:
        """Add a piece; what cannot be kept is dropped, and the log says so."""
        data = self._folded(text).encode("utf-8", "replace")
        self.size += len(data)
        if self._failed or self.size > SPOOLED_BYTES:
            return
        self._waiting.append(data)
        if self.size > self._after:
            try:
                self._flush()
            except OSError as error:
                _log.warning("the output of a command could not be kept: %s", error)
                self._failed = True

    def close(self) -> Path | None:
        """Return the file, by its real path; None if the text was short or could not be kept."""
        if self._file is not None:
            try:
                self._file.close()
            except OSError:
                self._failed = True
        if self._failed and self._path is not None:
            _remove(self._path)
            return None
        return self._path

    def _flush(self) -> None:
        if self._file is None:
            self._path, self._file = _create(self._home, SPOOLED_BYTES)
        self._file.writelines(self._waiting)
        self._waiting.clear()

    def _folded(self, text: str) -> str:
        """Return a piece with line breaks where a line would grow longer than ``width``."""
        lines: list[str] = []
        for line in text.split("\n"):
            if lines:
                self._column = 0
            lines.append(self._broken(line))
        return "\n".join(lines)

    def _broken(self, line: str) -> str:
        if self._column + len(line) <= self._width:
            self._column += len(line)
            return line
        room = self._width - self._column
        starts = range(room, len(line), self._width)
        parts = [line[:room], *(line[start : start + self._width] for start in starts)]
        self._column = len(parts[-1])
        return "\n".join(parts)


def prune(folder: Path, room: int, *, now: float | None = None) -> None:
    """Remove what is too old, and the oldest beyond ``room`` bytes; foreign files stay."""
    oldest_kept = (time.time() if now is None else now) - KEPT_SECONDS
    for written, size, path in sorted(_kept(folder), reverse=True):
        room -= size
        if room < 0 or written < oldest_kept:
            with suppress(OSError):
                path.unlink()


def _create(home: Path, size: int) -> tuple[Path, IO[bytes]]:
    """Open a new file for ``size`` bytes at most; raise ``OSError``."""
    folder = Path(os.path.realpath(home)) / FOLDER
    make_private_folder(folder)
    prune(folder, KEPT_BYTES - size)
    path = folder / f"{int(time.time())}-{secrets.token_hex(8)}.txt"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return path, open(os.open(path, flags, 0o600), "wb")


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _kept(folder: Path) -> Iterator[tuple[float, int, Path]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if not _NAME.fullmatch(entry.name):
                continue
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                yield status.st_mtime, status.st_size, Path(entry.path)
