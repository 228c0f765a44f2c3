"""One event of a Responses stream to pieces."""

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from hermes_core.ground.errors import StreamCut
from hermes_core.wire.counts import detail, usage_of
from hermes_core.wire.failures import failure
from hermes_core.wire.pieces import (
    CallPiece,
    FinishPiece,
    Piece,
    ReasoningRecord,
    UsagePiece,
)
from hermes_core.wire.reasoning import Voice

_BEGINNINGS: Final = ("response.created", "response.queued", "response.in_progress")
_CANCELLED: Final = "The provider gave up in the middle of the answer."


class _Item:
    """One item of the output: what of it was streamed."""

    __slots__ = ("called", "done", "kinds", "slot")

    def __init__(self, slot: int) -> None:
        self.slot = slot
        self.called = False
        self.done = False
        self.kinds: set[str] = set()


class EventReader:
    """Reads events in order.

    ``begun`` tells that an event of the format was seen, ``finished`` that the answer is whole.
    """

    def __init__(self) -> None:
        self.begun = False
        self.finished = False
        self._voice = Voice()
        self._items: dict[Any, _Item] = {}
        self._handlers: dict[str, Callable[[dict[str, Any], list[Piece]], None]] = {
            "response.output_text.delta": self._said,
            "response.refusal.delta": self._said,
            "response.function_call_arguments.delta": self._argued,
            "response.function_call_arguments.done": self._argued_all,
            "response.reasoning_summary_text.delta": self._thought,
            "response.reasoning_text.delta": self._thought,
            "response.reasoning_summary_part.added": self._part,
            "response.output_item.added": self._added,
            "response.output_item.done": self._done,
            "response.completed": self._completed,
            "response.done": self._completed,
            "response.incomplete": self._completed,
            "response.failed": self._failed,
            "response.cancelled": self._cancelled,
            "error": self._failed,
        }

    def read(self, event: dict[str, Any]) -> Sequence[Piece]:
        """Return the pieces of one event; a whole response counts as one."""
        pieces: list[Piece] = []
        kind = event.get("type")
        handler = self._handlers.get(kind) if type(kind) is str else None
        if handler is not None:
            self.begun = True
            handler(event, pieces)
        elif kind in _BEGINNINGS:
            self.begun = True
        elif event.get("object") == "response":
            self._whole(event, pieces)
        elif kind is None and event.get("error"):
            self._failed(event, pieces)
        return pieces

    def flush(self) -> Sequence[Piece]:
        """Return what was held back, at the end of the answer."""
        return self._voice.flush()

    def _item(self, event: dict[str, Any]) -> _Item:
        """Return the item that an event is about, by its place, or else by its id."""
        key = event.get("output_index")
        if type(key) is not int:
            item = event.get("item")
            key = str(event.get("item_id") or (item.get("id") if isinstance(item, dict) else ""))
        found = self._items.get(key)
        if found is None:
            found = self._items[key] = _Item(len(self._items))
        return found

    def _said(self, event: dict[str, Any], pieces: list[Piece]) -> None:
        if event.get("delta"):
            self._item(event).kinds.add("text")
            self._voice.say(event["delta"], pieces)

    def _thought(self, event: dict[str, Any], pieces: list[Piece]) -> None:
        if event.get("delta"):
            self._item(event).kinds.add("reasoning")
            self._voice.think(event["delta"], pieces)

    def _part(self, _event: dict[str, Any], _pieces: list[Piece]) -> None:
        self._voice.begin_part()

    def _argued(self, event: dict[str, Any], pieces: list[Piece]) -> None:
        text = _arguments(event.get("delta"))
        if text:
            item = self._item(event)
            item.kinds.add("arguments")
            pieces.append(CallPiece(item.slot, "", "", text))

    def _argued_all(self, event: dict[str, Any], pieces: list[Piece]) -> None:
        item = self._item(event)
        if "arguments" not in item.kinds:
            self._argued({**event, "delta": event.get("arguments")}, pieces)

    def _added(self, event: dict[str, Any], pieces: list[Piece]) -> None:
        item = event.get("item")
        if isinstance(item, dict) and item.get("type") == "function_call":
            self._call(self._item(event), item, pieces)

    def _done(self, event: dict[str, Any], pieces: list[Piece]) -> None:
        given = event.get("item")
        item = self._item(event)
        if not isinstance(given, dict) or item.done:
            return
        item.done = True
        kind = given.get("type")
        if kind == "function_call":
            self._call(item, given, pieces)
            if "arguments" not in item.kinds:
                arguments = _arguments(given.get("arguments")) or "{}"
                pieces.append(CallPiece(item.slot, "", "", arguments))
        elif kind == "reasoning":
            if "reasoning" not in item.kinds:
                self._think_all(given, pieces)
            pieces.append(ReasoningRecord(given, placed=True))
        elif kind == "message":
            if "text" not in item.kinds:
                self._say_all(given, pieces)
            if given.get("phase"):
                record = {"type": "message", "phase": given["phase"]}
                pieces.append(ReasoningRecord(record, placed=True))

    def _call(self, item: _Item, given: dict[str, Any], pieces: list[Piece]) -> None:
        if not item.called:
            item.called = True
            identity = given.get("call_id") or given.get("id") or ""
            pieces.append(CallPiece(item.slot, str(identity), str(given.get("name") or ""), ""))

    def _think_all(self, given: dict[str, Any], pieces: list[Piece]) -> None:
        parts = given.get("summary") or given.get("content")
        for part in parts if isinstance(parts, list) else [parts]:
            self._voice.begin_part()
            self._voice.think(part, pieces)

    def _say_all(self, given: dict[str, Any], pieces: list[Piece]) -> None:
        content = given.get("content")
        for part in content if isinstance(content, list) else [content]:
            said = (part.get("text") or part.get("refusal")) if isinstance(part, dict) else part
            if said:
                self._voice.say(said, pieces)

    def _completed(self, event: dict[str, Any], pieces: list[Piece]) -> None:
        response = event.get("response")
        told = response if isinstance(response, dict) else {}
        status = "incomplete" if event.get("type") == "response.incomplete" else "completed"
        self._whole({"status": status, **told}, pieces)

    def _whole(self, response: dict[str, Any], pieces: list[Piece]) -> None:
        """Take the final response; items of it that were streamed are known already."""
        self.begun = True
        status = response.get("status")
        if status == "cancelled":
            raise StreamCut(_CANCELLED)
        if status == "failed" or (response.get("error") and not self.finished):
            raise failure(response.get("error"))
        output = response.get("output")
        for index, item in enumerate(output if isinstance(output, list) else []):
            self._done({"output_index": index, "item": item}, pieces)
        usage = response.get("usage")
        if isinstance(usage, dict):
            counted = usage_of(
                usage.get("input_tokens"),
                usage.get("output_tokens"),
                detail(usage, "input_tokens_details", "cached_tokens"),
                detail(usage, "output_tokens_details", "reasoning_tokens"),
            )
            if counted is not None:
                pieces.append(UsagePiece(counted))
        self.finished = True
        reason = detail(response, "incomplete_details", "reason")
        pieces.append(FinishPiece(str(reason or ("length" if status == "incomplete" else "stop"))))

    def _failed(self, event: dict[str, Any], _pieces: list[Piece]) -> None:
        response = event.get("response")
        told = response.get("error") if isinstance(response, dict) else event.get("error")
        raise failure(told or event)

    def _cancelled(self, _event: dict[str, Any], _pieces: list[Piece]) -> None:
        raise StreamCut(_CANCELLED)


def _arguments(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)
