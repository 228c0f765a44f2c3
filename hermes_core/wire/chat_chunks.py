"""One chunk of a chat completions stream to pieces."""

import json
from collections.abc import Sequence
from typing import Any

from hermes_core.ground.errors import StreamCut
from hermes_core.ground.usage import Usage
from hermes_core.wire.counts import count, detail, usage_of
from hermes_core.wire.failures import failure
from hermes_core.wire.pieces import (
    CallPiece,
    FinishPiece,
    Piece,
    ReasoningRecord,
    UsagePiece,
)
from hermes_core.wire.reasoning import Voice


class ChunkReader:
    """Reads chunks in order.

    ``chosen`` tells that a choice was seen, ``finished`` that a finish reason was.
    """

    def __init__(self) -> None:
        self.chosen = False
        self.finished = False
        self._voice = Voice()

    def read(self, chunk: dict[str, Any]) -> Sequence[Piece]:
        """Return the pieces of one chunk; a whole completion counts as one chunk."""
        pieces: list[Piece] = []
        choices = chunk.get("choices")
        usage = chunk.get("usage")
        if choices and type(choices) is list and type(choices[0]) is dict:
            choice = choices[0]
            self.chosen = True
            delta = choice.get("delta") or choice.get("message")
            if delta and type(delta) is dict:
                self._delta(delta, pieces)
            elif type(choice.get("text")) is str:
                self._voice.say(choice["text"], pieces)
            reason = choice.get("finish_reason")
            if reason:
                self._finish(str(reason), pieces)
            usage = usage or choice.get("usage")
        elif chunk.get("error") and not self.finished:
            raise failure(chunk["error"])
        if usage:
            counted = to_usage(usage)
            if counted is not None:
                pieces.append(UsagePiece(counted))
        return pieces

    def flush(self) -> Sequence[Piece]:
        """Return what was held back, at the end of the answer."""
        return self._voice.flush()

    def _finish(self, reason: str, pieces: list[Piece]) -> None:
        if reason == "error":
            raise StreamCut("The provider gave up in the middle of the answer.")
        self.finished = True
        pieces.append(FinishPiece(reason))

    def _delta(self, delta: dict[str, Any], pieces: list[Piece]) -> None:
        reasoning = (
            delta.get("reasoning_content") or delta.get("reasoning") or delta.get("thinking")
        )
        if reasoning:
            self._voice.think(reasoning, pieces)
        records = delta.get("reasoning_details")
        if records:
            pieces.extend(map(ReasoningRecord, records if type(records) is list else [records]))
        content = delta.get("content") or delta.get("refusal")
        if content:
            self._voice.say(content, pieces)
        calls = delta.get("tool_calls")
        if calls:
            pieces.extend(_calls(calls))
        elif delta.get("function_call"):
            pieces.extend(_calls([{"function": delta["function_call"]}]))


def to_usage(data: Any) -> Usage | None:
    """Return the token counts, or None when they are missing or cannot be true."""
    if not isinstance(data, dict):
        return None
    cached = detail(data, "prompt_tokens_details", "cached_tokens")
    if count(cached) is None:
        cached = data.get("prompt_cache_hit_tokens")
    reasoning = detail(data, "completion_tokens_details", "reasoning_tokens")
    return usage_of(data.get("prompt_tokens"), data.get("completion_tokens"), cached, reasoning)


def _calls(items: Any) -> list[Piece]:
    """Return the fragments of tool calls; a call without a number has that of its place."""
    found: list[Piece] = []
    for place, item in enumerate(items if isinstance(items, list) else [items]):
        if not isinstance(item, dict):
            continue
        function = item.get("function")
        if not isinstance(function, dict):
            function = {}
        call_id = item.get("id")
        name = function.get("name")
        found.append(
            CallPiece(
                _index(item.get("index"), place),
                "" if call_id is None else str(call_id),
                name.strip() if isinstance(name, str) else "",
                _arguments(function.get("arguments")),
                item.get("extra_content"),
            )
        )
    return found


def _index(value: Any, place: int) -> int:
    if type(value) is int:
        return value
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    return place


def _arguments(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)
