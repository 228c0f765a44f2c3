"""The tool that reads the user's own notes on how to do a task."""

from typing import Annotated

from hermes_core.ground.actions import NOTHING
from hermes_core.local.skills import FILE_NAME, find_skills, read_skill
from hermes_core.tools.registry import Output, Prepared, Progress, ToolContext, tool
from hermes_core.tools.visible import one_line


@tool(kind="read", together="always")
def skill_view(
    ctx: ToolContext,
    name: Annotated[str, "The skill; leave out to list all"] = "",
    file: Annotated[str, "A file of it"] = FILE_NAME,
) -> Prepared:
    """Read one of the user's skills: notes on how a task is done."""
    if not name:
        return Prepared("List the skills", NOTHING, lambda _: Output(_listing(ctx)))

    def run(_progress: Progress) -> Output:
        return Output(read_skill(ctx.home, name, file))

    beside = "" if file == FILE_NAME else f": {one_line(file[:80])}"
    return Prepared(f"Read the skill {one_line(name[:80])}{beside}", NOTHING, run)


def _listing(ctx: ToolContext) -> str:
    lines = [f"{skill.name}: {skill.description}" for skill in find_skills(ctx.home)]
    return "\n".join(lines) or "There are no skills."
