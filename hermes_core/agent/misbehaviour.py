"""Answers that are none, or not all of one: what is asked again, and what is kept meanwhile. Pure.

| the answer | what follows | how often in a row |
|---|---|---|
| empty | asked again with a word | 1 |
| thinking alone | its reasoning is kept, asked again | 2 |
| cut at the output limit, in its text | goes on where it stopped, the pieces are joined | 4 |
| cut in a tool call, or in its thinking | asked again, nothing is run | 2 |

After that the turn ends, see ``endings``. What was held back goes into the history with the whole
answer, as one message; until then each request alone carries it, before the word that asks on.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from typing import Literal, cast

from hermes_core.ground.events import Emit, Event, TextDelta
from hermes_core.ground.messages import Message, text_of

Fault = Literal["empty", "thought", "cut_text", "cut_call", "cut_thought"]

PATIENCE: dict[Fault, int] = {
    "empty": 1,
    "thought": 2,
    "cut_text": 4,
    "cut_call": 2,
    "cut_thought": 2,
}
"""How often an answer with this fault is asked for again."""

ASKS: dict[Fault, str] = {
    "empty": (
        "[Hermes: your last answer was empty. Go on with the task, or give your final answer in"
        " text.]"
    ),
    "thought": (
        "[Hermes: your last answer held thinking alone. Call a tool, or give your answer in text.]"
    ),
    "cut_text": (
        "[Hermes: your answer was cut off at the output limit. Go on exactly where it stops,"
        " without repeating anything and without a word about this.]"
    ),
    "cut_call": (
        "[Hermes: your answer was cut off at the output limit in the middle of a tool call, so"
        " nothing was run. Make the call again, whole; split a long one into several.]"
    ),
    "cut_thought": (
        "[Hermes: the output limit was reached while you were thinking. Think less, and answer or"
        " call a tool.]"
    ),
}

_LONGER: tuple[Fault, ...] = ("cut_text", "cut_call", "cut_thought")
_MOST = 8
"""How many times as long as usual an answer may get."""


def fault_of(answer: Message, before: str = "") -> Fault | None:
    """Return what is wrong with ``answer``; None if it can be taken as it is.

    before: the text that it goes on from. Nothing to add to it is no fault, nor is a refusal.
    """
    reason, calls = answer.get("finish_reason"), answer.get("tool_calls")
    said = bool(text_of(answer).strip())
    if reason == "content_filter":
        return None
    if reason == "length":
        return "cut_call" if calls else "cut_text" if said else "cut_thought"
    if calls or said or before.strip():
        return None
    return "thought" if answer.get("reasoning") or answer.get("reasoning_details") else "empty"


class Draft:
    """The answer as far as the model has got with it; one for each turn.

    note: what the next request says, ``""`` for nothing. longer: how many times as long as usual
    the next answer may be.
    """

    def __init__(self) -> None:
        self._faults: Counter[Fault] = Counter()
        self._held: Message | None = None
        self._message_id = ""
        self.note = ""
        self.longer = 1

    @property
    def text(self) -> str:
        """What there is of the answer's text."""
        return text_of(self._held) if self._held else ""

    @property
    def partial(self) -> Message | None:
        """What there is of the answer, if it has text; its calls never belong to it."""
        return self._held if self.text.strip() else None

    def take(self, answer: Message) -> Message | None:
        """Take an answer; return the whole one, or None if it has to be asked for again."""
        fault = fault_of(answer, self.text)
        whole = answer if self._held is None else continued(self._held, answer)
        if fault and self._faults[fault] < PATIENCE[fault]:
            self._hold(whole, fault)
            return None
        self._faults.clear()
        self._held, self._message_id, self.note, self.longer = None, "", "", 1
        return whole

    def voice(self, emit: Emit) -> Emit:
        """Return an ``Emit`` that shows the pieces of one answer as pieces of one message."""
        going_on = bool(self.text)

        def tell(event: Event) -> None:
            if isinstance(event, TextDelta):
                if going_on and self._message_id:
                    event = replace(event, message_id=self._message_id)
                self._message_id = event.message_id
            emit(event)

        return tell

    def _hold(self, whole: Message, fault: Fault) -> None:
        self._faults[fault] += 1
        self.note = ASKS[fault]
        left_out = {"tool_calls"}
        if fault in _LONGER:
            self.longer = min(self.longer * 2, _MOST)
        if fault == "cut_thought":  # a record that was cut off is none
            left_out |= {"reasoning_details", "reasoning_places"}
        self._held = _without(whole, left_out)
        if not self.text.strip():
            self._held["content"] = ""


def continued(first: Message, second: Message) -> Message:
    """Return one answer of the two: texts and reasoning in a row, the second's calls and end.

    Reasoning records are kept in their order, each with its place in the joined text.
    """
    if first.get("origin") != second.get("origin"):
        first = _without(first, {"reasoning", "reasoning_details", "reasoning_places"})
    whole: Message = {**first, **second, "content": text_of(first) + text_of(second)}
    reasoning = [text for m in (first, second) if (text := m.get("reasoning"))]
    if reasoning:
        whole["reasoning"] = "\n\n".join(reasoning)
    records = [*first.get("reasoning_details", []), *second.get("reasoning_details", [])]
    if records:
        whole["reasoning_details"] = records
        places = [*_places(first, 0), *_places(second, len(text_of(first)))]
        whole.pop("reasoning_places", None)
        if any(map(any, places)):
            whole["reasoning_places"] = places
    return whole


def _without(message: Message, keys: Collection[str]) -> Message:
    return cast(Message, {key: value for key, value in message.items() if key not in keys})


def _places(message: Message, before: int) -> list[list[int]]:
    """Return the places of a message's records, its text beginning after ``before`` characters."""
    records = message.get("reasoning_details", [])
    places = message.get("reasoning_places") or [[0, 0] for _ in records]
    return [[characters + before, calls] for characters, calls in places]
