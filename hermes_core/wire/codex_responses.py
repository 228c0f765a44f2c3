"""The Responses format: messages to a request, the streamed events to pieces.

Source: the format's public reference, "Create a model response" and "Streaming events", with the
deviations of compatible servers that the cases under ``tests/golden`` record.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from hermes_core.ground.errors import MalformedResponse, StreamCut
from hermes_core.ground.messages import Message, text_of
from hermes_core.ground.reasoning import EFFORT, Reasoning
from hermes_core.ground.runtime import Runtime
from hermes_core.wire.caching import cache_key
from hermes_core.wire.functions import functions_of
from hermes_core.wire.opening import opening
from hermes_core.wire.pieces import Piece
from hermes_core.wire.responses_events import EventReader
from hermes_core.wire.responses_items import to_items
from hermes_core.wire.sse import END
from hermes_core.wire.text import clean

REASONING: Final = Reasoning(
    on={"reasoning": {"effort": EFFORT, "summary": "auto"}},
    off={"reasoning": {"effort": "none"}},
    efforts=(("low", "low"), ("medium", "medium"), ("high", "high"), ("xhigh", "xhigh")),
)
_NO_INSTRUCTIONS: Final = "Answer the user."
"""Some endpoints refuse a request without instructions."""

_NO_PARAMETERS: Final = {"type": "object", "properties": {}}


def to_request(
    messages: Sequence[Message],
    tools: Sequence[dict[str, Any]],
    runtime: Runtime,
    *,
    stale: int = 0,
) -> dict[str, Any]:
    """Return the body of a streaming request.

    Nothing is kept by the server: the whole conversation is sent, with encrypted reasoning in its
    place, to its own maker alone. System messages are the instructions. The input comes last, so
    that a longer conversation's request begins with the bytes of the shorter one. The reasoning of
    the first ``stale`` messages is left out. Lone surrogates become U+FFFD.
    """
    compat = runtime.compat
    request = opening(runtime, "max_output_tokens", REASONING)
    request["store"] = False
    if compat.encrypted_reasoning:
        request["include"] = ["reasoning.encrypted_content"]
    told = [clean(text_of(message)) for message in messages if message["role"] == "system"]
    request["instructions"] = "\n\n".join(filter(str.strip, told)) or _NO_INSTRUCTIONS
    if tools:
        request["tools"] = [_tool(function) for function in functions_of(tools, compat)]
    items = [
        item
        for place, message in enumerate(messages)
        for item in to_items(message, runtime, keep_reasoning=place >= stale)
    ]
    if compat.cache_markers:
        request["prompt_cache_key"] = cache_key([request["instructions"], *items[:1]])
    request["input"] = items
    return request


def parse(chunks: Iterable[dict[str, Any]]) -> Iterator[Piece]:
    """Yield the pieces of an answer, as its events arrive; unknown events are passed over.

    What was streamed counts, whatever the final response repeats or leaves out. Raises
    ``MalformedResponse`` when no event has the format's shape, ``StreamCut`` when the events stop
    before the final one, and the failure that an event tells.
    """
    reader = EventReader()
    try:
        for chunk in chunks:
            if chunk is not END:
                yield from reader.read(chunk)
    except StreamCut:
        if not reader.finished:
            raise
    yield from reader.flush()
    if not reader.begun:
        raise MalformedResponse("The answer holds nothing in the Responses format.")
    if not reader.finished:
        raise StreamCut("The answer stopped before its end.")


def _tool(function: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "function",
        "name": function["name"],
        "description": function.get("description", ""),
        "parameters": function.get("parameters") or _NO_PARAMETERS,
        "strict": False,
    }
