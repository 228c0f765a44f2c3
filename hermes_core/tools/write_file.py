"""The tool that creates a file or replaces its whole content."""

from typing import Annotated

from hermes_core.tools.changes import Change, prepare_change
from hermes_core.tools.lines import require_characters
from hermes_core.tools.registry import Prepared, ToolContext, tool
from hermes_core.tools.targets import current, shown


@tool(kind="edit", together="paths")
def write_file(
    ctx: ToolContext,
    path: Annotated[str, "File to write; missing folders are created"],
    content: Annotated[str, "The whole text, written exactly as given"],
) -> Prepared:
    """Create a file, or replace all of an existing one. To change parts of a file, use patch.

    What is written is ``content`` in UTF-8 and nothing else: no line ends, byte order mark or
    final newline are taken over from the old content. The file's permissions stay.
    """
    require_characters(content)
    target = ctx.workspace.resolve(path)
    before = current(ctx, target)
    name, lines = shown(ctx, target), len(content.splitlines())
    verb, done = ("Create", "Created") if before is None else ("Write", "Replaced")
    told = f"{done} {name} ({lines} {'line' if lines == 1 else 'lines'})."
    return prepare_change(
        ctx, Change(path, target, before, content.encode(), f"{verb} {name}", told, line=1)
    )
