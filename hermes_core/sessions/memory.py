"""What is remembered beyond a session: ``MEMORY.md`` and ``USER.md`` under ``memories``.

Both are plain text for people to edit: entries, set apart by a line with ``§`` alone. The files
may be shared with another program, so every change reads them anew under the lock that all writers
take. What a person wrote is never lost: a file whose text would not come out again as it went in is
copied aside and not written.
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hermes_core.ground.content import Diff
from hermes_core.ground.errors import ToolError
from hermes_core.ground.injection import kinds_of, scan, visible
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.config import Config
from hermes_core.local.files import write_atomically
from hermes_core.local.folders import make_private_folder

FOLDER = "memories"
SEPARATOR = "\n§\n"
MAX_BYTES = 64_000
LOCK_SECONDS = 10.0

Target = Literal["memory", "user"]
"""``memory`` is about the work, ``user`` about the person."""

FILES: dict[Target, tuple[str, int]] = {"memory": ("MEMORY.md", 2_200), "user": ("USER.md", 1_375)}
"""Each target's file, and the characters that it may have, separators counted."""

_SEPARATOR = re.compile(r"\n[ \t]*§[ \t]*(?=\n)")
_TRIMMED = re.compile(r"[ \t\n]*\n[ \t]*§[ \t]*\n[ \t\n]*")
_BLANKS = " \t\n"
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def targets_of(config: Config) -> tuple[Target, ...]:
    """Return the targets that the user has not switched off."""
    return (
        *(("memory",) if config.memory_enabled else ()),
        *(("user",) if config.user_profile_enabled else ()),
    )


@dataclass(frozen=True, slots=True)
class Change:
    """One change: ``old`` is a part of the entry to replace or remove, found in no other."""

    action: Literal["add", "replace", "remove"]
    text: str = ""
    old: str = ""


class MemoryFull(ToolError):
    """The changes would make a file larger than it may be; the text lists what it holds."""


class MemoryFile:
    """One of the files of ``home``, the folder of our settings.

    Every method raises ``ToolError`` for a file that cannot be used: a link, no text, too large.
    """

    def __init__(self, home: Path, target: Target) -> None:
        self.name, self.limit = FILES[target]
        self.target: Target = target
        self.path = home / FOLDER / self.name

    def text(self) -> str | None:
        """Return the file's text as it is; None if there is no file."""
        data = self._data()
        if data is None:
            return None
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            raise ToolError(
                f"{self.path} is not UTF-8 text. Correct it, or move it away."
            ) from None

    def entries(self) -> tuple[str, ...]:
        """Return what the file holds."""
        return parse(self.text() or "")

    def usage(self, entries: Sequence[str]) -> str:
        """Return how full the file is with ``entries``."""
        size = len(render(entries))
        return f"{size * 100 // self.limit} %, {size:,} of {self.limit:,} characters"

    def preview(self, changes: Sequence[Change]) -> Diff:
        """Return the file before and after ``changes``; nothing is written.

        Raises ``ToolError`` where they cannot be made, ``MemoryFull`` where there is no room.
        """
        return self._planned(self.text(), changes)

    def change(
        self,
        changes: Sequence[Change],
        shown: Diff | None = None,
        interrupt: Interrupt | None = None,
    ) -> Diff:
        """Make all of ``changes`` or none, and return the file before and after.

        shown: what was approved; if anything else would come of it now, nothing is written.
        Raises as ``preview`` does, and ``Interrupted``.
        """
        with self.locked(interrupt):
            diff = self._planned(self.text(), changes)
            if shown is not None and shown != diff:
                raise ToolError(
                    f"{self.name} changed after this was prepared, so nothing was written. "
                    f"It holds now:\n{listed(self.entries())}"
                )
            if diff.new != (diff.old or ""):
                self._write(diff.new)
            return diff

    @contextmanager
    def locked(self, interrupt: Interrupt | None = None) -> Iterator[None]:
        """Hold the lock that every writer of the file takes; raises ``Interrupted``."""
        from filelock import FileLock, Timeout

        stop = interrupt.is_set if interrupt is not None else None
        lock = FileLock(f"{self.path}.lock", mode=0o600, poll_interval=0.02)
        try:
            make_private_folder(self.path.parent)
            lock.acquire(timeout=LOCK_SECONDS, cancel_check=stop)
        except Timeout:
            if interrupt is not None:
                interrupt.raise_if_set()
            raise ToolError(
                f"{self.path} is being written by another program. Try again later."
            ) from None
        except OSError as error:
            raise self._unusable("written", error) from None
        try:
            yield
        finally:
            lock.release()

    def _planned(self, text: str | None, changes: Sequence[Change]) -> Diff:
        before = parse(text or "")
        self._require_round_trip(text or "", before)
        after = self._changed(before, changes) if changes else before
        new, old = render(after), render(before)
        if len(new) > self.limit and len(new) >= len(old):
            raise MemoryFull(
                f"Not written: {self.name} would have {len(new):,} of {self.limit:,} characters. "
                "Merge, shorten or remove entries together with what is new, in one call. "
                f"It holds now ({self.usage(before)}):\n{listed(before)}"
            )
        return Diff(str(self.path), text, new if new != old else text or "")

    def _changed(self, before: Sequence[str], changes: Sequence[Change]) -> tuple[str, ...]:
        entries = list(before)
        for change in changes:
            if change.action == "add":
                text = checked_entry(change.text)
                if text not in entries:
                    entries.append(text)
                continue
            place = self._place(entries, change.old)
            if change.action == "remove":
                del entries[place]
            else:
                entries[place] = checked_entry(change.text)
        return tuple(dict.fromkeys(entries))

    def _place(self, entries: Sequence[str], old: str) -> int:
        old = old.strip()
        if not old:
            raise ToolError("old_text is missing: a part of the entry that is meant.")
        places = [place for place, entry in enumerate(entries) if old in entry]
        exact = [place for place in places if entries[place] == old]
        places = exact[:1] or places
        if len(places) != 1:
            found = "is in several entries" if places else "is in no entry"
            raise ToolError(f"{old[:80]!r} {found} of {self.name}. It holds:\n{listed(entries)}")
        return places[0]

    def _require_round_trip(self, text: str, entries: Sequence[str]) -> None:
        if render(entries) == _TRIMMED.sub(SEPARATOR, _plain(text)).strip(_BLANKS):
            return
        data = text.encode()
        copy = self.path.with_name(f"{self.name}.{hashlib.sha256(data).hexdigest()[:8]}.bak")
        with suppress(OSError):
            if not copy.exists():
                write_atomically(copy, data, 0o600)
        raise ToolError(
            f"{self.path} was edited by hand in a way that a change would not keep, so nothing was "
            f"written; a copy is {copy.name}. Entries are parted by one line with § alone, none is "
            "blank: the user has to correct that."
        )

    def _write(self, text: str) -> None:
        try:
            write_atomically(self.path, text.encode(), 0o600)
        except OSError as error:
            raise self._unusable("written", error) from None

    def _data(self) -> bytes | None:
        try:
            file = os.open(self.path, _OPEN)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unusable("read", error) from None
        if not stat.S_ISREG(os.fstat(file).st_mode):
            os.close(file)
            raise ToolError(f"{self.path} is not a regular file. Move it away.")
        with open(file, "rb") as stream:
            data = stream.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ToolError(f"{self.path} is too long to be a list of notes. Shorten it.")
        return data

    def _unusable(self, verb: str, error: OSError) -> ToolError:
        reason = (error.strerror or str(error)).lower()
        if self.path.is_symlink():
            reason = "it is a link, and notes are not kept behind one"
        return ToolError(f"{self.path} cannot be {verb}: {reason}.")


def parse(text: str) -> tuple[str, ...]:
    """Return the entries of a file's text: blank ones dropped, blanks around them too."""
    parts = (part.strip(_BLANKS) for part in _SEPARATOR.split(f"\n{_plain(text)}\n"))
    return tuple(part for part in parts if part)


def render(entries: Sequence[str]) -> str:
    """Return the text of a file that holds ``entries``."""
    return SEPARATOR.join(entries)


def listed(entries: Sequence[str]) -> str:
    """Return ``entries`` with their numbers, for the model and for people."""
    return "\n".join(f"{n}. {entry}" for n, entry in enumerate(entries, 1)) or "(nothing)"


def checked_entry(text: str) -> str:
    """Return ``text`` as an entry is kept.

    Raises ``ToolError`` for one that is blank, would fall apart, or fails the scan.
    """
    entry = _plain(text).strip(_BLANKS)
    if not entry.strip():
        raise ToolError("An entry needs a text.")
    if parse(entry) != (entry,):
        raise ToolError("An entry cannot hold a line with § alone, which parts entries.")
    if hits := scan(entry, strict=True):
        raise ToolError(
            f"Not remembered: the text holds {kinds_of(hits)}. Memory is read into every later "
            "session, so it takes facts in plain words only."
        )
    if visible(entry) != entry:
        raise ToolError("Not remembered: the text holds control characters. Leave them out.")
    return entry


def remember(home: Path, facts: Sequence[str], target: Target = "memory") -> Diff | None:
    """Write durable facts beside what is there; return the diff, None if nothing was written.

    Facts that are known, that fail the scan or that do not fit are left out; nothing is removed for
    them. Raises ``ToolError`` if the file cannot be used.
    """
    file = MemoryFile(home, target)
    file.preview(())
    changes: list[Change] = []
    for fact in facts:
        with suppress(ToolError):
            wanted = [*changes, Change("add", " ".join(checked_entry(fact).split()))]
            file.preview(wanted)
            changes = wanted
    if not changes:
        return None
    diff = file.change(changes)
    return diff if diff.new != (diff.old or "") else None


def _plain(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
