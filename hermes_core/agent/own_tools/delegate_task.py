"""``delegate_task``: gives tasks to children, agents that work side by side and report back."""

from collections.abc import Sequence
from typing import Annotated, NotRequired, TypedDict

from hermes_core.agent.child import Report, Task
from hermes_core.agent.children import Children
from hermes_core.agent.opening import title_of
from hermes_core.ground.actions import NOTHING
from hermes_core.ground.content import Text
from hermes_core.ground.errors import ToolError
from hermes_core.local.workspace import Workspace
from hermes_core.tools.registry import Output, Prepared, Progress, ToolContext, ToolSpec, tool

NAME = "delegate_task"

MOST_TASKS = 16
LONGEST_TITLE = 60

FOR_ALL = 48_000
"""Characters of the answers of all children together that the model gets."""

ON_CARD = 4_000
"""Characters of one child's answer that its part of the card shows."""

MOST_FILES = 50


class Assignment(TypedDict):
    """A task for one child."""

    task: Annotated[str, "What to do, and what to report. The child sees nothing else"]
    context: NotRequired[Annotated[str, "What it needs to know: paths, findings, constraints"]]
    title: NotRequired[Annotated[str, "A few words for the user"]]


def delegate_tools(children: Children) -> dict[str, ToolSpec]:
    """Return the tool by its name; nothing for an agent that may have no children."""
    return {NAME: delegate_tool(children)} if children.depth_left > 0 else {}


def delegate_tool(children: Children) -> ToolSpec:
    """Return the tool ``delegate_task``, which has its tasks done by ``children``."""

    @tool(kind="other", together="never")
    def delegate_task(
        ctx: ToolContext,
        tasks: Annotated[list[Assignment], "Tasks that do not depend on each other"],
    ) -> Prepared:
        """Give tasks to children: agents with the same workspace, tools and approvals, but a
        history of their own. They work side by side, and you get their final answers. Use it for
        work that is separate and large, such as a search through many files, so that its details
        stay out of this conversation; do small work yourself. No two of them may change the same
        files. A child knows nothing of this conversation: put everything into its task and context.
        """
        wanted = _tasks(tasks)
        if children.depth_left < 1:
            raise ToolError("No children are allowed here. Do the task yourself.")

        def run(progress: Progress) -> Output:
            return _output(children.run(wanted, ctx, progress), ctx.workspace)

        count = f"Delegate {len(wanted)} tasks"
        title = count if len(wanted) > 1 else f"Delegate: {wanted[0].title}"
        content = tuple(Text(f"**{task.title}**\n\n{task.text}") for task in wanted)
        return Prepared(title, NOTHING, run, content)

    return delegate_task


def _tasks(tasks: Sequence[Assignment]) -> list[Task]:
    if not tasks:
        raise ToolError("There is no task. Give at least one.")
    if len(tasks) > MOST_TASKS:
        raise ToolError(f"A call takes at most {MOST_TASKS} tasks, not {len(tasks)}.")
    if not all(task["task"].strip() for task in tasks):
        raise ToolError("Every task needs a text that says what is to be done.")
    return [_task(task) for task in tasks]


def _task(wanted: Assignment) -> Task:
    text, context = wanted["task"].strip(), wanted.get("context", "").strip()
    title = title_of(wanted.get("title", "")) or title_of(text)
    if len(title) > LONGEST_TITLE:
        title = title[: LONGEST_TITLE - 1].rstrip() + "…"
    return Task(title, f"{text}\n\nContext:\n{context}" if context else text)


def _output(reports: Sequence[Report], workspace: Workspace) -> Output:
    """Return what the model and the card are told of the children's ends."""
    share = FOR_ALL // len(reports)
    text = "\n\n".join(
        _section(number, report, workspace, share) for number, report in enumerate(reports, 1)
    )
    content = tuple(Text(_on_card(report, workspace)) for report in reports)
    return Output(text, content, failed=not any(report.answer for report in reports))


def _section(number: int, report: Report, workspace: Workspace, share: int) -> str:
    lines = [f"## {number}. {report.title}: {_ending(report)}"]
    if report.answer:
        lines.append(_cut(report.answer, share))
    if report.files:
        lines.append(f"Files changed with its tools: {_files(report, workspace)}")
    return "\n".join(lines)


def _on_card(report: Report, workspace: Workspace) -> str:
    parts = [f"**{report.title}**: {_ending(report)}, {report.seconds:.0f} s"]
    if report.files:
        parts.append(f"Changed: {_files(report, workspace)}")
    if report.answer:
        parts.append(_cut(report.answer, ON_CARD))
    return "\n\n".join(parts)


def _ending(report: Report) -> str:
    steps = f"{report.steps} step{'' if report.steps == 1 else 's'}"
    match report.stop_reason:
        case "end_turn":
            return f"{'completed' if report.completed else 'went in circles'} after {steps}"
        case "max_turn_requests":
            return f"stopped at its limit after {steps}; its summary of what it did"
        case "max_tokens":
            return f"cut off at the model's output limit after {steps}"
        case "refusal":
            return f"declined by the provider after {steps}"
        case "cancelled":
            done = f" after {steps}; it may have done a part" if report.steps else ""
            return f"interrupted by the user{done}"
        case "error":
            return f"failed after {steps}: {report.error}"


def _files(report: Report, workspace: Workspace) -> str:
    from pathlib import Path

    names = [workspace.display(Path(path)) for path in report.files[:MOST_FILES]]
    more = len(report.files) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _cut(text: str, limit: int) -> str:
    text = text.strip()
    if len(text) <= limit:
        return text
    head, tail = limit * 3 // 4, limit // 4
    left_out = len(text) - head - tail
    return f"{text[:head]}\n[… {left_out} characters left out …]\n{text[-tail:]}"
