"""Makes old messages smaller without a model: tools' answers and arguments, images, sounds.

What was made smaller once is not made smaller again. What the user and the model said stays.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hermes_core.agent.compression.groups import Group
from hermes_core.agent.steering import BEGINNING, END
from hermes_core.ground.messages import Message, Part, ToolCall, text_of

LONG_OUTPUT = 200
"""Characters of a tool's answer above which one line takes its place."""

LONG_ARGUMENTS = 500
"""Characters of a call's arguments above which long values are cut."""

KEPT_VALUE = 120
"""Characters that are kept of a value that is cut."""

IMAGE_GONE = "[An image stood here; it was dropped to make room.]"
SOUND_GONE = "[A sound stood here; it was dropped to make room.]"

_ANSWERED_BY_THE_USER = frozenset({"clarify"})
_READ_AGAIN = frozenset({"todo"})  # the plan is restored from its calls
_KEPT_ITEMS = 3
_DEEPEST = 4
_SAID = re.compile(f"{re.escape(BEGINNING)}.*?{re.escape(END)}", re.DOTALL)
_MARK = "[Dropped to make room: "


def pruned(groups: Sequence[Group], end: int, spare: Message | None = None) -> list[Group]:
    """Return ``groups`` with those before ``end`` made smaller; the others are looked at only.

    Of a long answer that is given again at ``end`` or after it, this is said. A group that has
    nothing to cut, or is the message to ``spare``, is the same object.
    """
    again = {
        text_of(message) for group in groups[end:] for message in group if message["role"] == "tool"
    }
    old = [g if g[0] is spare else _smaller(g, again) for g in groups[:end]]
    return [*old, *groups[end:]]


def shrunk(group: Group, tokens: int) -> Group:
    """Return ``group`` with its tools' answers cut in the middle, so that it has about ``tokens``.

    At least 1,000 characters stay of each answer: the model has not read them yet.
    """
    answers = [m for m in group if m["role"] == "tool"]
    if not answers:
        return group
    rest = sum(len(_bytes(m)) for m in group if m["role"] != "tool")
    share = max(1_000, (tokens * 4 - rest) // len(answers) - 100)
    return tuple(_cut_answer(m, share) if m["role"] == "tool" else m for m in group)


def cut_middle(text: str, most: int) -> str:
    """Return ``text`` with its middle left out, about ``most`` characters of it, if it is longer.

    Two thirds of what stays are from the beginning.
    """
    if len(text) <= most:
        return text
    head, tail = most * 2 // 3, most // 4
    left_out = len(text) - head - tail
    return f"{text[:head]}\n[… {left_out:,} characters cut …]\n{text[len(text) - tail :]}"


def short_arguments(arguments: str) -> str:
    """Return a call's arguments with long values cut, as valid JSON."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        value = {"arguments": arguments}
    shorter = json.dumps(_short(value, 0), ensure_ascii=False)
    if len(shorter) > LONG_ARGUMENTS:
        names = list(value)[:8] if isinstance(value, Mapping) else []
        shorter = json.dumps({name[:40]: "[cut]" for name in names}, ensure_ascii=False)
    return shorter if len(shorter) < len(arguments) else arguments


def _smaller(group: Group, again: Collection[str]) -> Group:
    calls = {call["id"]: call for m in group for call in m.get("tool_calls", ())}
    smaller: list[Message] = []
    for message in group:
        if message["role"] == "tool":
            call = calls.get(message.get("tool_call_id", ""))
            short = _short_answer(message, call, repeated=text_of(message) in again)
            smaller.append(_text_alone(short))
        elif message["role"] == "assistant":
            smaller.append(_short_calls(message))
        else:
            smaller.append(_text_alone(message))
    same = all(one is other for one, other in zip(smaller, group, strict=True))
    return group if same else tuple(smaller)


def _short_answer(message: Message, call: ToolCall | None, *, repeated: bool) -> Message:
    text = text_of(message)
    name = message.get("name", "") or (call["function"]["name"] if call else "")
    if len(text) <= LONG_OUTPUT or name in _ANSWERED_BY_THE_USER or text.startswith(_MARK):
        return message
    if repeated:
        line = f"{_MARK}the same as a later call of {name[:40] or 'this tool'} answered.]"
    else:
        lines = text.count("\n") + 1
        what = f"{name[:40]} {_hint(call)}".strip()
        line = f"{_MARK}{what} answered {len(text):,} characters in {lines:,} lines.]"
    return {**message, "content": "\n".join((line, *said_meanwhile(text)))}


def said_meanwhile(answer: str) -> list[str]:
    """Return what the user said to a running turn at the end of a tool's ``answer``, marks too."""
    return _SAID.findall(answer)


def _hint(call: ToolCall | None) -> str:
    """Return the first plain value that a call was given, which tells it from others."""
    if call is None:
        return ""
    try:
        given = json.loads(call["function"]["arguments"])
    except (ValueError, RecursionError):
        return ""
    values = given.values() if isinstance(given, dict) else ()
    plain = next((str(v) for v in values if isinstance(v, str | int | float)), "")
    plain = " ".join(plain.split())
    return plain if len(plain) <= 60 else plain[:59] + "…"


def _short_calls(message: Message) -> Message:
    calls = message.get("tool_calls", [])
    if all(len(call["function"]["arguments"]) <= LONG_ARGUMENTS for call in calls):
        return message
    changed = [_short_call(call) for call in calls]
    if changed == calls:
        return message
    shorter: Message = {**message, "tool_calls": changed}
    # the provider's records tell of the calls as they were
    shorter.pop("reasoning_details", None)
    shorter.pop("reasoning_places", None)
    return shorter


def _short_call(call: ToolCall) -> ToolCall:
    arguments = call["function"]["arguments"]
    function = call["function"]
    if len(arguments) <= LONG_ARGUMENTS or function["name"] in _READ_AGAIN:
        return call
    return {**call, "function": {**function, "arguments": short_arguments(arguments)}}


def _short(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        if len(value) <= KEPT_VALUE + 40:
            return value
        return f"{value[:KEPT_VALUE]}… [{len(value) - KEPT_VALUE:,} characters cut]"
    if depth >= _DEEPEST and isinstance(value, dict | list):
        return "[cut]"
    if isinstance(value, dict):
        return {name: _short(item, depth + 1) for name, item in value.items()}
    if isinstance(value, list):
        kept = [_short(item, depth + 1) for item in value[:_KEPT_ITEMS]]
        more = len(value) - _KEPT_ITEMS
        return [*kept, f"[{more} more cut]"] if more > 1 else [_short(v, depth + 1) for v in value]
    return value


def _text_alone(message: Message) -> Message:
    content = message["content"]
    if not isinstance(content, list) or all(part["type"] == "text" for part in content):
        return message
    return {**message, "content": [p if p["type"] == "text" else _gone(p) for p in content]}


def _gone(part: Part) -> Part:
    return {"type": "text", "text": SOUND_GONE if part["type"] == "input_audio" else IMAGE_GONE}


def _cut_answer(message: Message, most: int) -> Message:
    text = text_of(message)
    if len(text.encode("utf-8", "surrogatepass")) <= most:
        return message
    size = len(text) * most // max(1, len(text.encode("utf-8", "surrogatepass")))
    said = said_meanwhile(text)
    for one in said:
        text = text.replace(one, "")
    return {**message, "content": "\n".join((cut_middle(text, max(size, 300)), *said))}


def _bytes(message: Message) -> bytes:
    calls = json.dumps(message.get("tool_calls", []), ensure_ascii=False)
    return (text_of(message) + calls).encode("utf-8", "surrogatepass")
