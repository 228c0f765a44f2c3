"""One stored message to the form that a chat completions endpoint takes."""

import json
from typing import Any

from hermes_core.ground.messages import Message, ToolCall, text_of
from hermes_core.ground.runtime import Compat

_EMPTY = "(empty)"
"""Stands for an assistant message without text or calls, which endpoints refuse."""


def to_wire(message: Message, compat: Compat, *, keep_reasoning: bool) -> dict[str, Any]:
    """Return ``message`` with the keys of the format alone.

    Arguments of a stored call that are not a JSON object are sent as ``{}``: strict endpoints
    refuse the whole request otherwise, and the call's answer says what was wrong with it.
    """
    role = message["role"]
    if role == "assistant":
        sent = _assistant(message)
        return {**sent, **_reasoning(message, compat)} if keep_reasoning else sent
    if role == "tool":
        call_id = message.get("tool_call_id", "")
        return {"role": role, "tool_call_id": clean(call_id), "content": clean(text_of(message))}
    return {"role": role, "content": _content(message)}


def clean(value: Any) -> Any:
    """Return ``value`` with lone surrogates replaced and surrogate pairs joined."""
    if isinstance(value, str):
        if value.isascii():
            return value
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return value
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(item) for item in value]
    return value


def _content(message: Message) -> Any:
    content = message["content"]
    if not isinstance(content, list) or all(part["type"] == "text" for part in content):
        return clean(text_of(message))
    parts: list[dict[str, Any]] = []
    for part in content:
        if part["type"] == "text":
            parts.append({"type": "text", "text": clean(part.get("text", ""))})
        elif "image_url" in part:
            url = clean(part["image_url"]["url"])
            parts.append({"type": "image_url", "image_url": {"url": url}})
    return parts


def _assistant(message: Message) -> dict[str, Any]:
    text = clean(text_of(message))
    calls = message.get("tool_calls")
    sent: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        sent["content"] = text or None
        sent["tool_calls"] = [_call(call) for call in calls]
    elif not text.strip():
        sent["content"] = _EMPTY
    return sent


def _reasoning(message: Message, compat: Compat) -> dict[str, Any]:
    echoed: dict[str, Any] = {}
    if compat.echo_reasoning and (message.get("reasoning") or message.get("tool_calls")):
        # endpoints that want reasoning back refuse a call without it, but take a blank
        echoed["reasoning_content"] = clean(message.get("reasoning") or " ")
    if compat.echo_details and message.get("reasoning_details"):
        echoed["reasoning_details"] = clean(message["reasoning_details"])
    return echoed


def _call(call: ToolCall) -> dict[str, Any]:
    function = call["function"]
    return {
        "id": clean(call["id"]),
        "type": "function",
        "function": {
            "name": clean(function["name"]) or "unknown",
            "arguments": _arguments(function["arguments"]),
        },
    }


def _arguments(text: str) -> str:
    try:
        if isinstance(json.loads(text), dict):
            return str(clean(text))
    except (ValueError, RecursionError):
        pass
    return "{}"
