"""A conversation with tools as one text, and an agent's text as an answer with tool calls. Pure.

An agent that is asked for one answer has no place for another's tools. They are described to it in
words, and it asks for one by writing ``<tool_call>{"name": …, "arguments": {…}}</tool_call>``.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

OPEN: Final = "<tool_call>"
CLOSE: Final = "</tool_call>"

_TASK: Final = """\
Continue the conversation below: write the next message of the assistant, and nothing else. You work
through the tools that are described here, and through no others: your own tools, files and
commands are not available. The conversation tells what these tools answered so far."""

_CALLING: Final = f"""\
To call a tool, write {OPEN}{{"name": "...", "arguments": {{...}}}}{CLOSE}, one for each call, and
then end your message: the answers follow in the next one. Write the JSON on one line."""


def to_prompt(request: Mapping[str, Any]) -> str:
    """Return the chat completions ``request`` as one prompt."""
    tools = [tool.get("function", {}) for tool in request.get("tools") or []]
    parts = [_TASK]
    if tools:
        parts += [_CALLING, _section("tools", json.dumps(tools, ensure_ascii=False))]
    parts += [_message(message) for message in request.get("messages") or []]
    return "\n\n".join([*parts, "Now the assistant's next message:"])


class Sieve:
    """Parts an answer's text from its tool calls, as it arrives.

    What may turn out to be the beginning of a call is held back.
    """

    def __init__(self) -> None:
        self.calls = 0
        self._held = ""

    def feed(self, text: str) -> Iterator[dict[str, Any]]:
        """Take more text; yield deltas of a chat completion."""
        self._held += text
        while True:
            before, tag, rest = self._held.partition(OPEN)
            if not tag:
                yield from self._release(len(before) - _overlap(before))
                return
            body, tag, after = rest.partition(CLOSE)
            if not tag:
                yield from self._release(len(before))
                return
            if before.strip():
                yield {"content": before}
            self._held = after
            yield self._call(body)

    def end(self) -> Iterator[dict[str, Any]]:
        """Yield what is held back: a call whose end is missing counts if its JSON is whole."""
        held, self._held = self._held, ""
        if held.startswith(OPEN) and _parsed(held[len(OPEN) :]) is not None:
            yield self._call(held[len(OPEN) :])
        elif held.strip():
            yield {"content": held}

    def _release(self, size: int) -> Iterator[dict[str, Any]]:
        text, self._held = self._held[:size], self._held[size:]
        if text and not (self.calls and not text.strip()):
            yield {"content": text}

    def _call(self, body: str) -> dict[str, Any]:
        wanted = _parsed(body)
        if wanted is None:
            return {"content": f"{OPEN}{body}{CLOSE}"}
        arguments = wanted.get("arguments", {})
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        function = {"name": wanted["name"], "arguments": text}
        self.calls += 1
        number = self.calls - 1
        call = {"index": number, "id": f"call_{number}", "type": "function", "function": function}
        return {"tool_calls": [call]}


def _parsed(body: str) -> dict[str, Any] | None:
    try:
        data = json.loads(body.strip(), strict=False)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) and isinstance(data.get("name"), str) else None


def _overlap(text: str) -> int:
    """Return how many signs at the end of ``text`` may begin a call."""
    return next(
        (n for n in range(min(len(OPEN) - 1, len(text)), 0, -1) if OPEN[:n] == text[-n:]), 0
    )


def _message(message: Mapping[str, Any]) -> str:
    role = str(message.get("role", "user"))
    text = _text(message.get("content"))
    if role == "tool":
        return _section(f'tool_answer id="{message.get("tool_call_id", "")}"', text)
    calls = [_told(call) for call in message.get("tool_calls") or []]
    return _section(role, "\n".join([*([text] if text else []), *calls]))


def _told(call: Mapping[str, Any]) -> str:
    function = call.get("function", {})
    try:
        arguments = json.loads(function.get("arguments") or "{}")
    except ValueError:
        arguments = function.get("arguments")
    told = {"id": call.get("id"), "name": function.get("name"), "arguments": arguments}
    return f"{OPEN}{json.dumps(told, ensure_ascii=False)}{CLOSE}"


def _text(content: Any) -> str:
    if isinstance(content, Sequence) and not isinstance(content, str):
        return "\n".join(_part(part) for part in content)
    return "" if content is None else str(content)


def _part(part: Any) -> str:
    if isinstance(part, Mapping) and isinstance(part.get("text"), str):
        return str(part["text"])
    return "[something that is no text was left out]"


def _section(head: str, text: str) -> str:
    return f"<{head}>\n{text}\n</{head.split(maxsplit=1)[0]}>"
