"""One stored message to the form that a chat completions endpoint takes."""

from collections.abc import Sequence
from typing import Any, Final

from hermes_core.ground.messages import Message, Part, ToolCall, has_images, text_of
from hermes_core.ground.runtime import Runtime
from hermes_core.wire.functions import arguments_text, function_name
from hermes_core.wire.origin import is_own
from hermes_core.wire.text import EMPTY, NO_IMAGE, NO_SOUND, clean

_SOUND: Final = ("data", "format")
OF_RESULTS: Final = "[The images of the tool results above, in their order:]"


def to_wire(message: Message, runtime: Runtime, *, keep_reasoning: bool) -> dict[str, Any]:
    """Return ``message`` with the keys of the format alone.

    Content of tool messages is always a string; for their images see ``shown_after``. Reasoning
    goes to its own maker, and only where that wants it back.
    """
    role = message["role"]
    if role == "assistant":
        return _assistant(message, runtime, keep_reasoning)
    if role == "tool":
        answered, text = message.get("tool_call_id", ""), text_of(message)
        if has_images(message) and not runtime.compat.images:
            text = f"{text}\n{NO_IMAGE}"
        return {"role": role, "tool_call_id": clean(answered), "content": clean(text)}
    named = runtime.compat.system_role if role == "system" else role
    return {"role": named, "content": _content(message, runtime)}


def shown_after(results: Sequence[Message], runtime: Runtime) -> list[dict[str, Any]]:
    """Return the message that shows the images of tool results, if they have any.

    It follows the last of them: the format's tool messages take no images.
    """
    if not runtime.compat.images or not any(map(has_images, results)):
        return []
    parts: list[dict[str, Any]] = [{"type": "text", "text": OF_RESULTS}]
    for message in results:
        content = message["content"]
        for part in content if isinstance(content, list) else ():
            if "image_url" in part:
                url = clean(part["image_url"]["url"])
                parts.append({"type": "image_url", "image_url": {"url": url}})
    return [{"role": "user", "content": parts}]


def _content(message: Message, runtime: Runtime) -> Any:
    content = message["content"]
    if not isinstance(content, list) or all(part["type"] == "text" for part in content):
        return clean(text_of(message))
    return [sent for part in content for sent in _sent(part, runtime)]


def _sent(part: Part, runtime: Runtime) -> list[dict[str, Any]]:
    """Return what is sent of one part: nothing of a blank text, which endpoints refuse."""
    if part["type"] == "text":
        text = part.get("text", "")
        return [{"type": "text", "text": clean(text)}] if text.strip() else []
    if part["type"] == "input_audio":
        if not runtime.compat.audio:
            return [{"type": "text", "text": NO_SOUND}]
        sound = part["input_audio"]
        return [{"type": "input_audio", "input_audio": {k: clean(sound[k]) for k in _SOUND}}]
    if not runtime.compat.images:
        return [{"type": "text", "text": NO_IMAGE}]
    url = clean(part["image_url"]["url"])
    return [{"type": "image_url", "image_url": {"url": url}}]


def _assistant(message: Message, runtime: Runtime, keep_reasoning: bool) -> dict[str, Any]:
    text = clean(text_of(message))
    calls = message.get("tool_calls")
    own = keep_reasoning and is_own(message, runtime)
    sent: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        sent["content"] = text or None
        sent["tool_calls"] = [_call(call, own) for call in calls]
    elif not text.strip():
        sent["content"] = EMPTY
    if runtime.compat.echo_reasoning:
        reasoning = clean(message.get("reasoning", "")) if own else ""
        if reasoning or calls:
            # endpoints that want reasoning back refuse a call without it, but take a blank
            sent["reasoning_content"] = reasoning or " "
    if own and runtime.compat.echo_details and message.get("reasoning_details"):
        sent["reasoning_details"] = clean(message["reasoning_details"])
    return sent


def _call(call: ToolCall, own: bool) -> dict[str, Any]:
    function = call["function"]
    sent: dict[str, Any] = {
        "id": clean(call["id"]),
        "type": "function",
        "function": {
            "name": function_name(function["name"]),
            "arguments": arguments_text(function["arguments"]),
        },
    }
    if own and "extra_content" in call:
        sent["extra_content"] = clean(call["extra_content"])
    return sent
