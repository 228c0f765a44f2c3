"""One chunk of a chat completions stream to pieces."""

import json
from collections.abc import Sequence
from typing import Any

from hermes_core.ground.errors import StreamCut
from hermes_core.ground.usage import Usage
from hermes_core.wire.pieces import (
    CallPiece,
    FinishPiece,
    Piece,
    ReasoningPiece,
    ReasoningRecord,
    TextPiece,
    UsagePiece,
)
from hermes_core.wire.reasoning import Paragraphs, ThinkTags, flatten

_MAX_TOKENS = 100_000_000


class ChunkReader:
    """Reads chunks in order.

    ``chosen`` tells that a choice was seen, ``finished`` that a finish reason was.
    """

    def __init__(self) -> None:
        self.chosen = False
        self.finished = False
        self._tags = ThinkTags()
        self._paragraphs = Paragraphs()

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
                self._content(choice["text"], pieces)
            reason = choice.get("finish_reason")
            if reason:
                self._finish(str(reason), pieces)
            usage = usage or choice.get("usage")
        if usage:
            counted = to_usage(usage)
            if counted is not None:
                pieces.append(UsagePiece(counted))
        return pieces

    def flush(self) -> Sequence[Piece]:
        """Return what was held back, at the end of the answer."""
        return self._tags.flush()

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
            self._reasoning(flatten(reasoning), pieces)
        records = delta.get("reasoning_details")
        if records:
            pieces.extend(map(ReasoningRecord, records if type(records) is list else [records]))
        content = delta.get("content") or delta.get("refusal")
        if content:
            self._content(content, pieces)
        calls = delta.get("tool_calls")
        if calls:
            pieces.extend(_calls(calls))
        elif delta.get("function_call"):
            pieces.extend(_calls([{"function": delta["function_call"]}]))

    def _reasoning(self, text: str, pieces: list[Piece]) -> None:
        if text:
            pieces.append(ReasoningPiece(self._paragraphs.follow(text)))

    def _content(self, content: Any, pieces: list[Piece]) -> None:
        if type(content) is str:
            if self._tags.plain:
                pieces.append(TextPiece(content))
                return
            for piece in self._tags.split(content):
                if isinstance(piece, ReasoningPiece):
                    self._reasoning(piece.text, pieces)
                else:
                    pieces.append(piece)
            return
        for part in content if isinstance(content, list) else [content]:
            if isinstance(part, dict) and part.get("type") in ("thinking", "reasoning"):
                self._reasoning(flatten(part), pieces)
            elif text := flatten(part):
                self._content(text, pieces)


def to_usage(data: Any) -> Usage | None:
    """Return the token counts, or None when they are missing or cannot be true."""
    if not isinstance(data, dict):
        return None
    sent = _count(data.get("prompt_tokens"))
    received = _count(data.get("completion_tokens"))
    if sent is None or received is None:
        return None
    cached = _count(_detail(data, "prompt_tokens_details", "cached_tokens"))
    if cached is None:
        cached = _count(data.get("prompt_cache_hit_tokens"))
    reasoning = _count(_detail(data, "completion_tokens_details", "reasoning_tokens"))
    return Usage(sent, received, min(cached or 0, sent), min(reasoning or 0, received))


def _detail(data: dict[str, Any], group: str, key: str) -> Any:
    details = data.get(group)
    return details.get(key) if isinstance(details, dict) else None


def _count(value: Any) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is not int or not 0 <= value <= _MAX_TOKENS:
        return None
    return value


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
