"""``$HERMES_HOME/auth.json``: keys and logins, for their owner alone.

The file may be shared with another program: its entries and unknown fields stay as they are, and
both take the lock ``auth.lock``. Shape: ``version``, ``providers`` (a login each),
``active_provider``, ``credential_pool`` (lists of keys and logins), ``suppressed_sources``.
"""

import errno
import hashlib
import json
import logging
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from hermes_core.ground.errors import ConfigError, Interrupted
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.files import write_atomically
from hermes_core.local.folders import make_private_folder

FILE_NAME = "auth.json"
LOCK_NAME = "auth.lock"
VERSION = 1
LOCK_SECONDS = 60.0
"""How long the lock is waited for: whoever holds it may be waiting for a login service."""

MAX_BYTES = 4_000_000

_MARK = "written_by"
_WRITER = "hermes-editor-agent"
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_LOG = logging.getLogger(__name__)

Data = dict[str, Any]


class AuthStore:
    """The file of one home. ``notices`` says what was found wrong with it and put right."""

    def __init__(self, home: Path) -> None:
        self.path = home / FILE_NAME
        self.notices: list[str] = []

    @property
    def original(self) -> Path:
        """The copy of the file as another program had left it before the first change."""
        return self.path.with_name(f"{FILE_NAME}.orig")

    def read(self) -> Data:
        """Return what the file holds, an empty object if there is none.

        Open permissions are closed. Damaged content counts as empty; a copy is kept beside it.
        Raises ``ConfigError`` for a link, a file of somebody else's, or one that cannot be read.
        """
        content = self._content()
        if content is None:
            return {}
        data = _parsed(content)
        if data is None:
            self._keep_aside(content)
            return {}
        return data

    @contextmanager
    def locked(self, interrupt: Interrupt | None = None) -> Iterator[None]:
        """Hold the lock that every writer takes.

        Raises ``Interrupted``, and ``ConfigError`` if the lock is not to be had.
        """
        from filelock import FileLock, Timeout

        place = self.path.with_name(LOCK_NAME)
        stop = interrupt.is_set if interrupt is not None else None
        lock = FileLock(place, mode=0o600, poll_interval=0.02)
        try:
            make_private_folder(self.path.parent)
            lock.acquire(timeout=LOCK_SECONDS, cancel_check=stop)
        except Timeout:
            if interrupt is not None and interrupt.is_set():
                raise Interrupted from None
            raise ConfigError(
                f"{place} is held by another program. End that program, then try again."
            ) from None
        except OSError as error:
            raise _unusable(place, "written", error) from None
        try:
            yield
        finally:
            lock.release()

    def write(self, data: Data) -> None:
        """Replace the file as a whole; to be called under the lock, with what was read there.

        Raises ``ConfigError``; the old file is intact then.
        """
        try:
            self._keep_original()
            whole = {"version": VERSION, **data, _MARK: _WRITER}
            text = json.dumps(whole, indent=2) + "\n"
            write_atomically(self.path, text.encode("ascii"), 0o600)
        except OSError as error:
            raise _unusable(self.path, "written", error) from None

    def _content(self) -> bytes | None:
        try:
            file = os.open(self.path, _OPEN)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise ConfigError(
                    f"{self.path} is a link, and keys are not read through one. Put the file "
                    "itself there, or take the link away."
                ) from None
            raise _unusable(self.path, "read", error) from None
        try:
            self._make_private(file)
            with open(file, "rb", closefd=False) as stream:
                content = stream.read(MAX_BYTES + 1)
        finally:
            os.close(file)
        if len(content) > MAX_BYTES:
            raise ConfigError(f"{self.path} is too long to be a list of keys. Move it away.")
        return content

    def _make_private(self, file: int) -> None:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise ConfigError(f"{self.path} is not a regular file. Move it away.")
        if status.st_uid != os.geteuid():
            raise ConfigError(
                f"{self.path} belongs to another user, and is not read. Move it away, or make it "
                "your own."
            )
        if not stat.S_IMODE(status.st_mode) & 0o077:
            return
        try:
            os.fchmod(file, 0o600)
        except OSError as error:
            raise _unusable(self.path, "closed to other users", error) from None
        self._say(f"{self.path} could be read by other users. Its permissions are 0600 now.")

    def _keep_aside(self, content: bytes) -> None:
        """Keep one copy of each damaged content: the next change overwrites the file."""
        name = hashlib.sha256(content).hexdigest()[:8]
        copy = self.path.with_name(f"{FILE_NAME}.corrupt-{name}")
        with suppress(OSError):
            if not copy.exists():
                write_atomically(copy, content, 0o600)
        self._say(
            f"{self.path} is damaged and counts as empty. A copy is kept as {copy.name}. Correct "
            "it, or log in again."
        )

    def _keep_original(self) -> None:
        content = self._content()
        data = None if content is None else _parsed(content)
        if content is None or data is None or _MARK in data or self.original.exists():
            return
        write_atomically(self.original, content, 0o600)

    def _say(self, notice: str) -> None:
        if notice not in self.notices:
            self.notices.append(notice)
            _LOG.warning("%s", notice)


def section(data: Data, name: str) -> Data:
    """Return an object inside ``data``, put there if it is missing or of another type."""
    found = data.get(name)
    if not isinstance(found, dict):
        found = data[name] = {}
    return found


def _parsed(content: bytes) -> Data | None:
    if not content.strip():
        return {}
    try:
        data = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _unusable(path: Path, verb: str, error: OSError) -> ConfigError:
    reason = (error.strerror or str(error)).lower()
    return ConfigError(f"{path} cannot be {verb}: {reason}. Check its permissions.")
