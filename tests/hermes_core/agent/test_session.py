"""How a turn begins and ends in the store, whatever its steps do."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_core.agent.conversation import Conversation
from hermes_core.agent.endings import REFUSED, Ending
from hermes_core.agent.session import Session
from hermes_core.ground.errors import Interrupted, Refused, ServerError, StoreError
from hermes_core.ground.events import (
    StatusChanged,
    TextDelta,
    TitleChanged,
    TurnInterrupted,
    UserPrompted,
)
from hermes_core.ground.interrupt import Interrupt
from hermes_core.sessions.store import SessionRow, Store
from tests.hermes_core.agent.doubles import Screen, calls, says, tool_call

Steps = Callable[[Conversation], Ending]


class Desk:
    """A session of its own, and what it showed."""

    def __init__(self, store: Store, cwd: Path) -> None:
        self.store = store
        self.screen = Screen()
        self.interrupt = Interrupt()
        row = SessionRow("s", str(cwd), system_prompt="stored prompt")
        store.create_session(row)
        self.session = Session(store, row, self.screen, stored=False)

    def run(self, steps: Steps, prompt: str = "do it") -> Ending:
        return self.session.run(prompt, None, None, steps, self.interrupt)

    @property
    def contents(self) -> list[Any]:
        return [message["content"] for message in self.store.messages("s")]


@pytest.fixture
def desk(store: Store, tmp_path: Path) -> Desk:
    return Desk(store, tmp_path)


def raising(error: BaseException) -> Steps:
    def steps(conversation: Conversation) -> Ending:
        conversation.append(calls(tool_call("1", "look")))
        raise error

    return steps


def answering(text: str) -> Steps:
    def steps(conversation: Conversation) -> Ending:
        conversation.append(says(text))
        return Ending(text, "end_turn")

    return steps


def test_an_answer_needs_no_closing(desk: Desk) -> None:
    assert desk.run(answering("ok")) == Ending("ok", "end_turn")
    assert desk.contents == ["do it", "ok"]
    assert [type(event) for event in desk.screen.events] == [UserPrompted, TitleChanged]


def test_the_title_is_that_of_the_first_prompt(desk: Desk) -> None:
    desk.run(answering("ok"), "first thing\nmore")
    desk.run(answering("ok"), "second thing")
    row = desk.store.session("s")
    assert row
    assert row.title == "first thing"


def test_a_refusal_by_error_is_said_and_left_out_of_the_next_request(desk: Desk) -> None:
    ending = desk.run(raising(Refused("The provider will not answer this.")))
    assert ending == Ending("The provider will not answer this.", "refusal")
    assert desk.store.messages("s")[-1]["finish_reason"] == REFUSED
    assert desk.screen.of(TextDelta)[0].text == ending.text
    seen: list[Any] = []

    def look(conversation: Conversation) -> Ending:
        seen.extend(m["content"] for m in conversation.request_messages())
        return answering("ok")(conversation)

    desk.run(look, "next")
    assert seen == ["stored prompt", "next"]


def test_an_interrupt_closes_the_turn(desk: Desk) -> None:
    assert desk.run(raising(Interrupted())) == Ending("", "cancelled")
    assert desk.contents[2:] == [
        "Not run: interrupted by the user.",
        "[The user interrupted this turn. Not run: look.]",
    ]
    assert desk.screen.of(TurnInterrupted)


def test_a_failure_closes_the_turn_with_its_reason(desk: Desk) -> None:
    error = ServerError("It is down.\nSecond line.")
    ending = desk.run(raising(error))
    assert ending.error is error
    assert desk.contents[3] == "[This turn ended without an answer: It is down.]"
    assert desk.screen.of(StatusChanged) == [StatusChanged("error", str(error))]


def test_a_mistake_in_the_program_is_raised_from_a_closed_turn(desk: Desk) -> None:
    with pytest.raises(ZeroDivisionError):
        desk.run(raising(ZeroDivisionError()))
    assert desk.contents[3] == "[This turn ended without an answer: an internal error]"
    assert desk.run(answering("ok"), "next").text == "ok"


def test_a_store_that_fails_is_told_once_and_closed_later(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: Any) -> None:
        raise StoreError("The disk is full.")

    def steps(conversation: Conversation) -> Ending:
        monkeypatch.setattr(desk.store, "append", full)
        raise StoreError("The disk is full.")

    ending = desk.run(steps)
    assert isinstance(ending.error, StoreError)
    assert desk.screen.of(StatusChanged) == [StatusChanged("error", "The disk is full.")]
    monkeypatch.undo()
    assert desk.run(answering("ok"), "next").text == "ok"
    assert len(desk.contents) == 4


def test_a_cancel_on_a_full_disk_is_a_cancel_that_says_so(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: Any) -> None:
        raise StoreError("The disk is full.")

    def steps(conversation: Conversation) -> Ending:
        desk.interrupt.set()
        monkeypatch.setattr(desk.store, "append", full)
        raise Interrupted

    ending = desk.run(steps)
    assert ending.stop_reason == "cancelled"
    assert isinstance(ending.error, StoreError)
