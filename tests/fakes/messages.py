"""A reply's steps as the events of Messages, plain or in Amazon's frames."""

import base64
import binascii
import json
import struct
from collections.abc import Iterator
from typing import Any

from tests.fakes.replies import (
    Call,
    Chunk,
    Cut,
    Finish,
    Raw,
    Reasoning,
    Reply,
    Text,
    Usage,
    Wait,
    pieces_of,
)

_STOPS = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}


def play(reply: Reply, model: str) -> Iterator[bytes | Wait | Cut]:
    """Yield the body of ``reply`` in pieces, with its holds and cuts."""
    for part in _events(reply, model):
        if isinstance(part, dict):
            yield f"event: {part.get('type')}\ndata: {json.dumps(part)}\n\n".encode()
        else:
            yield part


def play_framed(reply: Reply, model: str) -> Iterator[bytes | Wait | Cut]:
    """Yield the same in the frames of an event stream."""
    for part in _events(reply, model):
        yield frame_of(part) if isinstance(part, dict) else part


def frame_of(event: dict[str, Any]) -> bytes:
    """Return the chunk frame that holds ``event``."""
    data = base64.b64encode(json.dumps(event).encode()).decode()
    headers = {":event-type": "chunk", ":message-type": "event"}
    return frame(headers, {"bytes": data, "p": "abc"})


def frame(headers: dict[str, str], payload: Any) -> bytes:
    """Return one message of an event stream."""
    block = b""
    for name, value in headers.items():
        block += bytes([len(name)]) + name.encode() + b"\x07"
        block += struct.pack(">H", len(value)) + value.encode()
    body = json.dumps(payload).encode()
    prelude = struct.pack(">II", 16 + len(block) + len(body), len(block))
    message = prelude + struct.pack(">I", binascii.crc32(prelude)) + block + body
    return message + struct.pack(">I", binascii.crc32(message))


def _events(reply: Reply, model: str) -> Iterator[dict[str, Any] | bytes | Wait | Cut]:
    usage = next((step for step in reply.steps if isinstance(step, Usage)), Usage())
    answer = _Answer(usage)
    if not reply.bare:
        yield answer.start(model)
    for step in reply.steps:
        if isinstance(step, (Wait, Cut)):
            yield step
            if isinstance(step, Cut):
                return
        elif isinstance(step, Raw):
            yield step.data
        else:
            yield from answer.take(step)
    if not reply.bare:
        yield from answer.end()


class _Answer:
    """How many blocks there are; the last one may still be open."""

    def __init__(self, usage: Usage) -> None:
        self._usage = usage
        self._index = -1
        self._open = ""
        self._stop: str | None = None

    def start(self, model: str) -> dict[str, Any]:
        usage = {
            "input_tokens": self._usage.prompt - self._usage.cached,
            "cache_read_input_tokens": self._usage.cached,
            "cache_creation_input_tokens": 0,
            "output_tokens": 1,
        }
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": model}
        empty = {"content": [], "stop_reason": None, "stop_sequence": None}
        return {"type": "message_start", "message": {**message, **empty, "usage": usage}}

    def take(
        self, step: Text | Reasoning | Call | Usage | Finish | Chunk
    ) -> Iterator[dict[str, Any]]:
        match step:
            case Text(text):
                yield from self._block("text", {"text": ""})
                yield self._delta("text_delta", text=text)
            case Reasoning(text):
                yield from self._block("thinking", {"thinking": "", "signature": ""})
                yield self._delta("thinking_delta", thinking=text)
            case Call():
                yield from self._call(step)
            case Finish(reason):
                self._stop = _STOPS.get(reason or "stop", reason)
            case Chunk(data):
                yield dict(data)

    def end(self) -> Iterator[dict[str, Any]]:
        yield from self._close()
        delta = {"stop_reason": self._stop or "end_turn", "stop_sequence": None}
        usage = {"output_tokens": self._usage.completion}
        yield {"type": "message_delta", "delta": delta, "usage": usage}
        yield {"type": "message_stop"}

    def _call(self, step: Call) -> Iterator[dict[str, Any]]:
        self._stop = self._stop or "tool_use"
        yield from self._close()
        call_id = f"toolu_{self._index + 1}_{step.name}" if step.id is None else step.id
        yield from self._block("tool_use", {"id": call_id, "name": step.name, "input": {}})
        for piece in pieces_of(step):
            yield self._delta("input_json_delta", partial_json=piece)
        yield from self._close()

    def _block(self, kind: str, start: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if self._open == kind:
            return
        yield from self._close()
        self._index += 1
        self._open = kind
        block = {"type": kind, **start}
        yield {"type": "content_block_start", "index": self._index, "content_block": block}

    def _close(self) -> Iterator[dict[str, Any]]:
        if self._open == "thinking":
            yield self._delta("signature_delta", signature=f"signed-{self._index}")
        if self._open:
            yield {"type": "content_block_stop", "index": self._index}
        self._open = ""

    def _delta(self, kind: str, **data: Any) -> dict[str, Any]:
        delta = {"type": kind, **data}
        return {"type": "content_block_delta", "index": self._index, "delta": delta}
