"""``todo``: the plan that the user sees. Like every tool here it changes the agent itself, belongs
to one session and stands in no registry.
"""

import json
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Annotated, Literal, NotRequired, TypedDict

from hermes_core.ground.actions import NOTHING
from hermes_core.ground.content import PlanEntry
from hermes_core.ground.errors import ToolError
from hermes_core.ground.events import Emit, PlanChanged
from hermes_core.ground.messages import Message
from hermes_core.tools.registry import (
    Output,
    Prepared,
    Progress,
    ToolContext,
    ToolSpec,
    check_arguments,
    tool,
)

MOST_STEPS = 100
LONGEST_STEP = 500
"""Characters of one step that are kept."""


class Step(TypedDict):
    """One step of the plan."""

    content: str
    status: NotRequired[Literal["pending", "in_progress", "completed"]]
    priority: NotRequired[Literal["high", "medium", "low"]]


class Plan:
    """The plan of one session; may be used from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: tuple[PlanEntry, ...] = ()

    @property
    def entries(self) -> tuple[PlanEntry, ...]:
        """The plan, whole."""
        with self._lock:
            return self._entries

    def replace(self, entries: Iterable[PlanEntry]) -> None:
        """Put ``entries`` in the place of what there was."""
        with self._lock:
            self._entries = tuple(entries)


def todo_tool(plan: Plan, emit: Emit) -> ToolSpec:
    """Return the tool ``todo``, which keeps ``plan`` and shows each change through ``emit``."""

    @tool(kind="think", together="never")
    def todo(
        _ctx: ToolContext,
        steps: Annotated[
            list[Step] | None, "The whole plan, in order; leave out to read it"
        ] = None,
    ) -> Prepared:
        """Set or read the plan that the user sees. Each call replaces the whole plan."""
        if steps is None:
            return Prepared("Read the plan", NOTHING, lambda _: Output(_told(plan.entries)))
        entries = _entries(steps)

        def run(_progress: Progress) -> Output:
            plan.replace(entries)
            emit(PlanChanged(entries))
            return Output(_counted(entries))

        return Prepared(f"Plan: {_counted(entries)}", NOTHING, run)

    return todo


def restore_plan(plan: Plan, messages: Sequence[Message], todo: ToolSpec) -> None:
    """Set ``plan`` to what the last ``todo`` call in ``messages`` made of it, if there is one."""
    for message in reversed(messages):
        for call in reversed(message.get("tool_calls", [])):
            if call["function"]["name"] != todo.name:
                continue
            with suppress(ValueError, RecursionError, ToolError):
                arguments = check_arguments(todo, json.loads(call["function"]["arguments"]))
                if arguments.get("steps") is not None:
                    plan.replace(_entries(arguments["steps"]))
                    return


def _entries(steps: Sequence[Step]) -> tuple[PlanEntry, ...]:
    if len(steps) > MOST_STEPS:
        raise ToolError(f"A plan has at most {MOST_STEPS} steps, not {len(steps)}.")
    if not all(step["content"].strip() for step in steps):
        raise ToolError("Every step needs a content that says what is to be done.")
    return tuple(
        PlanEntry(
            " ".join(step["content"].split())[:LONGEST_STEP],
            step.get("status", "pending"),
            step.get("priority", "medium"),
        )
        for step in steps
    )


def _counted(entries: Sequence[PlanEntry]) -> str:
    done = sum(entry.status == "completed" for entry in entries)
    return f"{len(entries)} step{'' if len(entries) == 1 else 's'}, {done} completed"


def _told(entries: Sequence[PlanEntry]) -> str:
    lines = [f"[{entry.status}] {entry.content}" for entry in entries]
    return "\n".join(lines) or "There is no plan."
