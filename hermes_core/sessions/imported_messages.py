"""Messages from a file: the shape that the loop relies on, and nothing else."""

from typing import Any, cast, get_args

from hermes_core.ground.messages import Content, Message, Part, ToolCall
from hermes_core.ground.sounds import SoundFormat
from hermes_core.sessions.shapes import BadShape, at, of_kind, text_in

_ROLES = ("system", "user", "assistant", "tool")
_REASONS = ("stop", "length", "tool_calls", "content_filter")
_MADE = ("summary", "bridge")
_OPAQUE = ("reasoning_details", "reasoning_places", "origin")
_NOTE_OPAQUE = "left out a model's opaque reasoning: it belongs to the account it was made for"
_NOTE_PICTURE = "left out a picture that stands elsewhere; only those inside of the file are taken"


def check_message(whole: Any, place: str, notes: list[str]) -> Message:
    """Return a message with the known keys alone; raise ``BadShape`` for what is none.

    What was left out is added to ``notes``, each kind once.
    """
    whole = of_kind(whole, dict, f"{place}.message")
    role = whole.get("role")
    if role not in _ROLES:
        raise BadShape(f"{place}.message.role: one of {', '.join(_ROLES)} is needed")
    found: dict[str, Any] = {
        "role": role,
        "content": _content(whole.get("content"), f"{place}.message.content", notes),
    }
    if role == "assistant":
        found |= _of_assistant(whole, place, notes)
    if role == "tool":
        found["tool_call_id"] = text_in(whole, "tool_call_id", f"{place}.message")
        if isinstance(whole.get("name"), str):
            found["name"] = whole["name"]
    if whole.get("made") in _MADE:
        found["made"] = whole["made"]
    return cast(Message, found)


def _of_assistant(whole: dict[str, Any], place: str, notes: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if isinstance(whole.get("reasoning"), str):
        found["reasoning"] = whole["reasoning"]
    if whole.get("finish_reason") in _REASONS:
        found["finish_reason"] = whole["finish_reason"]
    if whole.get("tool_calls") is not None:
        listed = of_kind(whole["tool_calls"], list, f"{place}.message.tool_calls")
        calls = [_call(one, at(f"{place}.message.tool_calls", n)) for n, one in enumerate(listed)]
        if calls:
            found["tool_calls"] = calls
    if any(whole.get(name) for name in _OPAQUE):
        _note(notes, _NOTE_OPAQUE)
    return found


def _call(whole: Any, place: str) -> ToolCall:
    whole = of_kind(whole, dict, place)
    function = of_kind(whole.get("function"), dict, f"{place}.function")
    return {
        "id": text_in(whole, "id", place),
        "type": "function",
        "function": {
            "name": text_in(function, "name", f"{place}.function"),
            "arguments": text_in(function, "arguments", f"{place}.function"),
        },
    }


def _content(content: Any, place: str, notes: list[str]) -> Content | None:
    if content is None or isinstance(content, str):
        return content
    parts = of_kind(content, list, place)
    return [_part(one, at(place, n), notes) for n, one in enumerate(parts)]


def _part(whole: Any, place: str, notes: list[str]) -> Part:
    whole = of_kind(whole, dict, place)
    if whole.get("type") == "text":
        return {"type": "text", "text": text_in(whole, "text", place)}
    if whole.get("type") == "input_audio":
        return _sound(of_kind(whole.get("input_audio"), dict, f"{place}.input_audio"), place)
    if whole.get("type") != "image_url":
        raise BadShape(f"{place}.type: text, image_url or input_audio is needed")
    url = text_in(of_kind(whole.get("image_url"), dict, f"{place}.image_url"), "url", place)
    if url.startswith("data:image/"):
        return {"type": "image_url", "image_url": {"url": url}}
    _note(notes, _NOTE_PICTURE)
    return {"type": "text", "text": "[A picture that was not imported.]"}


def _sound(whole: dict[str, Any], place: str) -> Part:
    data, form = text_in(whole, "data", place), text_in(whole, "format", place)
    if form not in get_args(SoundFormat):
        raise BadShape(f"{place}.format: wav or mp3 is needed")
    return {"type": "input_audio", "input_audio": {"data": data, "format": form}}


def _note(notes: list[str], text: str) -> None:
    if text not in notes:
        notes.append(text)
