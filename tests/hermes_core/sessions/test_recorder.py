import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_core.ground.actions import Action
from hermes_core.ground.content import Text
from hermes_core.ground.errors import StoreError
from hermes_core.ground.events import (
    ApprovalRequested,
    ChildFinished,
    ChildShown,
    ChildStarted,
    Event,
    ReasoningDelta,
    ShownEvent,
    StatusChanged,
    StepFinished,
    StepStarted,
    TextDelta,
    ToolCallFinished,
    ToolCallGenerating,
    ToolCallProgress,
    ToolCallRunning,
    ToolCallStarted,
    TurnInterrupted,
    UsageUpdated,
    UserPrompted,
)
from hermes_core.ground.events_json import from_json
from hermes_core.sessions.recorder import MAX_AGE, MAX_GATHERED, Recorder, start_timer
from hermes_core.sessions.store import Store


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Timers:
    """Timers that go off when a test says so."""

    def __init__(self) -> None:
        self.set: list[Callable[[], None]] = []

    def __call__(self, seconds: float, action: Callable[[], None]) -> "Timers":
        assert seconds == MAX_AGE
        self.set.append(action)
        return self

    def cancel(self) -> None:
        self.set.clear()

    def go_off(self) -> None:
        (action,) = self.set
        self.set.clear()
        action()


class Stage:
    """A recorder with a clock that is set by hand, and what came out on both sides."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.clock = Clock()
        self.seen: list[Event] = []
        self.timers = Timers()
        self.recorder = Recorder(store, "s", self.seen.append, self.clock, self.timers)

    def __call__(self, *events: Event) -> None:
        for event in events:
            self.recorder(event)

    def kept(self) -> list[ShownEvent | None]:
        return [from_json(data) for data in self.store.shown("s")]


@pytest.fixture
def stage(store: Store) -> Stage:
    return Stage(store)


def started(call_id: str = "c") -> ToolCallStarted:
    return ToolCallStarted(call_id, "terminal", "ls", "execute", {"command": "ls"})


def test_what_was_done_is_kept_before_it_is_shown(store: Store) -> None:
    def check(event: Event) -> None:
        assert from_json(list(store.shown("s"))[-1]) == event

    recorder = Recorder(store, "s", check)
    for event in (
        UserPrompted("hello", "m0"),
        started(),
        ToolCallRunning("c"),
        ToolCallFinished("c", "terminal", "completed", "x"),
        StatusChanged("info", "x"),
        TurnInterrupted(),
    ):
        recorder(event)
    assert len(list(store.shown("s"))) == 6


def test_pieces_are_shown_at_once_and_written_together(stage: Stage) -> None:
    pieces = [TextDelta(text, "m1") for text in ("Hel", "lo ", "there")]
    stage(*pieces)
    assert stage.seen == pieces
    assert stage.kept() == []
    stage(started())
    assert stage.kept() == [TextDelta("Hello there", "m1"), started()]


def test_reasoning_text_and_messages_stay_apart_and_in_order(stage: Stage) -> None:
    stage(
        ReasoningDelta("a", "m1"),
        ReasoningDelta("b", "m1"),
        TextDelta("c", "m1"),
        TextDelta("d", "m2"),
        ReasoningDelta("e", "m2"),
    )
    stage.recorder.flush()
    assert stage.kept() == [
        ReasoningDelta("ab", "m1"),
        TextDelta("c", "m1"),
        TextDelta("d", "m2"),
        ReasoningDelta("e", "m2"),
    ]


def test_much_text_is_written_before_its_end(stage: Stage) -> None:
    stage(TextDelta("x" * (MAX_GATHERED - 1), "m"))
    assert stage.kept() == []
    stage(TextDelta("y", "m"))
    assert stage.kept() == [TextDelta("x" * (MAX_GATHERED - 1) + "y", "m")]


def test_text_is_written_though_nothing_follows_it(stage: Stage) -> None:
    stage(TextDelta("a", "m"), TextDelta("b", "m"))
    assert stage.kept() == []
    stage.timers.go_off()
    assert stage.kept() == [TextDelta("ab", "m")]
    stage(TextDelta("c", "m"))
    stage.timers.go_off()
    assert stage.kept() == [TextDelta("ab", "m"), TextDelta("c", "m")]


def test_nothing_is_timed_after_the_turn(stage: Stage) -> None:
    stage(TextDelta("a", "m"))
    stage.recorder.flush()
    assert stage.timers.set == []
    assert stage.kept() == [TextDelta("a", "m")]


def test_a_timer_that_finds_nothing_writes_nothing(stage: Stage) -> None:
    stage(TextDelta("a", "m"), started())
    stage.timers.go_off()
    assert stage.kept() == [TextDelta("a", "m"), started()]


def test_text_that_the_timer_could_not_write_waits(stage: Stage) -> None:
    def refuse(*_: object) -> None:
        raise StoreError("The disk is full.")

    stage(TextDelta("a", "m"))
    keep, stage.store.append = stage.store.append, refuse
    stage.timers.go_off()
    stage.store.append = keep
    assert stage.kept() == []
    stage(started())
    assert stage.kept() == [TextDelta("a", "m"), started()]


def test_a_timer_goes_off_by_itself() -> None:
    gone_off = threading.Event()
    start_timer(0.0, gone_off.set)
    assert gone_off.wait(30)


def test_old_text_is_written_when_the_next_piece_comes(stage: Stage) -> None:
    stage(TextDelta("a", "m"))
    stage.clock.now += MAX_AGE / 2
    stage(TextDelta("b", "m"))
    assert stage.kept() == []
    stage.clock.now += MAX_AGE / 2
    stage(TextDelta("c", "m"))
    assert stage.kept() == [TextDelta("abc", "m")]


def test_what_passes_is_shown_but_not_kept(stage: Stage) -> None:
    question = ApprovalRequested("c", "ls", "execute", Action("execute"), "", {})
    passing: list[Event] = [
        StepStarted(1),
        ToolCallGenerating("terminal"),
        ToolCallProgress("c", (Text("x"),)),
        question,
        StepFinished(1),
    ]
    stage(*passing)
    stage.recorder.flush()
    assert stage.seen == passing
    assert stage.kept() == []


def test_the_text_before_a_question_is_kept_when_it_is_asked(stage: Stage) -> None:
    stage(
        TextDelta("I would like to", "m"),
        ApprovalRequested("c", "ls", "execute", Action("execute"), "", {}),
    )
    assert stage.kept() == [TextDelta("I would like to", "m")]


def test_only_the_last_token_count_of_a_turn_is_kept(stage: Stage) -> None:
    stage(UsageUpdated(1, 9), UsageUpdated(2, 9), TextDelta("x", "m"))
    stage.recorder.flush()
    stage.recorder.flush()
    assert stage.kept() == [TextDelta("x", "m"), UsageUpdated(2, 9)]
    assert len(stage.seen) == 3


def test_what_cannot_be_kept_is_not_shown(stage: Stage) -> None:
    stage(TextDelta("a", "m"))
    stage.store.close()
    with pytest.raises(StoreError):
        stage(started())
    assert stage.seen == [TextDelta("a", "m")]


def test_what_failed_to_be_written_is_written_later(stage: Stage, path: Path) -> None:
    stage(TextDelta("a", "m"))
    pages = stage.store._db.rows("PRAGMA page_count")[0][0]
    stage.store._db.rows(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError):
        stage(StatusChanged("info", "y" * 100_000))
    stage.store._db.rows("PRAGMA max_page_count = 1000000")
    stage.recorder.flush()
    assert stage.kept() == [TextDelta("a", "m")]


def test_several_threads_lose_nothing(stage: Stage) -> None:
    def work(name: str) -> Callable[[], None]:
        def emit() -> None:
            for number in range(50):
                stage(TextDelta(f"{name}{number} ", name), ToolCallRunning(f"{name}{number}"))

        return emit

    threads = [threading.Thread(target=work(name)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    stage.recorder.flush()
    kept = stage.kept()
    assert len([event for event in kept if isinstance(event, ToolCallRunning)]) == 150
    text = "".join(event.text for event in kept if isinstance(event, TextDelta))
    assert sorted(text.split()) == sorted(f"{n}{i}" for n in "abc" for i in range(50))


def test_of_a_child_only_its_ends_and_the_cards_asked_about_are_kept(stage: Stage) -> None:
    begun, ended = (
        ChildStarted("c", "t", "Look", "look"),
        ChildFinished("c", "t", "Look", "end_turn"),
    )
    asked = ChildShown("c", started(), asked=True)
    passing = [
        ChildShown("c", started()),
        ChildShown("c", TextDelta("hm", "m")),
        ChildShown("c", ChildShown("g", ToolCallProgress("x", ())), asked=True),
    ]
    stage(begun, *passing, asked, ended)
    assert stage.kept() == [begun, asked, ended]
    assert stage.seen == [begun, *passing, asked, ended]
