"""The chat completions format: messages to a request, the streamed chunks to pieces.

Source: the format's public reference, "Create chat completion" and "The chat completion chunk
object", with the deviations of compatible servers that the cases under ``tests/golden`` record.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from hermes_core.ground.errors import MalformedResponse, StreamCut
from hermes_core.ground.messages import Message
from hermes_core.ground.reasoning import EFFORT, Reasoning
from hermes_core.ground.runtime import Runtime
from hermes_core.wire.caching import mark_contents
from hermes_core.wire.chat_chunks import ChunkReader
from hermes_core.wire.chat_messages import shown_after, to_wire
from hermes_core.wire.functions import functions_of
from hermes_core.wire.opening import opening
from hermes_core.wire.pieces import FinishPiece, Piece
from hermes_core.wire.sse import END

REASONING: Final = Reasoning(
    on={"reasoning_effort": EFFORT},
    off={"reasoning_effort": "none"},
    efforts=(("minimal", "minimal"), ("low", "low"), ("medium", "medium"), ("high", "high")),
)


def to_request(
    messages: Sequence[Message],
    tools: Sequence[dict[str, Any]],
    runtime: Runtime,
    *,
    stale: int = 0,
) -> dict[str, Any]:
    """Return the body of a streaming request.

    Only keys of the format are sent, and a message's form depends on that message alone, cache
    marks aside. Messages come last, so that a longer conversation's request begins with the bytes
    of the shorter one. Lone surrogates become U+FFFD. The reasoning of the first ``stale``
    messages is left out.
    """
    compat = runtime.compat
    request = opening(runtime, "max_tokens", REASONING)
    if compat.stream_usage:
        request["stream_options"] = {"include_usage": True}
    if tools:
        functions = functions_of(tools, compat)
        request["tools"] = [{"type": "function", "function": function} for function in functions]
    sent: list[dict[str, Any]] = []
    results: list[Message] = []
    for place, message in enumerate(messages):
        if message["role"] != "tool":
            sent += shown_after(results, runtime)
            results = []
        else:
            results.append(message)
        sent.append(to_wire(message, runtime, keep_reasoning=place >= stale))
    sent += shown_after(results, runtime)
    if compat.cache_markers:
        mark_contents(sent)
    request["messages"] = sent
    return request


def parse(chunks: Iterable[dict[str, Any]]) -> Iterator[Piece]:
    """Yield the pieces of an answer, as its chunks arrive.

    Raises ``MalformedResponse`` when no chunk has the format's shape, and ``StreamCut`` when the
    chunks stop without a finish reason or an ``END``. A connection that breaks after the finish
    reason has lost nothing but, perhaps, the usage.
    """
    reader = ChunkReader()
    ended = False
    try:
        for chunk in chunks:
            if chunk is END:
                ended = True
            else:
                yield from reader.read(chunk)
    except StreamCut:
        if not reader.finished:
            raise
    yield from reader.flush()
    if not reader.chosen:
        raise MalformedResponse("The answer holds nothing in the chat completions format.")
    if not reader.finished:
        if not ended:
            raise StreamCut("The answer stopped before its end.")
        yield FinishPiece("stop")
