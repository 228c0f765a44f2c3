"""What an interrupt stopped, told to the next turn and to the person. Pure."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hermes_core.ground.messages import Message, ToolCall, text_of, unanswered_calls

CALL = "Not run: interrupted by the user."
"""The answer to a call that was not begun."""

CUT_SHORT = "Interrupted by the user while this ran; it may have run in part."
"""The answer to a call that was stopped and left nothing."""

_STOPPED = "interrupted by the user]"
"""How the output of a command ends that was stopped."""

_SUBJECTS = ("path", "command", "pattern")
_SHORT = 100
_MOST = 10


@dataclass(frozen=True, slots=True)
class Account:
    """The calls of an interrupted turn that were not run, and those stopped while they ran.

    answering: whether there are none, so that it was the model's answer that was interrupted.
    """

    not_run: tuple[str, ...] = ()
    stopped: tuple[str, ...] = ()
    answering: bool = False

    def text(self) -> str:
        """Return what stands in the history for the answer that the turn has not got."""
        parts = ["The user interrupted this turn."]
        if self.answering:
            parts = ["The user interrupted this turn before its answer was whole; it is not kept."]
        if self.stopped:
            stopped = "; ".join(self.stopped)
            parts.append(f"Stopped while running, so perhaps done in part: {stopped}.")
        if self.not_run:
            parts.append(f"Not run: {'; '.join(self.not_run)}.")
        return f"[{' '.join(parts)}]"


def account_of(messages: Sequence[Message]) -> Account:
    """Return what the interrupted turn at the end of ``messages`` was doing."""
    turn = list(_turn(messages))
    calls = {call["id"]: call for message in turn for call in message.get("tool_calls", ())}
    answers = {m.get("tool_call_id", ""): text_of(m) for m in turn if m["role"] == "tool"}
    open_calls = unanswered_calls(turn)
    not_run = [call for call in calls.values() if answers.get(call["id"]) == CALL] + open_calls
    stopped = [call for call in calls.values() if _is_stopped(answers.get(call["id"], ""))]
    return Account(_told(not_run), _told(stopped), answering=not not_run and not stopped)


def _turn(messages: Sequence[Message]) -> Iterator[Message]:
    start = max((n for n, m in enumerate(messages) if m["role"] == "user"), default=-1)
    yield from messages[start + 1 :]


def _is_stopped(answer: str) -> bool:
    return answer.endswith((CUT_SHORT, _STOPPED))


def _told(calls: Sequence[ToolCall]) -> tuple[str, ...]:
    named = tuple(_name(call) for call in calls[:_MOST])
    more = len(calls) - len(named)
    return (*named, f"and {more} more") if more else named


def _name(call: ToolCall) -> str:
    """Return the tool's name, and what the call is about."""
    name = call["function"]["name"] or "a tool without a name"
    try:
        read = json.loads(call["function"]["arguments"])
    except (ValueError, RecursionError):
        return name
    arguments = read if isinstance(read, dict) else {}
    subject = next((arguments[key] for key in _SUBJECTS if key in arguments), "")
    words = " ".join(str(subject).split())
    return f"{name} {words[:_SHORT]}{'…' if len(words) > _SHORT else ''}".strip()
