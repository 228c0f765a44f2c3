"""Stored messages to the alternating turns of blocks that a Messages endpoint takes."""

from collections.abc import Sequence
from typing import Any, Final

from hermes_core.ground.messages import Message, ToolCall, has_images, text_of
from hermes_core.ground.runtime import Runtime
from hermes_core.wire.functions import arguments_of, call_id, function_name
from hermes_core.wire.order import spans_of
from hermes_core.wire.origin import is_own
from hermes_core.wire.text import EMPTY, NO_IMAGE, NO_SOUND, clean

_THINKING: Final = ("thinking", "redacted_thinking")

Block = dict[str, Any]


def to_turns(
    messages: Sequence[Message], runtime: Runtime, stale: int
) -> tuple[list[Block], list[dict[str, Any]]]:
    """Return the system prompt's blocks and the turns, of which no two in a row have one role."""
    system: list[Block] = []
    turns: list[dict[str, Any]] = []
    for place, message in enumerate(messages):
        role = message["role"]
        if role == "system":
            system += _texts(text_of(message))
        elif role == "assistant":
            records = place >= stale and runtime.compat.echo_details is not False
            _append(turns, "assistant", _said(message, records and is_own(message, runtime)))
        elif role == "tool":
            _append(turns, "user", [_result(message, runtime)])
        else:
            _append(turns, "user", _asked(message, runtime))
    return system, turns


def is_mid_turn_without_thinking(turns: Sequence[dict[str, Any]]) -> bool:
    """Tell whether calls were just answered that came from an answer without thinking."""
    if len(turns) < 2 or turns[-1]["content"][0]["type"] != "tool_result":
        return False
    return turns[-2]["content"][0]["type"] not in _THINKING


def _append(turns: list[dict[str, Any]], role: str, blocks: list[Block]) -> None:
    if turns and turns[-1]["role"] == role:
        turns[-1]["content"] += blocks
    else:
        turns.append({"role": role, "content": blocks})


def _said(message: Message, own: bool) -> list[Block]:
    blocks: list[Block] = []
    for text, calls, record in spans_of(message, records=own):
        blocks += _texts(text)
        blocks += map(_call, calls)
        if isinstance(record, dict) and record.get("type") in _THINKING:
            blocks.append(clean(record))
    if all(block["type"] in _THINKING for block in blocks):
        blocks.append({"type": "text", "text": EMPTY})
    return blocks


def _asked(message: Message, runtime: Runtime) -> list[Block]:
    content = message["content"]
    if not isinstance(content, list):
        return _texts(content or "") or _texts(EMPTY)
    blocks: list[Block] = []
    for part in content:
        if part["type"] == "text":
            blocks += _texts(part.get("text", ""))
        elif part["type"] == "input_audio":
            blocks += _texts(NO_SOUND)
        elif not runtime.compat.images:
            blocks += _texts(NO_IMAGE)
        elif "image_url" in part:
            blocks.append({"type": "image", "source": _source(clean(part["image_url"]["url"]))})
    return blocks or _texts(EMPTY)


def _source(url: str) -> dict[str, str]:
    """Return where an image comes from; local images are ``data:`` addresses."""
    head, comma, data = url.partition(",")
    if not comma or not head.startswith("data:"):
        return {"type": "url", "url": url}
    media_type = head.removeprefix("data:").partition(";")[0]
    return {"type": "base64", "media_type": media_type, "data": data}


def _texts(text: str) -> list[Block]:
    """Return the block of ``text``; endpoints refuse a blank one."""
    return [{"type": "text", "text": clean(text)}] if text.strip() else []


def _call(call: ToolCall) -> Block:
    function = call["function"]
    return {
        "type": "tool_use",
        "id": call_id(call["id"]),
        "name": function_name(function["name"]),
        "input": arguments_of(function["arguments"]),
    }


def _result(message: Message, runtime: Runtime) -> Block:
    text = text_of(message)
    content: Any = clean(text) if text.strip() else EMPTY
    if has_images(message):
        content = _asked(message, runtime)
    answered = call_id(message.get("tool_call_id", ""))
    return {"type": "tool_result", "tool_use_id": answered, "content": content}
