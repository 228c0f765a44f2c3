"""What a session shows, and when."""

import threading
from typing import Any

from acp_server.emitter import Emitter
from acp_server.mapping import Json
from acp_server.subagents import View
from hermes_core.ground.events import (
    Compacted,
    CompactionStarted,
    ReasoningDelta,
    StatusChanged,
    StepStarted,
    TextDelta,
    TitleChanged,
    ToolCallFinished,
    ToolCallStarted,
)
from hermes_core.ground.interrupt import Interrupt


class Wire:
    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.latches: list[Interrupt | None] = []

    def notify(
        self,
        method: str,
        params: dict[str, Any],
        *,
        interrupt: Interrupt | None = None,
        merge_key: str | None = None,
    ) -> bool:
        assert method == "session/update"
        assert params["sessionId"] == "s1"
        self.sent.append(params["update"])
        self.keys.append(merge_key)
        self.latches.append(interrupt)
        return True


def started(call_id: str) -> ToolCallStarted:
    return ToolCallStarted(call_id, "terminal", "ls", "execute", {"command": "ls"})


def text(said: str) -> Json:
    chunk = {"type": "text", "text": said}
    return {"sessionUpdate": "agent_message_chunk", "content": chunk, "messageId": "m1"}


def test_events_are_sent_during_a_turn_only() -> None:
    wire = Wire()
    emitter = Emitter(wire.notify, "s1")
    emitter(TextDelta("early", "m1"))
    emitter.send(text("early"))
    emitter.begin(Interrupt())
    emitter(TextDelta("in time", "m1"))
    emitter.send(text(" too"))
    emitter.end()
    emitter(TextDelta("late", "m1"))
    emitter.send(text("late"))
    assert [update["content"]["text"] for update in wire.sent] == ["in time", " too"]


def test_pieces_of_one_message_may_merge_and_others_may_not() -> None:
    wire = Wire()
    emitter = Emitter(wire.notify, "s1")
    emitter.begin(Interrupt())
    emitter(TextDelta("a", "m1"))
    emitter(TextDelta("b", "m1"))
    emitter(ReasoningDelta("c", "m1"))
    emitter(TextDelta("d", "m2"))
    emitter(started("c1"))
    first, second, thought, other, card = wire.keys
    assert first == second is not None
    assert len({first, thought, other}) == 3
    assert card is None


def test_waiting_for_a_slow_client_ends_with_the_turns_latch() -> None:
    wire, latch = Wire(), Interrupt()
    emitter = Emitter(wire.notify, "s1")
    emitter.begin(latch)
    emitter(TextDelta("a", "m1"))
    assert wire.latches == [latch]


def test_a_card_left_open_is_ended_with_the_turn() -> None:
    wire = Wire()
    emitter = Emitter(wire.notify, "s1")
    emitter.begin(Interrupt())
    emitter(started("c1"))
    emitter(started("c2"))
    emitter(ToolCallFinished("c1", "terminal", "completed", "ok"))
    emitter.end()
    emitter.end()
    ends = [(update["toolCallId"], update["status"]) for update in wire.sent[2:]]
    assert ends == [("c1", "completed"), ("c2", "failed")]


def test_a_compaction_left_open_is_ended_with_the_turn() -> None:
    wire = Wire()
    emitter = Emitter(wire.notify, "s1", View(compaction=True))
    emitter.begin(Interrupt())
    emitter(CompactionStarted("k1", "Making room."))
    emitter(Compacted("k1", "failed", "No room.", 9, 9))
    emitter(CompactionStarted("k2", "Making room."))
    emitter.end()
    emitter.end()
    assert [(update["compactionId"], update["status"]) for update in wire.sent] == [
        ("k1", "in_progress"),
        ("k1", "failed"),
        ("k2", "in_progress"),
        ("k2", "cancelled"),
    ]


def test_what_has_no_form_in_the_protocol_is_not_sent() -> None:
    wire = Wire()
    emitter = Emitter(wire.notify, "s1", View(notices=True))
    emitter.begin(Interrupt())
    emitter(StepStarted(1))
    assert wire.sent == []
    emitter(StatusChanged("info", "waiting"))
    assert wire.sent[0]["sessionUpdate"] == "notice"


TITLE = {"sessionUpdate": "session_info_update", "title": "A title"}


def test_a_title_is_sent_between_turns_too() -> None:
    wire = Wire()
    emitter = Emitter(wire.notify, "s1")
    emitter(TitleChanged("A title"))
    emitter.begin(Interrupt())
    emitter(TitleChanged("A title"))
    emitter.end()
    emitter(TitleChanged("A title"))
    assert wire.sent == [TITLE] * 3


def test_after_a_cancelled_turn_a_title_waits_for_the_next_one() -> None:
    wire = Wire()
    emitter = Emitter(wire.notify, "s1")
    interrupt = Interrupt()
    emitter.begin(interrupt)
    interrupt.set()
    emitter(TitleChanged("Of old"))
    emitter.end()
    emitter.end()
    emitter(TitleChanged("A title"))
    assert wire.sent == []
    emitter.begin(Interrupt())
    assert wire.sent == [TITLE]
    emitter.end()
    emitter(TitleChanged("A title"))
    assert wire.sent == [TITLE] * 2


def test_notices_of_the_session_come_between_turns_and_none_is_lost_after_a_cancel() -> None:
    wire, interrupt = Wire(), Interrupt()
    emitter = Emitter(wire.notify, "s1", View(notices=True))
    emitter.announce(StatusChanged("warning", "idle"))
    emitter.begin(interrupt)
    emitter.announce(StatusChanged("warning", "in a turn"))
    interrupt.set()
    emitter.announce(StatusChanged("warning", "one"))
    emitter.end()
    emitter.announce(StatusChanged("warning", "two"))
    assert [update["title"] for update in wire.sent] == ["idle", "in a turn"]
    emitter.begin(Interrupt())
    assert [update["title"] for update in wire.sent[2:]] == ["one", "two"]
    assert {update["sessionUpdate"] for update in wire.sent} == {"notice"}


def test_a_client_without_notices_gets_none_between_turns() -> None:
    wire = Wire()
    emitter = Emitter(wire.notify, "s1")
    emitter.announce(StatusChanged("warning", "idle"))
    emitter.begin(Interrupt())
    assert wire.sent == []


def test_a_card_that_was_sent_as_it_is_is_ended_too() -> None:
    wire = Wire()
    emitter = Emitter(wire.notify, "s1")
    emitter.begin(Interrupt())
    emitter.send({"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "x"})
    emitter.end()
    assert wire.sent[-1]["status"] == "failed"


def test_a_thread_beside_the_turn_may_show_something_and_others_may_not() -> None:
    wire, own, latch = Wire(), Interrupt(), Interrupt()
    emitter = Emitter(wire.notify, "s1")

    def straggle() -> None:
        emitter(TextDelta("straggler", "m1"))

    with emitter.aside(own):
        emitter(StatusChanged("error", "aside"))
        other = threading.Thread(target=straggle)
        other.start()
        other.join()
    emitter(TextDelta("afterwards", "m1"))
    emitter.begin(latch)
    with emitter.aside(own):
        emitter.send(text("beside a turn"))
    straggle()
    assert [update["content"]["text"].strip() for update in wire.sent] == [
        *("aside", "beside a turn", "straggler")
    ]
    assert wire.latches == [own, own, latch]
