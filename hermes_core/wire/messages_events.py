"""One event of a Messages stream to pieces."""

import json
from collections.abc import Callable, Sequence
from typing import Any

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

_COUNTS = (
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)


class EventReader:
    """Reads events in order.

    ``begun`` tells that an event of the format was seen, ``finished`` that the answer is whole.
    """

    def __init__(self) -> None:
        self.begun = False
        self.finished = False
        self._voice = Voice()
        self._counts: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._arrived: set[int] = set()
        self._grown: dict[tuple[int, str], list[str]] = {}
        self._handlers: dict[str, Callable[[dict[str, Any], list[Piece]], None]] = {
            "content_block_delta": self._delta,
            "content_block_start": self._start,
            "content_block_stop": self._stop,
            "message_start": self._open,
            "message_delta": self._close,
            "message_stop": self._end,
            "message": self._whole,
            "error": self._fail,
        }

    def read(self, event: dict[str, Any]) -> Sequence[Piece]:
        """Return the pieces of one event; a whole message counts as one."""
        pieces: list[Piece] = []
        kind = event.get("type")
        handler = self._handlers.get(kind) if type(kind) is str else None
        if handler is not None:
            handler(event, pieces)
        elif event.get("error"):
            self._fail(event, pieces)
        return pieces

    def flush(self) -> Sequence[Piece]:
        """Return what was held back, at the end of the answer."""
        pieces: list[Piece] = []
        for index in list(self._blocks):
            self._stop({"index": index}, pieces)
        return [*pieces, *self._voice.flush()]

    def _open(self, event: dict[str, Any], pieces: list[Piece]) -> None:
        self.begun = True
        message = event.get("message")
        if isinstance(message, dict):
            self._count(message.get("usage"), pieces)

    def _start(self, event: dict[str, Any], pieces: list[Piece]) -> None:
        self.begun = True
        block = event.get("content_block")
        if not isinstance(block, dict):
            return
        index = _slot(event.get("index"))
        if index in self._blocks:
            self._stop({"index": index}, pieces)
        self._blocks[index] = {**block}
        self._arrived.discard(index)
        kind = block.get("type")
        if kind == "text" and block.get("text"):
            self._voice.say(block["text"], pieces)
        elif kind == "thinking":
            self._voice.begin_part()
            self._voice.think(block.get("thinking"), pieces)
        elif kind == "tool_use":
            pieces.append(CallPiece(index, _text(block.get("id")), _text(block.get("name")), ""))

    def _delta(self, event: dict[str, Any], pieces: list[Piece]) -> None:
        self.begun = True
        delta = event.get("delta")
        if not isinstance(delta, dict):
            return
        kind = delta.get("type")
        if kind == "text_delta":
            if delta.get("text"):
                self._voice.say(delta["text"], pieces)
        elif kind == "input_json_delta":
            self._arguments(_slot(event.get("index")), delta.get("partial_json"), pieces)
        elif kind == "thinking_delta":
            self._voice.think(delta.get("thinking"), pieces)
            self._grow(_slot(event.get("index")), "thinking", delta.get("thinking"))
        elif kind == "signature_delta":
            self._grow(_slot(event.get("index")), "signature", delta.get("signature"))

    def _arguments(self, index: int, text: Any, pieces: list[Piece]) -> None:
        if isinstance(text, dict):
            text = json.dumps(text, ensure_ascii=False)
        if text:
            self._arrived.add(index)
            pieces.append(CallPiece(index, "", "", str(text)))

    def _grow(self, index: int, key: str, text: Any) -> None:
        """Add to a block of thinking; one that was never begun begins here."""
        self._blocks.setdefault(index, {"type": "thinking", "thinking": ""})
        if isinstance(text, str):
            self._grown.setdefault((index, key), []).append(text)

    def _take(self, index: int) -> dict[str, Any] | None:
        """Return the block that ends here, with what was added to it."""
        block = self._blocks.pop(index, None)
        for key in ("thinking", "signature"):
            added = self._grown.pop((index, key), None)
            if block is not None and added:
                begun = block.get(key)
                block[key] = (begun if isinstance(begun, str) else "") + "".join(added)
        return block

    def _stop(self, event: dict[str, Any], pieces: list[Piece]) -> None:
        index = _slot(event.get("index"))
        block = self._take(index)
        if block is None:
            return
        kind = block.get("type")
        if kind in ("thinking", "redacted_thinking"):
            pieces.append(ReasoningRecord(block, placed=True))
        elif kind == "tool_use" and index not in self._arrived:
            given = json.dumps(block.get("input") or {}, ensure_ascii=False)
            pieces.append(CallPiece(index, "", "", given))

    def _close(self, event: dict[str, Any], pieces: list[Piece]) -> None:
        self.begun = True
        delta = event.get("delta")
        reason = delta.get("stop_reason") if isinstance(delta, dict) else None
        if reason:
            self.finished = True
            pieces.append(FinishPiece(str(reason)))
        self._count(event.get("usage"), pieces)

    def _end(self, _event: dict[str, Any], _pieces: list[Piece]) -> None:
        self.finished = self.begun

    def _whole(self, message: dict[str, Any], pieces: list[Piece]) -> None:
        self._open({"message": message}, pieces)
        content = message.get("content")
        for index, block in enumerate(content if isinstance(content, list) else []):
            self._start({"index": index, "content_block": block}, pieces)
            self._stop({"index": index}, pieces)
        self._close({"delta": message}, pieces)
        self.finished = True

    def _fail(self, event: dict[str, Any], _pieces: list[Piece]) -> None:
        if not self.finished:
            raise failure(event.get("error"))

    def _count(self, usage: Any, pieces: list[Piece]) -> None:
        """Take counts, of which later ones replace earlier ones; cached tokens were sent too."""
        if not isinstance(usage, dict):
            return
        self._counts.update(
            {key: usage[key] for key in _COUNTS if count(usage.get(key)) is not None}
        )
        given = self._counts
        cached = given.get("cache_read_input_tokens", 0)
        created = given.get("cache_creation_input_tokens", 0)
        if "input_tokens" in given and "output_tokens" in given:
            sent = given["input_tokens"] + cached + created
            thought = detail(usage, "output_tokens_details", "thinking_tokens")
            counted = usage_of(sent, given["output_tokens"], cached, thought)
            if counted is not None:
                pieces.append(UsagePiece(counted))


def _slot(index: Any) -> int:
    return index if type(index) is int else 0


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()
