"""The three phases: what is shown, asked, run and answered, and in which order."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_core.agent import tool_executor
from hermes_core.agent.consent import NOBODY, REJECTED
from hermes_core.agent.tool_executor import run_tool_calls
from hermes_core.ground.content import Diff, Text
from hermes_core.ground.errors import Interrupted, StoreError, ToolError
from hermes_core.ground.events import (
    ApprovalRequested,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallRunning,
    ToolCallStarted,
)
from hermes_core.ground.messages import ToolCall
from hermes_core.tools.registry import Progress
from tests.hermes_core.agent.doubles import WATCHDOG, Stage, calls, tool_call
from tests.hermes_core.agent.tools_double import act_tool, broken_tool, change_tool, look_tool


def answering(*answers: str) -> Callable[[ApprovalRequested], None]:
    left = list(answers)

    def answer(event: Any) -> None:
        event.reply.set_result(left.pop(0))

    return answer


def run(stage: Stage, *wanted: ToolCall) -> list[str]:
    """Run the calls as the answer to a prompt; return the results in the order of the history."""
    stage.conversation.begin("do it", "m")
    stored = stage.conversation.append(calls(*wanted))["tool_calls"]
    run_tool_calls(stored, stage.tools, stage.conversation, stage.screen, stage.interrupt)
    return results(stage)


def results(stage: Stage) -> list[str]:
    return [str(m["content"]) for m in stage.store.rows if m["role"] == "tool"]


def assert_every_card_ends_once(stage: Stage) -> None:
    started = [event.call_id for event in stage.screen.of(ToolCallStarted)]
    finished = [event.call_id for event in stage.screen.of(ToolCallFinished)]
    assert len(set(started)) == len(started)
    assert sorted(started) == sorted(finished)


def test_one_call_runs_on_the_thread_of_the_turn(tmp_path: Path) -> None:
    threads: list[threading.Thread] = []

    def note(path: str) -> str:
        threads.append(threading.current_thread())
        return path

    stage = Stage(tmp_path, look_tool(note))
    assert run(stage, tool_call("1", "look", {"path": "a"})) == ["a"]
    assert threads == [threading.current_thread()]
    kinds = [type(event).__name__ for event in stage.screen.events[1:]]
    assert kinds == ["ToolCallStarted", "ToolCallRunning", "ToolCallFinished"]


def test_calls_that_only_look_run_at_the_same_time_and_answer_in_order(tmp_path: Path) -> None:
    together = threading.Barrier(3, timeout=WATCHDOG)
    third_done = threading.Event()

    def meet(path: str) -> str:
        together.wait()
        if path == "c":
            third_done.set()
        else:
            assert third_done.wait(WATCHDOG)
        return path

    stage = Stage(tmp_path, look_tool(meet))
    wanted = [tool_call(i, "look", {"path": i}) for i in "abc"]
    assert run(stage, *wanted) == ["a", "b", "c"]
    assert [event.call_id for event in stage.screen.of(ToolCallFinished)] == ["a", "b", "c"]
    assert_every_card_ends_once(stage)


def test_many_calls_at_once_all_get_their_answer(tmp_path: Path) -> None:
    stage = Stage(tmp_path, look_tool())
    wanted = [tool_call(str(i), "look", {"path": str(i)}) for i in range(40)]
    assert run(stage, *wanted) == [f"ran {i}" for i in range(40)]


def test_a_later_segment_begins_when_the_one_before_has_answered(tmp_path: Path) -> None:
    seen: list[int] = []
    stage = Stage(tmp_path, look_tool(), act_tool(lambda *_: str(len(results(stage)))))
    stage.screen._answer = lambda event: (
        seen.append(len(results(stage))),
        event.reply.set_result("allow_once"),
    )
    answers = run(
        stage,
        tool_call("1", "look", {"path": "a"}),
        tool_call("2", "look", {"path": "b"}),
        tool_call("3", "act", {"command": "c"}),
        tool_call("4", "act", {"command": "d"}),
    )
    assert answers == ["ran a", "ran b", "2", "3"]
    assert seen == [2, 3]


def test_two_changes_of_one_path_are_asked_one_after_the_other_is_done(tmp_path: Path) -> None:
    done: list[str] = []
    asked_after: list[int] = []
    stage = Stage(tmp_path, change_tool(lambda path: done.append(path) or "ok"))
    stage.screen._answer = lambda event: (
        asked_after.append(len(done)),
        event.reply.set_result("allow_once"),
    )
    run(stage, tool_call("1", "change", {"path": "a"}), tool_call("2", "change", {"path": "./a"}))
    assert asked_after == [0, 1]


def test_the_question_repeats_the_card_under_the_same_id(tmp_path: Path) -> None:
    stage = Stage(tmp_path, change_tool(), answer=answering("allow_once"))
    run(stage, tool_call("1", "change", {"path": "a"}))
    started, asked = stage.screen.of(ToolCallStarted, ApprovalRequested)
    assert started.call_id == asked.call_id == "1"
    assert started.title == asked.title == "Change a"
    assert started.kind == asked.kind == "edit"
    assert started.arguments == asked.arguments == {"path": "a"}
    assert started.content == asked.content == (Diff(str(tmp_path / "a"), "old", "new"),)
    assert started.locations == asked.locations
    assert asked.reason
    order = [type(event).__name__ for event in stage.screen.events[1:]]
    assert order == ["ToolCallStarted", "ApprovalRequested", "ToolCallRunning", "ToolCallFinished"]


@pytest.mark.parametrize("answer", ["reject_once", "yes", "", "allow_never"])
def test_whatever_is_no_known_consent_is_a_rejection(tmp_path: Path, answer: str) -> None:
    ran: list[str] = []
    stage = Stage(tmp_path, change_tool(lambda p: ran.append(p) or "x"), answer=answering(answer))
    assert run(stage, tool_call("1", "change", {"path": "a"})) == [REJECTED]
    assert ran == []
    assert REJECTED.startswith("The user rejected this call.")
    (end,) = stage.screen.of(ToolCallFinished)
    assert end.status == "failed"
    assert end.content == (Diff(str(tmp_path / "a"), "old", "new"), Text(REJECTED))
    assert not stage.screen.of(ToolCallRunning)


def test_a_rejected_call_does_not_keep_its_neighbour_from_running(tmp_path: Path) -> None:
    stage = Stage(tmp_path, change_tool(), answer=answering("reject_once", "allow_once"))
    answers = run(
        stage, tool_call("1", "change", {"path": "a"}), tool_call("2", "change", {"path": "b"})
    )
    assert answers == [REJECTED, "ran b"]


def test_always_covers_the_same_action_and_no_other(tmp_path: Path) -> None:
    stage = Stage(tmp_path, act_tool(), answer=answering("allow_always", "reject_once"))
    answers = run(
        stage,
        tool_call("1", "act", {"command": "make"}),
        tool_call("2", "act", {"command": "make", "times": 2}),
        tool_call("3", "act", {"command": "make clean"}),
    )
    assert answers == ["ran make", "ran make", REJECTED]
    assert len(stage.screen.of(ApprovalRequested)) == 2


def test_a_new_mode_counts_from_the_next_call(tmp_path: Path) -> None:
    stage = Stage(tmp_path, change_tool(), answer=lambda _: None)

    def answer(event: Any) -> None:
        stage.mode = "accept_edits"
        event.reply.set_result("allow_once")

    stage.screen._answer = answer
    run(stage, tool_call("1", "change", {"path": "a"}), tool_call("2", "change", {"path": "a"}))
    assert len(stage.screen.of(ApprovalRequested)) == 1


def test_without_anyone_to_ask_the_model_is_told_so(tmp_path: Path) -> None:
    stage = Stage(tmp_path, change_tool(), can_ask=False)
    assert run(stage, tool_call("1", "change", {"path": "a"})) == [
        f"{NOBODY} Why it asks: edits are confirmed in this mode."
    ]
    assert not stage.screen.of(ApprovalRequested)


def test_a_question_that_cannot_be_shown_is_a_rejection(tmp_path: Path) -> None:
    def crash(event: Any) -> None:
        raise RuntimeError("no screen")

    stage = Stage(tmp_path, change_tool(), answer=crash)
    assert run(stage, tool_call("1", "change", {"path": "a"})) == [REJECTED]
    (asked,) = stage.screen.of(ApprovalRequested)
    assert asked.reply.cancelled()


def test_bad_calls_appear_and_fail_while_good_ones_run(tmp_path: Path) -> None:
    stage = Stage(tmp_path, look_tool())
    answers = run(
        stage,
        tool_call("1", "look", {"path": "a"}),
        tool_call("2", "nosuch", {"path": "a"}),
        tool_call("3", "look", '{"path": "a'),
        tool_call("4", "look", {"pth": "a"}),
        tool_call("5", "look", {"path": "b"}),
    )
    assert answers[0] == "ran a"
    assert "no tool 'nosuch'" in answers[1]
    assert "not valid JSON" in answers[2]
    assert "path is missing" in answers[3]
    assert answers[4] == "ran b"
    status = {event.call_id: event.status for event in stage.screen.of(ToolCallFinished)}
    assert status == dict(zip("12345", ["completed", *["failed"] * 3, "completed"], strict=True))
    assert_every_card_ends_once(stage)


@pytest.mark.parametrize("in_prepare", [True, False])
@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ToolError("There is no such file."), "There is no such file."),
        (RuntimeError("boom"), "broken failed in a way it should not: RuntimeError: boom"),
    ],
)
def test_a_failing_tool_is_an_answer(
    tmp_path: Path, error: Exception, text: str, in_prepare: bool
) -> None:
    stage = Stage(tmp_path, broken_tool(error, in_prepare=in_prepare))
    assert run(stage, tool_call("1", "broken")) == [text]
    (end,) = stage.screen.of(ToolCallFinished)
    assert end.status == "failed"
    assert_every_card_ends_once(stage)


def test_progress_is_shown_while_a_call_runs_and_not_after(tmp_path: Path) -> None:
    late: list[Progress] = []

    def report(command: str, progress: Progress) -> str:
        progress((Text("half"),))
        late.append(progress)
        return "whole"

    stage = Stage(tmp_path, act_tool(report), answer=answering("allow_once"))
    run(stage, tool_call("1", "act", {"command": "c"}))
    late[0]((Text("too late"),))
    assert stage.screen.of(ToolCallProgress) == [ToolCallProgress("1", (Text("half"),))]


def test_an_interrupt_during_the_question_runs_nothing(tmp_path: Path) -> None:
    ran: list[str] = []
    stage = Stage(tmp_path, change_tool(lambda p: ran.append(p) or "x"))
    stage.screen._answer = lambda _event: stage.interrupt.set()
    with pytest.raises(Interrupted):
        run(stage, tool_call("1", "change", {"path": "a"}), tool_call("2", "change", {"path": "b"}))
    assert ran == []
    assert results(stage) == [tool_executor.NOT_RUN]
    assert_every_card_ends_once(stage)
    (asked,) = stage.screen.of(ApprovalRequested)
    assert asked.reply.cancelled()


def test_a_consent_that_comes_with_the_interrupt_runs_nothing(tmp_path: Path) -> None:
    ran: list[str] = []
    stage = Stage(tmp_path, change_tool(lambda p: ran.append(p) or "x"))

    def answer(event: Any) -> None:
        event.reply.set_result("allow_always")
        stage.interrupt.set()

    stage.screen._answer = answer
    with pytest.raises(Interrupted):
        run(stage, tool_call("1", "change", {"path": "a"}))
    assert ran == []
    assert results(stage) == [tool_executor.NOT_RUN]


def test_an_interrupt_while_a_call_runs_keeps_what_it_returned(tmp_path: Path) -> None:
    def stop(path: str) -> str:
        stage.interrupt.set()
        return "half of it"

    stage = Stage(tmp_path, look_tool(stop))
    with pytest.raises(Interrupted):
        run(stage, tool_call("1", "look", {"path": "a"}))
    assert results(stage) == ["half of it"]
    assert_every_card_ends_once(stage)


def test_an_interrupt_gives_up_on_calls_that_hang(tmp_path: Path) -> None:
    release = threading.Event()
    stuck = threading.Barrier(2, timeout=WATCHDOG)

    def hang(path: str) -> str:
        if path == "hang":
            stuck.wait()
            release.wait(WATCHDOG)
        else:
            stuck.wait()
            stage.interrupt.set()
        return path

    stage = Stage(tmp_path, look_tool(hang))
    try:
        with pytest.raises(Interrupted):
            run(
                stage,
                tool_call("1", "look", {"path": "hang"}),
                tool_call("2", "look", {"path": "quick"}),
            )
    finally:
        release.set()
    assert results(stage)[0] == tool_executor.CUT_SHORT
    assert results(stage)[1] in ("quick", tool_executor.CUT_SHORT)
    assert_every_card_ends_once(stage)


def test_an_interrupt_leaves_calls_that_were_not_begun_without_a_card(tmp_path: Path) -> None:
    stage = Stage(tmp_path, act_tool(lambda *_: stage.interrupt.set() or "x"))
    stage.screen._answer = answering("allow_once", "allow_once")
    with pytest.raises(Interrupted):
        run(stage, tool_call("1", "act", {"command": "a"}), tool_call("2", "act", {"command": "b"}))
    assert [event.call_id for event in stage.screen.of(ToolCallStarted)] == ["1"]
    stage.conversation.close("not run", "[stopped]")
    assert results(stage) == ["x", "not run"]


def test_a_full_disk_ends_the_card_as_failed_and_the_turn_with_an_error(tmp_path: Path) -> None:
    def fill(path: str) -> str:
        stage.store.broken = True
        return "done"

    stage = Stage(tmp_path, look_tool(fill))
    with pytest.raises(StoreError):
        run(stage, tool_call("1", "look", {"path": "a"}))
    (end,) = stage.screen.of(ToolCallFinished)
    assert end.status == "failed"
    assert "disk is full" in end.output


def test_a_crash_of_the_turn_ends_every_card(tmp_path: Path) -> None:
    class Crash(BaseException):
        pass

    def crash(path: str) -> str:
        raise Crash

    stage = Stage(tmp_path, look_tool(crash))
    with pytest.raises(Crash):
        run(stage, tool_call("1", "look", {"path": "a"}))
    assert results(stage) == [tool_executor.LOST]
    assert_every_card_ends_once(stage)
