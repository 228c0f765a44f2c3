"""What a child shows, on its way to its parent's screen."""

import threading
from dataclasses import dataclass
from typing import Any

import pytest

from hermes_core.agent.child_line import ChildLine, ChildScreen
from hermes_core.agent.child_view import Board
from hermes_core.ground.actions import NOTHING
from hermes_core.ground.errors import Interrupted, StoreError
from hermes_core.ground.events import (
    ApprovalRequested,
    ChildFinished,
    ChildShown,
    ChildStarted,
    Event,
    TextDelta,
    ToolCallFinished,
    ToolCallRunning,
    ToolCallStarted,
)
from hermes_core.ground.interrupt import Interrupt
from tests.hermes_core.agent.doubles import WATCHDOG, Screen

BEGUN = ChildStarted("kid", "give", "Look", "look around")
ENDED = ChildFinished("kid", "give", "Look", "cancelled")
CALL = ToolCallStarted("c", "terminal", "ls", "execute", {"command": "ls"})
RUNNING = ToolCallRunning("c")
DONE = ToolCallFinished("c", "terminal", "completed", "done")


@dataclass
class Place:
    board: Board
    number: int = 0


def question(child: str = "") -> ApprovalRequested:
    return ApprovalRequested("c", "ls", "execute", NOTHING, "It runs.", {}, child=child)


class Stage:
    def __init__(self) -> None:
        self.parent = Screen()
        self.line = ChildLine(self.parent)
        self.interrupt = Interrupt()
        self.child = self.screen("kid")

    def screen(self, child: str) -> ChildScreen:
        place = Place(Board(["Look"], lambda _: None))
        return self.line.screen(child, "Look", place, self.interrupt)


@pytest.fixture
def stage() -> Stage:
    return Stage()


def test_events_pass_between_opening_and_closing(stage: Stage) -> None:
    text = TextDelta("hi", "m")
    stage.child(text)
    stage.child.open(BEGUN)
    stage.child(text)
    stage.child.close(ENDED)
    stage.child(text)
    stage.child.close(ENDED)
    assert stage.parent.events == [BEGUN, ChildShown("kid", text), ENDED]


def test_one_that_never_began_has_no_end(stage: Stage) -> None:
    stage.child.close(ENDED)
    assert stage.parent.events == []


def test_a_question_is_attributed_and_has_a_card_on_the_parents_side(stage: Stage) -> None:
    stage.child.open(BEGUN)
    for event in (CALL, question(), RUNNING, DONE):
        stage.child(event)
    shown = [e for e in stage.parent.events if isinstance(e, ChildShown) and e.asked]
    assert [e.shown for e in shown] == [CALL, RUNNING, DONE]
    (asked,) = stage.parent.of(ApprovalRequested)
    assert (asked.child, asked.call_id) == ("kid", "c")
    assert asked.reason == "Asked for the task “Look”. It runs."
    place = stage.parent.events.index(asked)
    assert ChildShown("kid", CALL, asked=True) in stage.parent.events[:place]


def test_a_question_of_a_childs_child_goes_up_as_it_is(stage: Stage) -> None:
    stage.child.open(BEGUN)
    card = ChildShown("grandkid", CALL, asked=True)
    stage.child(card)
    asked = question("grandkid")
    stage.child(asked)
    assert stage.parent.events[1:] == [ChildShown("kid", card, asked=True), asked]


def test_a_card_that_was_asked_about_is_ended_with_its_child(stage: Stage) -> None:
    stage.child.open(BEGUN)
    stage.child(CALL)
    stage.child(question())
    stage.child.close(ENDED)
    last, end = stage.parent.events[-2:]
    assert isinstance(last, ChildShown)
    assert last.asked
    assert isinstance(last.shown, ToolCallFinished)
    assert (last.shown.call_id, last.shown.status) == ("c", "failed")
    assert end == ENDED


def test_every_card_that_is_open_is_ended_with_its_child(stage: Stage) -> None:
    stage.child.open(BEGUN)
    stage.child(CALL)
    stage.child.close(ENDED)
    stage.child(DONE)
    ends = [e for e in stage.parent.of(ChildShown) if isinstance(e.shown, ToolCallFinished)]
    assert [(e.shown.call_id, e.shown.status, e.asked) for e in ends] == [("c", "failed", False)]


def test_a_question_that_comes_too_late_is_nobodys(stage: Stage) -> None:
    asked = question()
    stage.child(asked)
    assert asked.reply.cancelled()
    assert stage.parent.events == []


def test_questions_wait_for_each_other_and_for_nothing_once_interrupted(stage: Stage) -> None:
    held, asked = threading.Event(), threading.Event()

    def slow(_event: Event) -> None:
        asked.set()
        assert held.wait(WATCHDOG)

    line = ChildLine(slow)
    first = threading.Thread(target=line.ask, args=(question(), Interrupt()))
    first.start()
    assert asked.wait(WATCHDOG)
    interrupt = Interrupt()
    outcome: list[Any] = []

    def second() -> None:
        try:
            line.ask(question(), interrupt)
        except Interrupted as error:
            outcome.append(error)

    waiting = threading.Thread(target=second)
    waiting.start()
    interrupt.set()
    waiting.join(WATCHDOG)
    assert len(outcome) == 1
    held.set()
    first.join(WATCHDOG)


def test_other_events_do_not_wait_for_a_question() -> None:
    held, asked = threading.Event(), threading.Event()
    told: list[Event] = []

    def emit(event: Event) -> None:
        if isinstance(event, ApprovalRequested):
            asked.set()
            assert held.wait(WATCHDOG)
        told.append(event)

    line = ChildLine(emit)
    thread = threading.Thread(target=line.ask, args=(question(), Interrupt()))
    thread.start()
    assert asked.wait(WATCHDOG)
    line.tell(BEGUN)
    assert told == [BEGUN]
    held.set()
    thread.join(WATCHDOG)


def test_a_store_that_fails_at_the_end_is_survived() -> None:
    def emit(event: Event) -> None:
        if isinstance(event, ChildFinished):
            raise StoreError("The disk is full.")

    place = Place(Board(["Look"], lambda _: None))
    screen = ChildLine(emit).screen("kid", "Look", place, Interrupt())
    screen.open(BEGUN)
    screen.close(ENDED)
