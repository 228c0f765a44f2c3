from pathlib import Path
from typing import Any

from hermes_core.ground.actions import Action
from hermes_core.ground.callbacks import Callbacks, CallbackView
from hermes_core.ground.events import (
    ApprovalRequested,
    ChildFinished,
    ChildShown,
    ChildStarted,
    Event,
    ReasoningDelta,
    StatusChanged,
    StepFinished,
    StepStarted,
    TextDelta,
    ToolCallFinished,
    ToolCallGenerating,
    ToolCallStarted,
)


class Log:
    """Callbacks that write down how they were called."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def listen(self, name: str) -> Any:
        def callback(*arguments: Any, **more: Any) -> None:
            self.calls.append((name, *arguments, *([more] if more else [])))

        return callback


def question() -> ApprovalRequested:
    action = Action("execute", "make test", (Path("/w"),))
    return ApprovalRequested("c1", "make test", "execute", action, "it runs a command", {})


def tool_events() -> list[Event]:
    return [
        ToolCallStarted("c1", "terminal", "ls", "execute", {"command": "ls"}),
        ToolCallFinished("c1", "terminal", "failed", "no such folder", seconds=0.5),
    ]


def test_text_and_reasoning_are_handed_on_piece_by_piece() -> None:
    log = Log()
    view = CallbackView(
        Callbacks(
            stream_delta_callback=log.listen("text"),
            reasoning_callback=log.listen("reasoning"),
            thinking_callback=log.listen("thinking"),
        )
    )
    for event in (StepStarted(1), ReasoningDelta("hm", "m"), TextDelta("a", "m")):
        view(event)
    assert log.calls == [
        ("thinking", "thinking"),
        ("thinking", ""),
        ("reasoning", "hm"),
        ("text", "a"),
    ]


def test_a_tool_call_is_told_in_every_form() -> None:
    log = Log()
    view = CallbackView(
        Callbacks(
            stream_delta_callback=log.listen("text"),
            tool_start_callback=log.listen("start"),
            tool_complete_callback=log.listen("complete"),
            tool_progress_callback=log.listen("progress"),
            tool_gen_callback=log.listen("generating"),
        )
    )
    for event in (ToolCallGenerating("terminal"), *tool_events()):
        view(event)
    assert log.calls == [
        ("generating", "terminal"),
        ("text", None),
        ("start", "c1", "terminal", {"command": "ls"}),
        ("progress", "tool.started", "terminal", "ls", {"command": "ls"}, {"tool_call_id": "c1"}),
        ("complete", "c1", "terminal", {"command": "ls"}, "no such folder"),
        (
            "progress",
            "tool.completed",
            "terminal",
            "no such folder",
            {"command": "ls"},
            {
                "tool_call_id": "c1",
                "duration": 0.5,
                "is_error": True,
                "result": "no such folder",
            },
        ),
    ]


def test_a_step_is_told_with_the_tools_of_the_step_before() -> None:
    log = Log()
    view = CallbackView(Callbacks(step_callback=log.listen("step")))
    events = [StepStarted(1), *tool_events(), StepFinished(1), StepStarted(2), StepStarted(3)]
    for event in events:
        view(event)
    previous = {"name": "terminal", "arguments": '{"command": "ls"}', "result": "no such folder"}
    assert log.calls == [("step", 1, []), ("step", 2, [previous]), ("step", 3, [])]


def test_a_status_is_told() -> None:
    log = Log()
    CallbackView(Callbacks(status_callback=log.listen("status")))(StatusChanged("info", "wait"))
    assert log.calls == [("status", "info", "wait")]


def test_the_approval_callback_answers() -> None:
    event = question()
    CallbackView(Callbacks(approval_callback=lambda _: "allow_once"))(event)
    assert event.reply.result(0) == "allow_once"


def test_without_anybody_to_ask_the_answer_is_no() -> None:
    event = question()
    CallbackView(Callbacks())(event)
    assert event.reply.result(0) == "reject_once"


def test_a_question_nobody_here_answers_is_left_to_the_next() -> None:
    event = question()
    seen: list[Event] = []
    CallbackView(Callbacks(), seen.append)(event)
    assert seen == [event]
    assert not event.reply.done()


def test_every_event_goes_on_even_if_no_callback_wants_it() -> None:
    seen: list[Event] = []
    view = CallbackView(Callbacks(), seen.append)
    events: list[Event] = [StepStarted(1), TextDelta("a", "m"), *tool_events(), StepFinished(1)]
    for event in events:
        view(event)
    assert seen == events


def test_children_are_told_as_progress() -> None:
    log = Log()
    view = CallbackView(
        Callbacks(
            tool_progress_callback=log.listen("progress"), tool_start_callback=log.listen("start")
        )
    )
    call = ToolCallStarted("c1", "terminal", "ls", "execute", {"command": "ls"})
    for event in (
        ChildStarted("s2", "d1", "Look", "Look around."),
        ChildShown("s2", call),
        ChildShown("s2", call, asked=True),
        ChildShown("s2", TextDelta("hm", "m")),
        ChildFinished("s2", "d1", "Look", "error", error="It broke.", seconds=2.0),
    ):
        view(event)
    of_task = {"tool_call_id": "d1", "child": "s2"}
    assert log.calls == [
        (
            "progress",
            "subagent.start",
            "delegate_task",
            "Look",
            {"task": "Look around."},
            of_task,
        ),
        (
            "progress",
            "subagent.tool",
            "terminal",
            "ls",
            {"command": "ls"},
            {"tool_call_id": "c1", "child": "s2"},
        ),
        (
            "progress",
            "subagent.complete",
            "delegate_task",
            "Look",
            {},
            {
                **of_task,
                "duration": 2.0,
                "is_error": True,
                "result": "It broke.",
                "stop_reason": "error",
            },
        ),
    ]
