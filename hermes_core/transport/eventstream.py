"""Amazon's binary event stream to the JSON objects that it wraps.

Layout of a message, numbers big-endian: total length (4 bytes), length of the headers (4), CRC-32
of these 8 bytes (4), headers, payload, CRC-32 of all before it (4). A header is the length of its
name (1), the name, its type (1), its value; texts have a length (2) before them. The payload of a
``chunk`` event is ``{"bytes": base64 of the object}``.
(https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html)
"""

import binascii
import json
import struct
from collections.abc import Iterable, Iterator
from typing import Any, Final

from hermes_core.ground.errors import MalformedResponse
from hermes_core.wire.depth import too_deep_at
from hermes_core.wire.sse import MAX_EVENT

_PRELUDE: Final = 12
_SIZES: Final = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
"""Bytes of a header's value by its type, where these are fixed."""


def decode(chunks: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of the events in ``chunks``.

    An exception frame is told as ``{"type": "error", "error": {"type", "message"}}``. A last
    message that was cut off is left out. Raises ``MalformedResponse`` for what is no such stream.
    """
    for message in _messages(chunks):
        event = _event(message)
        if event is not None:
            yield event


def _messages(chunks: Iterable[bytes]) -> Iterator[bytes]:
    buffer = bytearray()
    for chunk in chunks:
        buffer += chunk
        while len(buffer) >= _PRELUDE:
            total, _, check = struct.unpack_from(">III", buffer)
            if binascii.crc32(buffer[:8]) != check or not _PRELUDE + 4 <= total <= MAX_EVENT:
                raise MalformedResponse(buffer.decode("utf-8", "replace"))
            if len(buffer) < total:
                break
            yield bytes(buffer[:total])
            del buffer[:total]


def _event(message: bytes) -> dict[str, Any] | None:
    (check,) = struct.unpack_from(">I", message, len(message) - 4)
    if binascii.crc32(message[:-4]) != check:
        raise MalformedResponse("An event of the answer is damaged.")
    end = _PRELUDE + int.from_bytes(message[4:8], "big")
    try:
        headers = _headers(message[_PRELUDE:end])
        payload = json.loads(message[end:-4] or b"{}")
        if headers.get(":message-type", "event") != "event":
            return _failure(headers, payload)
        data = payload.get("bytes")
        text = binascii.a2b_base64(data).decode() if data else "null"
        if too_deep_at(text) is not None:
            raise ValueError(text)
        event = json.loads(text)
    except (ValueError, AttributeError, TypeError, LookupError, struct.error, RecursionError):
        raise MalformedResponse("An event of the answer cannot be read.") from None
    return event if isinstance(event, dict) else None


def _headers(block: bytes) -> dict[str, str]:
    """Return the headers that are texts."""
    found: dict[str, str] = {}
    at = 0
    while at < len(block):
        length = block[at]
        name = block[at + 1 : at + 1 + length].decode()
        kind = block[at + 1 + length]
        at += 2 + length
        if kind in _SIZES:
            at += _SIZES[kind]
            continue
        if kind not in (6, 7):
            raise ValueError(kind)
        (size,) = struct.unpack_from(">H", block, at)
        if kind == 7:
            found[name] = block[at + 2 : at + 2 + size].decode()
        at += 2 + size
    return found


def _failure(headers: dict[str, str], payload: dict[str, Any]) -> dict[str, Any]:
    kind = headers.get(":exception-type") or headers.get(":error-code") or "error"
    said = payload.get("message") or payload.get("Message") or headers.get(":error-message") or ""
    return {"type": "error", "error": {"type": kind, "message": said}}
