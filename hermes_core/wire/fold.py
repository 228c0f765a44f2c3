"""The one accumulator: pieces of an answer to the assistant message."""

import json
from typing import Any, Final

from hermes_core.ground.messages import Message, ToolCall
from hermes_core.ground.usage import Usage
from hermes_core.wire.depth import too_deep_at
from hermes_core.wire.pieces import (
    CallPiece,
    FinishPiece,
    Piece,
    ReasoningPiece,
    ReasoningRecord,
    TextPiece,
    UsagePiece,
)

_LENGTH: Final = frozenset(
    {"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"}
)
_FILTER: Final = frozenset(
    {"content_filter", "content-filter", "refusal", "safety", "sensitive", "prohibited_content"}
)


class _Call:
    """One tool call as far as it has arrived."""

    __slots__ = ("arguments", "call_id", "extra", "name")

    def __init__(self) -> None:
        self.call_id = ""
        self.name = ""
        self.arguments: list[str] = []
        self.extra: Any = None


class Fold:
    """Gathers the pieces of one answer.

    ``size`` counts the characters gathered, for a caller that sets a limit. ``usage`` is None
    until the provider reported it.
    """

    def __init__(self) -> None:
        self.size = 0
        self.usage: Usage | None = None
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._records: list[Any] = []
        self._places: list[list[int]] = []
        self._calls: list[_Call] = []
        self._slots: dict[int, _Call] = {}
        self._finish = "stop"

    def add(self, piece: Piece) -> None:
        """Take one more piece."""
        if isinstance(piece, TextPiece):
            self._text.append(piece.text)
            self.size += len(piece.text)
        elif isinstance(piece, ReasoningPiece):
            self._reasoning.append(piece.text)
            self.size += len(piece.text)
        elif isinstance(piece, CallPiece):
            self._add_call(piece)
        else:
            self._add_rare(piece)

    def cut_short(self) -> None:
        """Mark the answer as cut off at a limit; calls that are not complete are dropped."""
        self._finish = "length"
        self._calls = [call for call in self._calls if _is_object("".join(call.arguments))]

    def message(self) -> Message:
        """Return the assistant message. Call ids are as the provider sent them, maybe blank."""
        message: Message = {"role": "assistant", "content": "".join(self._text)}
        calls = [_tool_call(call) for call in self._calls if call.name or call.arguments]
        if calls:
            message["tool_calls"] = calls
        if self._reasoning:
            message["reasoning"] = "".join(self._reasoning)
        if self._records:
            message["reasoning_details"] = self._records
        if any(map(any, self._places)):
            message["reasoning_places"] = self._places
        message["finish_reason"] = _finish_reason(self._finish, bool(calls))
        return message

    def _add_rare(self, piece: Piece) -> None:
        if isinstance(piece, FinishPiece):
            self._finish = piece.reason
        elif isinstance(piece, UsagePiece):
            self.usage = piece.usage
        elif isinstance(piece, ReasoningRecord):
            self._records.append(piece.record)
            if piece.placed:
                self._places.append([sum(map(len, self._text)), len(self._calls)])

    def _add_call(self, piece: CallPiece) -> None:
        call = self._slots.get(piece.slot)
        if call is None or _begins_another(call, piece):
            call = _Call()
            self._calls.append(call)
            self._slots[piece.slot] = call
        if piece.call_id and not call.call_id:
            call.call_id = piece.call_id
        if piece.name:
            call.name = piece.name
        if piece.arguments:
            call.arguments.append(piece.arguments)
            self.size += len(piece.arguments)
        if piece.extra is not None:
            call.extra = piece.extra


def _begins_another(call: _Call, piece: CallPiece) -> bool:
    """Tell whether ``piece``, though numbered like ``call``, belongs to a new call.

    Some servers number every call 0. A different id says so; without ids, a name does that comes
    when the call before is complete.
    """
    if piece.call_id and call.call_id:
        return piece.call_id != call.call_id
    if not piece.name or not call.arguments or not piece.arguments:
        return False
    return _is_object("".join(call.arguments))


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _tool_call(call: _Call) -> ToolCall:
    arguments = "".join(call.arguments)
    told: ToolCall = {
        "id": call.call_id,
        "type": "function",
        # cut where they nest too deep, they are arguments that broke off, and told as such
        "function": {"name": call.name, "arguments": arguments[: too_deep_at(arguments)]},
    }
    if call.extra is not None:
        told["extra_content"] = call.extra
    return told


def _finish_reason(reason: str, has_calls: bool) -> str:
    reason = reason.lower()
    if reason in _LENGTH:
        return "length"
    if reason in _FILTER:
        return "content_filter"
    return "tool_calls" if has_calls else "stop"
