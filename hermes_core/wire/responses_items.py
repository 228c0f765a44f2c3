"""One stored message to the input items that a Responses endpoint takes."""

from typing import Any

from hermes_core.ground.messages import Message, ToolCall, has_images, text_of
from hermes_core.ground.runtime import Runtime
from hermes_core.wire.functions import arguments_text, call_id, function_name
from hermes_core.wire.order import spans_of
from hermes_core.wire.origin import is_own
from hermes_core.wire.text import EMPTY, NO_IMAGE, NO_SOUND, clean

Item = dict[str, Any]


def to_items(message: Message, runtime: Runtime, *, keep_reasoning: bool) -> list[Item]:
    """Return the items that ``message`` becomes: none for a system message."""
    role = message["role"]
    if role == "system":
        return []
    if role == "tool":
        output = _parts(message, runtime) if has_images(message) else clean(text_of(message))
        answered = call_id(message.get("tool_call_id", ""))
        return [{"type": "function_call_output", "call_id": answered, "output": output}]
    if role == "assistant":
        wanted = keep_reasoning and runtime.compat.echo_details is not False
        return _said(message, wanted and is_own(message, runtime))
    return [{"type": "message", "role": "user", "content": _parts(message, runtime)}]


def _said(message: Message, own: bool) -> list[Item]:
    items: list[Item] = []
    told = False
    for text, calls, record in spans_of(message, records=own):
        if text.strip():
            items.append({**_answer(text), **_phase(record)})
        items += map(_call, calls)
        told = told or bool(text.strip() or calls)
        if isinstance(record, dict) and record.get("encrypted_content"):
            items.append(_reasoning(record))
    if not told:
        items.append(_answer(EMPTY))
    return items


def _answer(text: str) -> Item:
    return {"type": "message", "role": "assistant", "content": clean(text)}


def _phase(record: Any) -> Item:
    """Return what the model said of its text: whether it is commentary or the final answer."""
    if isinstance(record, dict) and record.get("type") == "message" and record.get("phase"):
        return {"phase": record["phase"]}
    return {}


def _reasoning(record: Item) -> Item:
    """Return a reasoning item to send back.

    Its id is left out, since the server keeps nothing that could be looked up by it, and so are
    its state and what is null.
    """
    kept = {k: v for k, v in record.items() if k not in ("id", "status") and v is not None}
    return {"type": "reasoning", "summary": [], **clean(kept)}


def _call(call: ToolCall) -> Item:
    function = call["function"]
    return {
        "type": "function_call",
        "call_id": call_id(call["id"]),
        "name": function_name(function["name"]),
        "arguments": arguments_text(function["arguments"]),
    }


def _parts(message: Message, runtime: Runtime) -> list[Item]:
    content = message["content"]
    if not isinstance(content, list):
        return [_text(content if content and content.strip() else EMPTY)]
    parts: list[Item] = []
    for part in content:
        if part["type"] == "text":
            if part.get("text", "").strip():
                parts.append(_text(part.get("text", "")))
        elif part["type"] == "input_audio":
            parts.append(_text(NO_SOUND))
        elif not runtime.compat.images:
            parts.append(_text(NO_IMAGE))
        elif "image_url" in part:
            url = clean(part["image_url"]["url"])
            parts.append({"type": "input_image", "image_url": url, "detail": "auto"})
    return parts or [_text(EMPTY)]


def _text(text: str) -> Item:
    return {"type": "input_text", "text": clean(text)}
