"""The Messages format: messages to a request, the streamed events to pieces.

Source: the format's public reference, "Create a message" and "Streaming messages", with the
deviations of compatible servers that the cases under ``tests/golden`` record.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from hermes_core.ground.errors import MalformedResponse, StreamCut
from hermes_core.ground.messages import Message
from hermes_core.ground.reasoning import EFFORT, Reasoning
from hermes_core.ground.runtime import Runtime
from hermes_core.wire.caching import mark_block, mark_turns
from hermes_core.wire.functions import functions_of
from hermes_core.wire.messages_events import EventReader
from hermes_core.wire.messages_turns import is_mid_turn_without_thinking, to_turns
from hermes_core.wire.opening import opening
from hermes_core.wire.pieces import Piece
from hermes_core.wire.sse import END

LIMIT: Final = 32_000
"""The output limit where nothing tells another: the format demands one."""

_ROOM: Final = 4_096
"""Tokens that must be left for the answer beside the thinking."""

_LEAST_BUDGET: Final = 1_024
"""Tokens: the format's least budget."""

REASONING: Final = Reasoning(
    on={"thinking": {"type": "enabled", "budget_tokens": EFFORT}},
    efforts=(("low", 4_000), ("medium", 8_000), ("high", 16_000), ("xhigh", 32_000)),
)
_NO_PARAMETERS: Final = {"type": "object", "properties": {}}


def to_request(
    messages: Sequence[Message],
    tools: Sequence[dict[str, Any]],
    runtime: Runtime,
    *,
    stale: int = 0,
) -> dict[str, Any]:
    """Return the body of a streaming request.

    System messages stand apart, roles alternate, answers to calls made together stand in one
    turn, and no text is empty. Thinking goes back unchanged and in its place, to its own maker
    alone; the thinking of the first ``stale`` messages is left out. Lone surrogates become U+FFFD.
    """
    compat = runtime.compat
    request = opening(runtime, "max_tokens", REASONING)
    system, turns = to_turns(messages, runtime, stale)
    _fit_thinking(request, runtime, turns)
    if tools:
        request["tools"] = [_tool(function) for function in functions_of(tools, compat)]
    if compat.cache_markers is not False:
        mark_turns(turns)
        for block in system[-1:]:
            mark_block(block)
    if system:
        request["system"] = system
    request["messages"] = turns
    return request


def parse(chunks: Iterable[dict[str, Any]]) -> Iterator[Piece]:
    """Yield the pieces of an answer, as its events arrive; unknown events are passed over.

    Raises ``MalformedResponse`` when no event has the format's shape, ``StreamCut`` when the
    events stop before the end of the answer, and the failure that an error event tells. A
    connection that breaks after the reason to stop has lost nothing.
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
        raise MalformedResponse("The answer holds nothing in the Messages format.")
    if not reader.finished:
        raise StreamCut("The answer stopped before its end.")


def _fit_thinking(request: dict[str, Any], runtime: Runtime, turns: list[dict[str, Any]]) -> None:
    """Set the limit that the format demands, with room for an answer beside thinking by budget.

    Such thinking is refused where the turn went on without it before, so it is left out there.
    """
    key = runtime.compat.max_tokens_key or "max_tokens"
    request.setdefault(key, runtime.max_output or LIMIT)
    thinking = request.get("thinking")
    if not isinstance(thinking, dict) or thinking.get("type") != "enabled":
        return
    if is_mid_turn_without_thinking(turns):
        del request["thinking"]
        return
    budget = thinking.get("budget_tokens")
    if isinstance(budget, int):
        if runtime.max_output is not None:
            budget = max(min(budget, runtime.max_output - _ROOM), _LEAST_BUDGET)
        request["thinking"] = {**thinking, "budget_tokens": budget}
        request[key] = max(request[key], budget + _ROOM)


def _tool(function: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": function["name"],
        "description": function.get("description", ""),
        "input_schema": function.get("parameters") or _NO_PARAMETERS,
    }
