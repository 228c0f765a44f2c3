"""What the fake provider answers: steps of a stream, or a plain body.

A reply is a list of steps, played in order: as chat completions here, in the other formats by the
modules beside. Nothing in here waits by time: ``Wait`` waits for an event that the test sets.
"""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Text:
    """A chunk with text of the answer."""

    text: str


@dataclass(frozen=True)
class Reasoning:
    """A chunk with reasoning."""

    text: str
    key: str = "reasoning_content"


@dataclass(frozen=True)
class Call:
    """A whole tool call in two chunks: the name, then the arguments (``pieces`` of them).

    ``arguments`` that are a string are sent as they are, valid JSON or not.
    """

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str | None = None
    index: int | None = None
    pieces: int = 1


@dataclass(frozen=True)
class Usage:
    """A chunk with token counts and no choice."""

    prompt: Any = 100
    completion: Any = 20
    cached: int = 0
    reasoning: int = 0


@dataclass(frozen=True)
class Finish:
    """A chunk with a finish reason. A reply without one gets ``stop`` or ``tool_calls``."""

    reason: str | None = "stop"


@dataclass(frozen=True)
class Chunk:
    """A chunk as given."""

    data: Mapping[str, Any]


@dataclass(frozen=True)
class Raw:
    """Bytes of the body as given."""

    data: bytes


@dataclass(frozen=True)
class Wait:
    """Hold the stream until ``event`` is set, the client is gone or the provider closes."""

    event: threading.Event


@dataclass(frozen=True)
class Cut:
    """Break the connection here; nothing follows."""


Step = Text | Reasoning | Call | Usage | Finish | Chunk | Raw | Wait | Cut


@dataclass(frozen=True)
class Reply:
    """One answer.

    steps: what is streamed, after which come, unless ``bare``, the finish reason and usage that
        the steps leave out, and ``[DONE]``.
    body: sent instead of the steps: text, bytes or JSON-ready data.
    before: held before the status line is sent.
    wire: bytes written to the socket instead of any HTTP; the connection is closed then.
    """

    steps: Sequence[Step] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | str | Mapping[str, Any] | None = None
    before: threading.Event | None = None
    bare: bool = False
    wire: bytes | None = None

    @property
    def content(self) -> bytes:
        """The plain body."""
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


def say(*texts: str, **more: Any) -> Reply:
    """Return a reply that streams ``texts``, a chunk each."""
    return Reply([Text(text) for text in texts], **more)


def call(name: str, arguments: Mapping[str, Any] | str = "{}", **more: Any) -> Reply:
    """Return a reply that asks for one tool call."""
    return Reply([Call(name, arguments, **more)])


def calls(*steps: Call) -> Reply:
    """Return a reply that asks for several tool calls."""
    return Reply(steps)


def fail(status: int, message: str = "it broke", **headers: str) -> Reply:
    """Return an error in the usual JSON form; header names are given with underscores."""
    return Reply(
        status=status,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
        body={"error": {"message": message, "type": "error", "code": None}},
    )


def play(reply: Reply, model: str) -> Iterator[bytes | Wait | Cut]:
    """Yield the body of ``reply`` in pieces, with its holds and cuts."""
    finished = counted = called = False
    numbered = 0
    for step in reply.steps:
        if isinstance(step, (Wait, Cut)):
            yield step
            if isinstance(step, Cut):
                return
        elif isinstance(step, Raw):
            yield step.data
        elif isinstance(step, Call):
            called = True
            for data in _call(step, numbered if step.index is None else step.index):
                yield _event(data, model)
            numbered += 1
        else:
            finished = finished or isinstance(step, Finish)
            counted = counted or isinstance(step, Usage)
            yield _event(_data(step), model)
    if reply.bare:
        return
    if not finished:
        yield _event(_data(Finish("tool_calls" if called else "stop")), model)
    if not counted:
        yield _event(_data(Usage()), model)
    yield b"data: [DONE]\n\n"


def _event(data: Mapping[str, Any], model: str) -> bytes:
    whole = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": model, **data}
    return b"data: " + json.dumps(whole).encode() + b"\n\n"


def _data(step: Text | Reasoning | Usage | Finish | Chunk) -> Mapping[str, Any]:
    match step:
        case Text(text):
            return _choice({"content": text})
        case Reasoning(text, key):
            return _choice({key: text})
        case Finish(reason):
            return _choice({}, reason)
        case Chunk(data):
            return data
        case Usage(prompt, completion, cached, reasoning):
            return {
                "choices": [],
                "usage": {
                    "prompt_tokens": prompt,
                    "completion_tokens": completion,
                    "prompt_tokens_details": {"cached_tokens": cached},
                    "completion_tokens_details": {"reasoning_tokens": reasoning},
                },
            }


def pieces_of(step: Call) -> Iterator[str]:
    """Yield the arguments of a call in its pieces."""
    text = step.arguments if isinstance(step.arguments, str) else json.dumps(step.arguments)
    size = max(1, -(-len(text) // step.pieces))
    for start in range(0, len(text), size):
        yield text[start : start + size]


def _call(step: Call, index: int) -> Iterator[Mapping[str, Any]]:
    call_id = f"call_{index}_{step.name}" if step.id is None else step.id
    function: dict[str, Any] = {"name": step.name, "arguments": ""}
    yield _choice({"tool_calls": [_fragment(index, function, call_id)]})
    for piece in pieces_of(step):
        yield _choice({"tool_calls": [_fragment(index, {"arguments": piece})]})


def _fragment(
    index: int, function: Mapping[str, Any], call_id: str | None = None
) -> Mapping[str, Any]:
    begun = {} if call_id is None else {"id": call_id, "type": "function"}
    return {"index": index, **begun, "function": function}


def _choice(delta: Mapping[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
