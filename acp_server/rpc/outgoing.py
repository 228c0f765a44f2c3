"""What waits to be written: whole lines, and pieces of text that may still grow together."""

import json.encoder
import uuid
from collections.abc import Mapping
from typing import Any, Protocol

from acp_server.rpc.messages import encode, to_bytes

MERGED_CAP = 64 << 10
"""Characters of text that one message may grow to."""

_FRAMES_KEPT = 64
_COST = 200
_escape = json.encoder.encode_basestring


class Outgoing(Protocol):
    """A message in the writer's queue. ``size`` is what it costs there, in bytes or about."""

    due: float
    """Until when it may wait for more to merge with; the writer's to set."""

    @property
    def key(self) -> str | None:
        """What it merges with; None for a message that never merges."""
        ...

    @property
    def size(self) -> int: ...

    def merge(self, other: "Outgoing", /) -> bool:
        """Take in the message that follows, if that is possible."""
        ...

    def encode(self) -> bytes: ...


class Line:
    """A message that is written as it is."""

    __slots__ = ("_data", "due", "size")

    key = None

    def __init__(self, data: bytes) -> None:
        self.due = 0.0
        self._data = data
        self.size = len(data) + _COST

    def merge(self, _: Outgoing, /) -> bool:
        """Merge nothing."""
        return False

    def encode(self) -> bytes:
        return self._data


class TextChunk:
    """A notification that differs from others of the same ``key`` in one piece of text only."""

    __slots__ = ("_frame", "_parts", "due", "key", "size")

    def __init__(self, key: str, frame: tuple[bytes, bytes], text: str) -> None:
        self.due = 0.0
        self.key = key
        self.size = len(text) + _COST
        self._frame = frame
        self._parts = [text]

    def merge(self, other: Outgoing, /) -> bool:
        """Append the text of a chunk of the same key, up to a limit."""
        if other.key != self.key or not isinstance(other, TextChunk):
            return False
        size = other.size - _COST
        if self.size + size > MERGED_CAP:
            return False
        self._parts += other._parts
        self.size += size
        return True

    def encode(self) -> bytes:
        before, after = self._frame
        return before + to_bytes(_escape("".join(self._parts))) + after


class TextFrames:
    """Makes text chunks; all but the text is encoded once for each key."""

    def __init__(self) -> None:
        self._frames: dict[str, tuple[bytes, bytes]] = {}

    def chunk(self, key: str, method: str, params: Mapping[str, Any]) -> TextChunk | None:
        """Return a chunk of ``params["update"]["content"]["text"]``; None if there is no such text.

        Params with the same ``key`` must be equal but for that text.
        """
        text = _text_in(params)
        if text is None:
            return None
        frame = self._frames.get(key)
        if frame is None:
            if len(self._frames) >= _FRAMES_KEPT:
                self._frames.clear()
            frame = self._frames[key] = _frame_of(method, params)
        return TextChunk(key, frame, text)


def _text_in(params: Mapping[str, Any]) -> str | None:
    try:
        text = params["update"]["content"]["text"]
    except (KeyError, TypeError):
        return None
    return text if isinstance(text, str) else None


def _frame_of(method: str, params: Mapping[str, Any]) -> tuple[bytes, bytes]:
    token = uuid.uuid4().hex
    update = params["update"]
    content = {**update["content"], "text": token}
    framed = {**params, "update": {**update, "content": content}}
    line = encode({"jsonrpc": "2.0", "method": method, "params": framed})
    before, _, after = line.partition(f'"{token}"'.encode())
    return before, after
