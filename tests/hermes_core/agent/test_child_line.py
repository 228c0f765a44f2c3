"""The line between a child and the screen of the agent that it works for."""

from dataclasses import dataclass, field
from typing import Any

from hermes_core.agent.child_line import ChildLine
from hermes_core.agent.child_view import Board
from hermes_core.ground.events import (
    ChildFinished,
    ChildShown,
    ChildStarted,
    TextDelta,
    ToolCallFinished,
    ToolCallStarted,
)
from hermes_core.ground.interrupt import Interrupt


def ignore(_content: Any) -> None:
    pass


@dataclass
class Desk:
    """The first place on a card of one task."""

    number: int = 0
    board: Board = field(default_factory=lambda: Board(["a"], ignore))


def test_a_child_that_is_given_up_leaves_no_card_open() -> None:
    shown: list[Any] = []
    screen = ChildLine(shown.append).screen("child", "a", Desk(), Interrupt())
    screen.open(ChildStarted("child", "c1", "a", "do it"))
    for call_id in ("done", "open"):
        screen(ToolCallStarted(call_id, "read_file", "Read a", "read", {}))
    screen(ToolCallFinished("done", "read_file", "completed", "text"))
    screen.close(ChildFinished("child", "c1", "a", "cancelled"))
    screen(ToolCallFinished("open", "read_file", "completed", "too late"))
    screen(TextDelta("too late", "m"))
    ends = [one.shown for one in shown if isinstance(one, ChildShown)]
    ended = [(one.call_id, one.status) for one in ends if isinstance(one, ToolCallFinished)]
    assert ended == [("done", "completed"), ("open", "failed")]
    assert isinstance(shown[-1], ChildFinished)
