"""One message of a history that was handed in or imported, brought into the shape of ours. Pure.

What is read again from our own store comes back as it is. Nothing here raises, whatever the message
is; the order of messages is the affair of ``alternation``.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, cast, get_args

from hermes_core.ground.messages import Content, Message, Role, ToolCall

_ROLES = get_args(Role)
_BESIDE_TEXT = {"image_url": ("url",), "input_audio": ("data", "format")}


def well_formed(message: Any) -> tuple[Message | None, list[str]]:
    """Return ``message`` in our shape, None if it cannot be one, with a note for each change."""
    if not isinstance(message, Mapping):
        return None, [f"dropped what is no message but {type(message).__name__}"]
    role = message.get("role")
    if role not in _ROLES or role == "system":
        return None, [f"dropped a message of the role {str(role)[:40]!r}"]
    notes: list[str] = []
    whole = dict(message)
    content = _content(message.get("content"))
    if "content" not in message or content != message["content"]:
        notes.append(f"put the content of a message of the role {role!r} into its form")
        whole["content"] = content
    for key, fits in _OPTIONAL.items():
        if key in whole and not fits(whole[key]):
            del whole[key]
            notes.append(f"dropped {key} of a message, which is none")
    if role == "assistant" and whole.get("tool_calls"):
        calls = [call for one in whole["tool_calls"] if (call := _call(one)) is not None]
        if calls != whole["tool_calls"]:
            notes.append("put the tool calls of a message into their form")
            whole["tool_calls"] = calls
    elif role != "assistant" and whole.pop("tool_calls", None) is not None:
        notes.append(f"dropped the tool calls of a message of the role {role!r}")
    return cast(Message, whole), notes


def _content(content: Any) -> Content | None:
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list):
        return cast(Content, [part for one in content if (part := _part(one)) is not None])
    return _json(content)


def _part(part: Any) -> Any:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if not isinstance(part, Mapping):
        return None
    kind, text = part.get("type"), part.get("text")
    if kind in _BESIDE_TEXT:
        inner = part.get(kind)
        fits = isinstance(inner, Mapping) and all(
            isinstance(inner.get(name), str) for name in _BESIDE_TEXT[kind]
        )
        return part if fits else None
    if not isinstance(text, str):
        return None
    return part if kind == "text" else {"type": "text", "text": text}


def _call(call: Any) -> ToolCall | None:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping):
        return None
    name, arguments = function.get("name"), function.get("arguments")
    if not isinstance(name, str):
        return None
    whole: ToolCall = {
        "id": call["id"] if isinstance(call.get("id"), str) else "",
        "type": "function",
        "function": {
            "name": name,
            "arguments": arguments if isinstance(arguments, str) else _json(arguments or {}),
        },
    }
    if "extra_content" in call:
        whole["extra_content"] = call["extra_content"]
    return whole


def _json(value: Any) -> str:
    try:
        return json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return str(type(value).__name__)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_places(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, list) and len(one) == 2 and all(isinstance(n, int) for n in one)
        for one in value
    )


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


_OPTIONAL: dict[str, Callable[[Any], bool]] = {
    "tool_calls": _is_list,
    "tool_call_id": _is_text,
    "name": _is_text,
    "reasoning": _is_text,
    "reasoning_details": _is_list,
    "reasoning_places": _are_places,
    "origin": _is_text,
    "finish_reason": _is_text,
}
