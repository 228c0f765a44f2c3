"""The display log, shown again."""

from typing import Any

from acp_server.replay import UNFINISHED, replay
from acp_server.subagents import View
from hermes_core.ground.content import Console, Diff, PlanEntry
from hermes_core.ground.events import (
    PlanChanged,
    ReasoningDelta,
    Rewound,
    StepStarted,
    TextDelta,
    ToolCallFinished,
    ToolCallRunning,
    ToolCallStarted,
    TurnInterrupted,
    UsageUpdated,
    UserPrompted,
)
from hermes_core.ground.events_json import to_json


def updates_of(*events: Any) -> list[dict[str, Any]]:
    rows = [to_json(event) for event in events]
    return [update for _, update in replay(lambda _: rows, "s1")]


def kinds_of(*events: Any) -> list[str]:
    return [update["sessionUpdate"] for update in updates_of(*events)]


def started(call_id: str) -> ToolCallStarted:
    return ToolCallStarted(call_id, "patch", "Edit a.py", "edit", {"path": "a.py"})


def test_everything_that_was_shown_comes_again_in_order() -> None:
    kinds = kinds_of(
        UserPrompted("fix it", "m0"),
        StepStarted(1),
        ReasoningDelta("hmm", "m1"),
        PlanChanged((PlanEntry("fix"),)),
        started("c1"),
        ToolCallRunning("c1"),
        ToolCallFinished("c1", "patch", "completed", "Edited."),
        TextDelta("Done.", "m2"),
        UsageUpdated(10, 100),
    )
    assert kinds == [
        "user_message_chunk",
        "agent_thought_chunk",
        "plan",
        "tool_call",
        "tool_call_update",
        "tool_call_update",
        "agent_message_chunk",
        "usage_update",
    ]


def test_diffs_and_final_statuses_survive() -> None:
    done = ToolCallFinished("c1", "patch", "completed", "Edited.", (Diff("/w/a.py", "o", "n"),))
    last = updates_of(started("c1"), done)[-1]
    assert last["status"] == "completed"
    assert last["content"] == [{"type": "diff", "path": "/w/a.py", "oldText": "o", "newText": "n"}]


def test_a_call_that_a_killed_process_left_open_is_ended() -> None:
    shown = updates_of(started("c1"), started("c2"), ToolCallFinished("c1", "patch", "failed", "x"))
    assert shown[-1]["toolCallId"] == "c2"
    assert shown[-1]["status"] == "failed"
    assert shown[-1]["rawOutput"] == UNFINISHED
    assert sum(update.get("status") == "failed" for update in shown) == 2


def test_its_terminal_is_ended_with_it() -> None:
    begun = ToolCallStarted("c1", "terminal", "ls", "execute", {}, (Console("ls", cwd="/w"),))
    rows = [to_json(begun)]
    shown = [update for _, update in replay(lambda _: rows, "s", View(terminals=True))]
    assert shown[0]["_meta"] == {"terminal_info": {"terminal_id": "c1", "cwd": "/w"}}
    assert shown[-1]["_meta"] == {"terminal_exit": {"terminal_id": "c1"}}


def test_an_open_call_is_ended_before_the_next_message_of_the_user() -> None:
    shown = updates_of(started("c1"), UserPrompted("go on", "m1"), TextDelta("ok", "m2"))
    assert [update["sessionUpdate"] for update in shown] == [
        "tool_call",
        "tool_call_update",
        "user_message_chunk",
        "agent_message_chunk",
    ]


def test_an_interrupted_turn_is_marked() -> None:
    assert kinds_of(TextDelta("Half a sen", "m1"), TurnInterrupted())[-1] == "agent_thought_chunk"


def test_rows_of_a_newer_version_are_skipped() -> None:
    rows = [{"event": "HologramShown", "text": "?"}, to_json(TextDelta("hi", "m1"))]
    assert len(list(replay(lambda _: rows, "s1"))) == 1


def texts_of(*events: Any) -> list[str]:
    return [u["content"]["text"] for u in updates_of(*events) if "chunk" in u["sessionUpdate"]]


def test_turns_that_were_taken_back_are_left_out() -> None:
    turns = [
        UserPrompted("one", "p1"),
        TextDelta("1", "m1"),
        UserPrompted("two", "p2"),
        started("c1"),
        ToolCallFinished("c1", "patch", "completed", "Edited."),
        TextDelta("2", "m2"),
    ]
    undo = [
        started("rewind_1"),
        Rewound("p2"),
        ToolCallFinished("rewind_1", "rewind", "completed", ""),
    ]
    after = [UserPrompted("/undo", "p3"), TextDelta("Taken back.", "m3")]
    assert texts_of(*turns, *undo, *after) == ["one", "1", "/undo", "Taken back."]
    cards = [u["toolCallId"] for u in updates_of(*turns, *undo, *after) if "toolCallId" in u]
    assert set(cards) == {"rewind_1"}
    again = [Rewound("p2", undone=False), UserPrompted("/redo", "p4")]
    shown = texts_of(*turns, *undo, *after, *again)
    assert shown == ["one", "1", "two", "2", "/undo", "Taken back.", "/redo"]


def test_undoings_nest() -> None:
    turns = [UserPrompted("one", "p1"), UserPrompted("two", "p2"), UserPrompted("three", "p3")]
    undone = [Rewound("p3"), Rewound("p1")]
    assert texts_of(*turns, *undone) == []
    assert texts_of(*turns, *undone, Rewound("p1", undone=False)) == ["one", "two"]


def test_an_undoing_of_what_is_not_in_the_log_hides_nothing() -> None:
    assert texts_of(UserPrompted("one", "p1"), Rewound("p0")) == ["one"]
