"""The card of a call that has children: what each is doing, in a few lines."""

from hermes_core.agent.child_view import GROWTH, LINES, SAID, Board, ChildView
from hermes_core.ground.actions import NOTHING
from hermes_core.ground.content import CardContent, Diff, Text
from hermes_core.ground.events import (
    ApprovalRequested,
    ChildShown,
    StatusChanged,
    StepFinished,
    StepStarted,
    TextDelta,
    ToolCallFinished,
    ToolCallRunning,
    ToolCallStarted,
)

DIFF = (Diff("/w/a.py", None, "x\n"),)


def started(call_id: str = "c", title: str = "Read a.py", content: tuple[CardContent, ...] = ()):
    return ToolCallStarted(call_id, "t", title, "read", {}, content)


def finished(call_id: str = "c", *, failed: bool = False) -> ToolCallFinished:
    return ToolCallFinished(call_id, "t", "failed" if failed else "completed", "done")


def seen(*events: object) -> ChildView:
    view = ChildView("Look")
    for event in events:
        view.take(event)
    return view


def test_a_child_that_waits_and_works() -> None:
    assert seen().markdown() == "**Look**: waiting for its turn"
    view = seen(StepStarted(2), started(), started("d", "Run\nls"), finished("d", failed=True))
    assert view.markdown() == "**Look**: step 2\n- Read a.py\n- Run ↵ ls (failed)"


def test_a_question_is_told_until_its_call_runs_or_ends() -> None:
    asked = ApprovalRequested("c", "t", "read", NOTHING, "", {})
    view = seen(StepStarted(1), started(), asked)
    assert view.state == "waits for your answer"
    view.take(ToolCallRunning("c"))
    assert view.state == "step 1"
    view = seen(StepStarted(1), started(), asked, finished(failed=True))
    assert view.state == "step 1"


def test_only_the_last_calls_are_listed() -> None:
    view = seen(*(started(str(n), f"call {n}") for n in range(LINES + 3)))
    lines = view.markdown().splitlines()
    assert lines[1:3] == ["- … 3 earlier calls", "- call 3"]
    assert len(lines) == LINES + 2


def test_what_was_said_last_is_shown_from_its_end() -> None:
    view = seen(TextDelta("old", "m1"), TextDelta("new ", "m2"), TextDelta("words", "m2"))
    assert view.markdown().endswith("\n\nnew words")
    view.take(TextDelta("x" * 2 * SAID, "m3"))
    said = view.markdown().rpartition("\n")[2]
    assert (len(said), said[0]) == (SAID, "…")
    view.take(StatusChanged("warning", "asked again"))
    assert view.markdown().endswith("asked again")


def test_text_shows_the_card_again_only_once_there_is_enough_of_it() -> None:
    view = ChildView("Look")
    assert not view.take(TextDelta("x" * (GROWTH - 1), "m"))
    assert view.take(TextDelta("x", "m"))
    assert not view.take(TextDelta("x", "m"))
    assert not view.take(StepFinished(1))


def test_files_are_those_that_calls_changed_when_they_succeeded() -> None:
    view = seen(
        started("a", content=DIFF),
        finished("a"),
        started("b", content=(Diff("/w/b.py", "x", "y"),)),
        finished("b", failed=True),
        ToolCallFinished("c", "t", "completed", "", (Diff("/w/c.py", "x", "y"),)),
    )
    assert list(view.files) == ["/w/a.py", "/w/c.py"]


def test_files_of_a_childs_child_count_too() -> None:
    view = seen(
        ChildShown("g", started("a", content=DIFF)),
        ChildShown("g", started("a", content=DIFF), asked=True),
        ChildShown("g", finished("a")),
    )
    assert list(view.files) == ["/w/a.py"]
    assert view.calls == {}


def test_a_board_shows_all_children_and_numbers_them() -> None:
    shown: list[tuple[CardContent, ...]] = []
    board = Board(["Look", "Edit"], shown.append)
    board.take(1, StepStarted(1))
    board.take(1, StepFinished(1))
    board.end(0, "done")
    assert shown == [
        (Text("**1. Look**: waiting for its turn"), Text("**2. Edit**: step 1")),
        (Text("**1. Look**: done"), Text("**2. Edit**: step 1")),
    ]
    assert (board.step(1), board.files(1)) == (1, ())
    only = Board(["Look"], shown.append)
    only.end(0, "done")
    assert shown[-1] == (Text("**Look**: done"),)
