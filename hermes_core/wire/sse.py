"""Server-sent events to JSON objects, from raw bytes, tolerant of what servers really send.

Rules beyond the standard (https://html.spec.whatwg.org/multipage/server-sent-events.html):
an event is taken as soon as its data is a whole JSON value, so that neither a missing blank
line nor a missing end of the last line loses it; a bare JSON line counts as data; bytes that are
not UTF-8 become U+FFFD; a body that is one JSON document is one event.
"""

from collections.abc import Iterable, Iterator
from json import JSONDecoder
from typing import Any, Final

from hermes_core.ground.errors import MalformedResponse
from hermes_core.wire.depth import too_deep_at

END: Final[dict[str, Any]] = {"end": True}
"""Yielded, as this very object, once the server has said that nothing follows."""

MAX_EVENT: Final = 32 * 1024 * 1024
"""Bytes that one event, or all that is not an event, may have."""

_DECODER = JSONDecoder(strict=False)
_BOM = b"\xef\xbb\xbf"


def decode(chunks: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of the events in ``chunks``, and ``END`` where the server says so.

    Raises ``MalformedResponse`` for an event that is not JSON, and, with the whole body as its
    text, for a body that holds no event at all. A last event that was cut off is left out.
    """
    reader = _Reader()
    for line in _lines(chunks):
        if line[:5] == b"data:":
            event = reader.data(line[5:])
        elif line:
            event = reader.other(line)
        else:
            event = reader.blank()
        if event is not None:
            yield event
            if event is END:
                return
    yield from reader.finish()


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Split at CR, LF and CRLF; a line's pieces are joined once, however many there are."""
    pieces: list[bytes] = []
    size = 0
    first = True
    for chunk in _line_feeds(chunks):
        head, newline, rest = chunk.partition(b"\n")
        pieces.append(head)
        size += len(head)
        if size > MAX_EVENT:
            raise MalformedResponse(f"One event of the answer has more than {MAX_EVENT} bytes.")
        if not newline:
            continue
        line = b"".join(pieces)
        yield line.removeprefix(_BOM) if first else line
        first = False
        lines = rest.split(b"\n")
        last = lines.pop()
        yield from lines
        pieces = [last]
        size = len(last)
    line = b"".join(pieces)
    if line:
        yield line.removeprefix(_BOM) if first else line


def _line_feeds(chunks: Iterable[bytes]) -> Iterator[bytes]:
    after_return = False
    for chunk in chunks:
        if not after_return and b"\r" not in chunk:
            yield chunk
            continue
        if not chunk:
            continue
        text = chunk[1:] if after_return and chunk[:1] == b"\n" else chunk
        after_return = chunk[-1:] == b"\r"
        yield text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


class _Reader:
    """Turns the lines of one body into events."""

    def __init__(self) -> None:
        self._partial: list[bytes] = []
        self._stray: list[bytes] = []
        self._stray_size = 0
        self._error = False
        self._count = 0
        self._bare = 0

    def data(self, value: bytes) -> dict[str, Any] | None:
        """Take the value of a data line."""
        if self._partial:
            self._partial.append(value)
            return None
        event = self._parse(value)
        if event is None and value.strip():
            self._partial.append(value)
        return event

    def blank(self) -> dict[str, Any] | None:
        """End the event."""
        if not self._partial:
            self._error = False
            return None
        value = self._take_partial()
        event = self._parse(value)
        if event is None and value.lstrip()[:1] == b"{":
            raise MalformedResponse("An event of the answer is not JSON.")
        if event is None:
            self._keep_stray(value)
        return event

    def other(self, line: bytes) -> dict[str, Any] | None:
        """Take a line that is neither data nor blank."""
        if line[:1] == b":" or line.startswith((b"id:", b"retry:")):
            return None
        if line.startswith(b"event:"):
            self._error = line[6:].strip() == b"error"
            return None
        if line[:1] == b"{" and line.rstrip()[-1:] == b"}":
            event = self._parse(line)
            if event is not None:
                self._bare += 1
                return event
        self._keep_stray(line)
        return None

    def finish(self) -> Iterator[dict[str, Any]]:
        """End the body."""
        event = self._parse(self._take_partial())
        if event is not None:
            yield event
        if self._count:
            if self._count == self._bare == 1:
                yield END
            return
        body = b"\n".join(self._stray)
        document = self._parse(body)
        if document is None:
            raise MalformedResponse(body.decode("utf-8", "replace"))
        yield document
        yield END

    def _parse(self, value: bytes) -> dict[str, Any] | None:
        text = value.decode("utf-8", "replace").strip()
        if text == "[DONE]":
            self._count += 1
            return END
        try:
            event, end = _DECODER.raw_decode(text)
        except (ValueError, RecursionError):
            return None
        if end != len(text) or type(event) is not dict or too_deep_at(text) is not None:
            return None
        self._count += 1
        if self._error:
            self._error = False
            return event if "error" in event else {"error": event}
        return event

    def _take_partial(self) -> bytes:
        value = b"\n".join(self._partial)
        self._partial.clear()
        return value

    def _keep_stray(self, line: bytes) -> None:
        self._stray_size += len(line)
        if self._stray_size > MAX_EVENT:
            raise MalformedResponse("The answer is no event stream, and it does not end.")
        self._stray.append(line)
