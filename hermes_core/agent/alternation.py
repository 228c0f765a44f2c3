"""The order that the roles of a history must keep, and how one that lost it is put right.

A history begins with the user. The user and the assistant take turns; an assistant message with
tool calls is followed by exactly one tool message for each of them, and then by the assistant
again. Only tool messages may stand side by side. Providers refuse a request that breaks this.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import cast

from hermes_core.agent.wellformed import well_formed
from hermes_core.ground.errors import HermesError
from hermes_core.ground.messages import (
    Content,
    Message,
    Part,
    Role,
    ToolCall,
    text_of,
    tool_message,
    user_message,
)

PROCESS_ENDED = "interrupted: the process ended while this ran; it may have run"
"""The answer to a tool call that was open when its process ended."""

TURN_LOST = "[This turn ended without an answer: the process ended.]"
NO_ANSWER = "[No answer.]"
NO_PROMPT = "[The conversation goes on.]"


@dataclass(frozen=True, slots=True)
class Alternation:
    """Where a history stands: the role of its last message, and the calls that are not answered."""

    tail: Role | None = None
    open_calls: tuple[ToolCall, ...] = ()

    @property
    def awaits_model(self) -> bool:
        """Whether a model may be asked now: after a user message or a complete set of answers."""
        return self.tail in ("user", "tool") and not self.open_calls

    @property
    def awaits_user(self) -> bool:
        """Whether a user message may come now."""
        return self.tail in (None, "assistant") and not self.open_calls

    def then(self, message: Message) -> "Alternation":
        """Return the state after ``message``; raise ``HermesError`` if it may not come next."""
        role = message["role"]
        if role == "tool":
            return Alternation(role, self._without(message.get("tool_call_id")))
        if (role == "user" and self.awaits_user) or (role == "assistant" and self.awaits_model):
            return Alternation(role, tuple(message.get("tool_calls", ())))
        raise HermesError(
            f"A message of the role {role!r} may not follow {self.tail!r}"
            f" with {len(self.open_calls)} open tool calls. This is a fault of Hermes itself."
        )

    def _without(self, call_id: str | None) -> tuple[ToolCall, ...]:
        for place, call in enumerate(self.open_calls):
            if call["id"] == call_id:
                return self.open_calls[:place] + self.open_calls[place + 1 :]
        raise HermesError(
            f"No tool call {call_id!r} waits for an answer. This is a fault of Hermes itself."
        )


def closing(order: Alternation, call_text: str, turn_text: str) -> list[Message]:
    """Return the messages that bring a history to rest, so that the user may speak next.

    Each open tool call is answered with ``call_text``; unless the assistant had the last word,
    an assistant message with ``turn_text`` says how the turn ended. Empty for one at rest.
    """
    found = [
        tool_message(call["id"], call["function"]["name"], call_text) for call in order.open_calls
    ]
    if found or order.awaits_model:
        found.append({"role": "assistant", "content": turn_text})
    return found


def repair(messages: Iterable[Message]) -> tuple[list[Message], list[str]]:
    """Return ``messages`` in the order that a history must keep, and a note for each change.

    Calls that a later message leaves behind open are answered with ``PROCESS_ENDED``; calls that
    are open at the very end stay open, for ``closing``. Consecutive messages of one role are
    merged, tool messages that answer nothing are dropped, and so are system messages. Calls whose
    id is blank or was there before get new ones, and so do their answers. What is no message of
    ours is made one, or dropped; nothing raises. A history that is in order comes back unchanged,
    without notes.
    """
    mend = _Mend()
    for message in messages:
        mend.add(message)
    return mend.messages, mend.notes


class _Mend:
    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.notes: list[str] = []
        self._open: list[tuple[str, ToolCall]] = []  # each with the id that its answer names
        self._ids: set[str] = set()

    def add(self, given: Message) -> None:
        message, notes = well_formed(given)
        self.notes += notes
        if message is None:
            return
        if message["role"] == "tool":
            self._add_answer(message)
            return
        self._answer_open_calls()
        if message["role"] == "user":
            self._add_user(message)
        else:
            self._add_assistant(message)

    def _add_answer(self, message: Message) -> None:
        call_id = message.get("tool_call_id")
        for place, (named, call) in enumerate(self._open):
            if named == call_id:
                del self._open[place]
                if call["id"] != call_id:
                    message = {**message, "tool_call_id": call["id"]}
                self.messages.append(message)
                return
        self.notes.append(f"dropped an answer to the unknown or answered tool call {call_id!r}")

    def _answer_open_calls(self) -> None:
        for _, call in self._open:
            name = call["function"]["name"]
            self.messages.append(tool_message(call["id"], name, PROCESS_ENDED))
            self.notes.append(f"answered the open tool call {call['id']!r} of {name!r}")
        self._open = []

    def _add_user(self, message: Message) -> None:
        tail = self._tail()
        if tail == "user":
            self.messages[-1] = _merged(self.messages[-1], message)
            self.notes.append("merged two user messages")
            return
        if tail == "tool":
            self.messages.append({"role": "assistant", "content": TURN_LOST})
            self.notes.append("closed a turn that had no answer")
        self.messages.append(message)

    def _add_assistant(self, message: Message) -> None:
        tail = self._tail()
        if tail is None:
            self.messages.append(user_message(NO_PROMPT))
            self.notes.append("put a user message before the first answer")
        elif tail == "assistant":
            message = _merged(self.messages.pop(), message)
            self.notes.append("merged two assistant messages")
        if "tool_calls" in message and not message["tool_calls"]:
            message = {**message}
            del message["tool_calls"]
            self.notes.append("dropped an empty list of tool calls")
        if not message.get("tool_calls") and not text_of(message).strip():
            message = {**message, "content": NO_ANSWER}
            self.notes.append("filled an empty answer")
        if message.get("tool_calls") and message.get("finish_reason") == "content_filter":
            message = {**message, "finish_reason": "tool_calls"}
            self.notes.append("took an answer with tool calls for one that was not withheld")
        self.messages.append(self._with_own_ids(message))

    def _with_own_ids(self, message: Message) -> Message:
        """Return ``message`` with ids that no other call has; wait for the answers to its calls."""
        calls = []
        for call in message.get("tool_calls", []):
            own = call if self._is_new(call["id"]) else {**call, "id": self._new(call["id"])}
            self._ids.add(own["id"])
            self._open.append((call["id"], own))
            calls.append(own)
        if calls == message.get("tool_calls", []):
            return message
        self.notes.append("gave new ids to tool calls")
        return {**message, "tool_calls": calls}

    def _is_new(self, call_id: str) -> bool:
        return bool(call_id.strip()) and call_id not in self._ids

    def _new(self, call_id: str) -> str:
        stem = call_id.strip() or "call"
        return next(new for n in count(2) if (new := f"{stem}-{n}") not in self._ids)

    def _tail(self) -> Role | None:
        return self.messages[-1]["role"] if self.messages else None


def _merged(first: Message, second: Message) -> Message:
    """Return one message that says what ``first`` and then ``second`` say.

    Reasoning is kept of one maker alone, the later: nobody else's may be sent to it.
    """
    merged: Message = {
        **first,
        **second,
        "content": joined(first.get("content"), second.get("content")),
    }
    merged.pop("reasoning", None)
    merged.pop("reasoning_details", None)
    merged.pop("reasoning_places", None)
    kept = [m for m in (first, second) if m.get("origin") == merged.get("origin")]
    reasoning = "\n\n".join(m["reasoning"] for m in kept if m.get("reasoning"))
    if reasoning:
        merged["reasoning"] = reasoning
    details = [record for m in kept for record in m.get("reasoning_details", [])]
    if details:
        merged["reasoning_details"] = details
    return merged


def joined(first: Content | None, second: Content | None) -> Content:
    """Return the contents as one: texts with a blank line between them, parts in a row."""
    if isinstance(first, list) or isinstance(second, list):
        return [*_parts(first), *_parts(second)]
    return "\n\n".join(text for text in (first, second) if text)


def _parts(content: Content | None) -> list[Part]:
    if isinstance(content, list):
        return content
    return [cast(Part, {"type": "text", "text": content})] if content else []
