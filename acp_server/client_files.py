"""Files through the editor, where it has them: unsaved buffers are read, open files written.

What the editor is asked for: text files inside the session's folders, if it announced the method
and while it answers. All else is read and written on the disk: other paths, binary files, large
ones, and whatever the editor does not know.

Which of two texts holds. An editor's buffer may be newer than the disk (unsaved changes) or
older (our command changed the file, and the editor has not looked again). The buffer holds,
unless it is as we last saw it, or was never seen, and the file on the disk was changed by us:
by a write of ours, or within the time in which one of our commands ran. A verdict stays until
one of the two texts changes.

Line endings. Many editors keep ``\\n`` inside and restore the file's own line ending (and its byte
order mark) when they save. Bytes are therefore mapped back: a buffer that differs from the disk
in nothing else is the disk's bytes; in one that differs, ``\\n`` becomes ``\\r\\n`` if the file
on the disk has more of those. A buffer that was served that way is written the same way, without
``\\r`` or mark; an editor that serves bytes as they are gets them as they are.

An editor that fails. A read that it does not answer is served from the disk, but nothing made
from such a text is written through the editor before it has told its own: it could hold changes
that nobody saved. Only "no such file" and "no such method" mean that it has no text to lose.
"""

import concurrent.futures
import hashlib
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acp_server.rpc.errors import (
    METHOD_NOT_FOUND,
    RESOURCE_NOT_FOUND,
    RequestTimeout,
    RpcError,
)
from acp_server.session import Ask
from hermes_core.ground.errors import Interrupted, ToolError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.ports import Files, Written

TIME_LIMIT = 10.0
"""Seconds that the editor has for one file."""

SIZE_LIMIT = 2_000_000
"""Bytes; larger files are left to the disk."""

_SLACK_NS = 20_000_000  # a file's time stamp comes from a coarse clock that lags behind
_MARK = "\ufeff"
_PATIENCE = 2  # questions without an answer after which an editor is left alone


@dataclass(frozen=True, slots=True)
class _Seen:
    """The editor's text and the disk's when both were last read, and which of them held."""

    buffer: bytes
    disk: bytes
    buffer_holds: bool


@dataclass(frozen=True, slots=True)
class _Style:
    """What the editor takes out of a file's text and puts back when it saves."""

    hides_returns: bool = False
    hides_mark: bool = False

    def to_editor(self, text: str) -> str:
        """Return ``text`` as the editor holds it."""
        if self.hides_mark:
            text = text.removeprefix(_MARK)
        return text.replace("\r\n", "\n") if self.hides_returns else text


class _Untold(Exception):
    """The editor may hold a text of the file and did not tell it; says why."""


class ClientFiles:
    """``ports.Files`` through ``fs/read_text_file`` and ``fs/write_text_file``.

    reads, writes: which of the two the client announced.
    roots: the session's folders as the client spells them (it may know them by a link).
    interrupt: returns the running turn's latch; a request that it cuts short raises
    ``Interrupted``.
    """

    def __init__(
        self,
        ask: Ask,
        session_id: str,
        *,
        reads: bool,
        writes: bool,
        roots: Sequence[Path],
        local: Files,
        interrupt: Callable[[], Interrupt],
    ) -> None:
        self._ask = ask
        self._session_id = session_id
        self._reads = reads
        self._writes = writes
        self._roots = [(root.resolve(), root) for root in roots]
        self._local = local
        self._interrupt = interrupt
        self._lock = threading.Lock()
        self._timeouts = 0
        self._seen: dict[Path, _Seen] = {}
        self._styles: dict[Path, _Style] = {}
        self._blind: set[Path] = set()
        self._wrote: dict[Path, bytes] = {}
        self._commands: list[tuple[int, int]] = []

    def read(self, path: Path) -> bytes:
        """Return the editor's text of the file if that holds, else the disk's content."""
        if not self._reads or self._name(path) is None:
            return self._local.read(path)
        disk = self._on_disk(path)
        if disk is None and path.exists():
            return self._local.read(path)
        try:
            text = self._buffer(path)
        except _Untold:
            self._blind.add(path)
            text = None
        else:
            self._blind.discard(path)
        if text is None:
            return self._local.read(path) if disk is None else disk
        return self._choose(path, text, disk)

    def write(self, path: Path, data: bytes) -> Written:
        """Replace the file's content through the editor, or on the disk if it cannot.

        Reads the file again afterwards: editors format, add newlines, change line endings. Raises
        ``ToolError`` if the editor refuses it, or might lose a text that was never read.
        """
        name = self._name(path)
        text = _text(data)
        if text is None or name is None or not self._writes:
            return self._to_disk(path, data)
        existed = path.exists()
        before = self._on_disk(path)
        if existed and before is None:
            return self._to_disk(path, data)
        if path in self._blind:
            self._require_nothing_unsaved(path, name, before)
        if not existed:
            with suppress(OSError):
                path.parent.mkdir(parents=True, exist_ok=True)
        content = self._styles.get(path, _Style()).to_editor(text)
        try:
            self._request("fs/write_text_file", {"path": name, "content": content})
        except RpcError as error:
            self._writes = self._writes and error.code != METHOD_NOT_FOUND
            if error.code not in (METHOD_NOT_FOUND, RESOURCE_NOT_FOUND):
                raise ToolError(_refusal(name, error, existed=existed)) from error
            return self._to_disk(path, data)
        return self._written(path, data, before)

    def commands_ran(self, started_ns: int) -> None:
        """Note that files changed since ``started_ns`` (epoch, ns) may have been changed by us."""
        with self._lock:
            self._commands = [*self._commands[-199:], (started_ns - _SLACK_NS, time.time_ns())]

    def _choose(self, path: Path, text: str, disk: bytes | None) -> bytes:
        if disk is None:
            return text.encode("utf-8")
        with self._lock:
            self._styles[path] = _style(text, disk)
            held = _as_file(text, disk)
            digests = (_digest(text.encode("utf-8")), _digest(disk))
            holds = held == disk or self._buffer_holds(path, *digests)
            self._seen[path] = _Seen(*digests, holds)
        return held if holds else disk

    def _buffer_holds(self, path: Path, buffer: bytes, disk: bytes) -> bool:
        seen = self._seen.get(path)
        if seen is not None and seen.buffer != buffer:
            return True
        if seen is not None and seen.disk == disk:
            return seen.buffer_holds
        return not self._changed_by_us(path, disk)

    def _changed_by_us(self, path: Path, disk: bytes) -> bool:
        if self._wrote.get(path) == disk:
            return True
        try:
            changed = path.stat().st_ctime_ns
        except OSError:
            return False
        return any(start <= changed <= end for start, end in self._commands)

    def _require_nothing_unsaved(self, path: Path, name: str, disk: bytes | None) -> None:
        """Raise ``ToolError`` unless the editor has no other text than ``disk``.

        For a file that was last read from the disk because the editor did not answer.
        """
        try:
            text = self._buffer(path, even_if_silent=True)
        except _Untold as why:
            raise ToolError(
                f"The editor does not tell its text of {name} ({why}), so nothing was written: "
                "it may hold unsaved changes. Try again, or have the user save the file."
            ) from why
        if text and (disk is None or self._choose(path, text, disk) != disk):
            raise ToolError(
                f"The editor holds unsaved changes of {name} that have not been read, so nothing "
                "was written. Read the file again, then make the edit."
            )
        self._blind.discard(path)

    def _written(self, path: Path, data: bytes, before: bytes | None) -> Written:
        """Return what the file is after ``data`` was written to it through the editor.

        While the disk is as it was, the editor has not saved yet, and its buffer is compared.
        """
        disk = self._on_disk(path)
        with self._lock:
            self._seen.pop(path, None)
            self._wrote.pop(path, None)
        if disk == data:
            return Written("client")
        saved = disk is not None and disk != before
        try:
            text = self._buffer(path)
        except _Untold:
            text = None
        if text is None:
            return Written("client", differs=True, found=disk if saved else None)
        is_ours = _as_file(text, data) == data
        with self._lock:
            digests = (_digest(text.encode("utf-8")), _digest(disk or b""))
            self._seen[path] = _Seen(*digests, buffer_holds=not (is_ours and saved))
        if is_ours and not saved:
            return Written("client")
        found = disk if is_ours else _as_file(text, disk or data)
        return Written("client", differs=True, found=found)

    def _to_disk(self, path: Path, data: bytes) -> Written:
        written = self._local.write(path, data)
        with self._lock:
            self._wrote[path] = _digest(data)
        return written

    def _on_disk(self, path: Path) -> bytes | None:
        """Return the content of a small text file, None for anything else."""
        try:
            if not path.is_file() or path.stat().st_size > SIZE_LIMIT:
                return None
            data = self._local.read(path)
        except (OSError, ToolError):
            return None
        return data if _text(data) is not None else None

    def _buffer(self, path: Path, *, even_if_silent: bool = False) -> str | None:
        """Return the editor's text, None if it has none; raise ``_Untold`` if it does not say.

        An editor that has twice in a row not answered is asked only if ``even_if_silent``.
        """
        name = self._name(path)
        if name is None or not self._reads:
            return None
        if self._timeouts >= _PATIENCE and not even_if_silent:
            raise _Untold("it does not answer")
        try:
            result = self._request("fs/read_text_file", {"path": name})
        except RpcError as error:
            self._timeouts = self._timeouts + 1 if isinstance(error, RequestTimeout) else 0
            self._reads = error.code != METHOD_NOT_FOUND
            if error.code in (METHOD_NOT_FOUND, RESOURCE_NOT_FOUND):
                return None
            raise _Untold(_reason(error)) from error
        self._timeouts = 0
        content = result.get("content") if isinstance(result, dict) else None
        if not isinstance(content, str) or not _encodable(content):
            raise _Untold("its answer holds no text")
        return content

    def _request(self, method: str, params: dict[str, Any]) -> Any:
        interrupt = self._interrupt()
        interrupt.raise_if_set()
        future = self._ask(method, {"sessionId": self._session_id, **params}, timeout=TIME_LIMIT)
        forget = interrupt.listen(lambda: _cancel(future))
        try:
            return future.result()
        except concurrent.futures.CancelledError as error:
            raise Interrupted from error
        finally:
            forget()

    def _name(self, path: Path) -> str | None:
        """Return the path as the client spells it, None outside of the session's folders."""
        for real, given in self._roots:
            if path.is_relative_to(real):
                return str(given / path.relative_to(real))
        return None


def _cancel(future: "concurrent.futures.Future[Any]") -> None:
    future.cancel()


def _refusal(name: str, error: RpcError, *, existed: bool) -> str:
    if existed:
        next_step = "Read the file again before another try."
    else:
        next_step = "Nothing was put on the disk. Try again, or choose another path."
    return f"The editor did not write {name}: {_reason(error)}. {next_step}"


def _reason(error: RpcError) -> str:
    return error.message.strip().rstrip(".")


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _text(data: bytes) -> str | None:
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _plain(data: bytes) -> bytes:
    return data.removeprefix(_MARK.encode()).replace(b"\r\n", b"\n")


def _style(text: str, disk: bytes) -> _Style:
    return _Style(
        hides_returns=b"\r\n" in disk and "\r\n" not in text,
        hides_mark=disk.startswith(_MARK.encode()) and not text.startswith(_MARK),
    )


def _as_file(text: str, like: bytes) -> bytes:
    """Return the bytes that saving ``text`` to a file with the content ``like`` gives."""
    data = text.encode("utf-8")
    style = _style(text, like)
    if (style.hides_returns or style.hides_mark) and _plain(data) == _plain(like):
        return like
    if style.hides_returns and like.count(b"\r\n") * 2 > like.count(b"\n"):
        data = data.replace(b"\n", b"\r\n")
    return _MARK.encode() + data if style.hides_mark else data
