"""``leave_plan_mode``: the model shows its plan, and the person begins with it or has it changed.

Offered where a person can be asked. It changes nothing but the mode, and that by a person's answer
alone: to ``default``, or to ``accept_edits`` for an answer that says so by its name.
"""

from collections.abc import Callable, Mapping
from typing import Annotated

from hermes_core.ground.actions import Action, Answer, Mode
from hermes_core.ground.content import Text
from hermes_core.ground.errors import ToolError
from hermes_core.tools.registry import (
    Leave,
    Output,
    Prepared,
    Progress,
    ToolContext,
    ToolSpec,
    tool,
)
from hermes_core.tools.visible import many_lines

NAME = "leave_plan_mode"
TITLE = "Begin with this plan"
LONGEST = 20_000
"""Characters of a plan."""

NEXT: Mapping[Answer, Mode] = {"allow_once": "default", "allow_always": "accept_edits"}
LABELS: Mapping[Answer, str] = {
    "allow_once": "Yes, and ask before each edit",
    "allow_always": "Yes, and let edits in the workspace run",
    "reject_once": "No, go on planning",
}
DECLINED = "The user wants to go on planning, so nothing may be changed yet."
_WHY = "a yes ends plan mode; after a no it goes on: say what should be different"
_EDITS = {"default": "edits ask", "accept_edits": "edits in the workspace run", "bypass": ""}


def leave_plan_mode_tool(
    mode: Callable[[], Mode], choose: Callable[[Mode], None]
) -> Mapping[str, ToolSpec]:
    """Return the tool, by its name. mode, choose: read and set what runs without asking."""

    @tool(kind="switch_mode", together="never", interactive=True)
    def leave_plan_mode(
        _ctx: ToolContext, plan: Annotated[str, "What will be done, step by step, in Markdown"]
    ) -> Prepared:
        """In plan mode, once you know what to do: show the user the plan and ask to begin."""
        if mode() != "plan":
            raise ToolError("Plan mode is not on. Go on with the work.")
        shown = many_lines(plan).strip()
        if not shown:
            raise ToolError("The plan is empty.")
        if len(shown) > LONGEST:
            raise ToolError(f"The plan is longer than {LONGEST:,} characters. Shorten it.")
        leave = Leave()
        content = (Text(shown),)

        def run(_progress: Progress) -> Output:
            text = _begin(leave.answer, mode, choose)
            return Output(text, (*content, Text(text)))

        action = Action("mode", _WHY, scope=LABELS["allow_always"])
        return Prepared(TITLE, action, run, content, leave=leave, labels=LABELS, declined=DECLINED)

    return {NAME: leave_plan_mode}


def _begin(answer: Answer | None, mode: Callable[[], Mode], choose: Callable[[Mode], None]) -> str:
    """Change the mode as the person said, unless they did so themselves meanwhile."""
    chosen = NEXT.get(answer) if answer else None
    if chosen and mode() == "plan":
        choose(chosen)
    now = mode()
    return f"Plan mode is over; the mode is {now} now: {_EDITS.get(now) or 'little asks'}."
