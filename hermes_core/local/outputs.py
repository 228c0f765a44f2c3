"""Results that are too long for a model's window, kept in files for a while.

They lie in ``$HERMES_HOME/outputs``, for their owner alone, under names that cannot be guessed.
"""

import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from hermes_core.local.folders import make_private_folder

FOLDER = "outputs"
KEPT_SECONDS = 7 * 86_400
KEPT_BYTES = 256 * 1024 * 1024
"""How long a result is kept, and how much there may be of all of them together."""

_NAME = re.compile(r"\d{10,}-[0-9a-f]{16}\.txt")


def keep_output(home: Path, text: str) -> Path:
    """Write ``text`` to a new file below ``home`` and return its real path; raise ``OSError``.

    Older results that are no longer to be kept are removed.
    """
    folder = Path(os.path.realpath(home)) / FOLDER
    make_private_folder(folder)
    data = text.encode("utf-8", "replace")
    prune(folder, KEPT_BYTES - len(data))
    path = folder / f"{int(time.time())}-{secrets.token_hex(8)}.txt"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(os.open(path, flags, 0o600), "wb") as file:
            file.write(data)
    except OSError:
        with suppress(OSError):
            path.unlink()
        raise
    return path


def prune(folder: Path, room: int, *, now: float | None = None) -> None:
    """Remove what is too old, and the oldest beyond ``room`` bytes; foreign files stay."""
    oldest_kept = (time.time() if now is None else now) - KEPT_SECONDS
    for written, size, path in sorted(_kept(folder), reverse=True):
        room -= size
        if room < 0 or written < oldest_kept:
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
