"""The tool that changes parts of a file."""

from typing import Annotated, NotRequired, TypedDict

from hermes_core.ground.errors import ToolError
from hermes_core.tools.changes import Change, prepare_change, require_known
from hermes_core.tools.edits import Edit, Edited, apply_edits
from hermes_core.tools.lines import decode, encode
from hermes_core.tools.registry import Prepared, ToolContext, tool
from hermes_core.tools.targets import current, missing, shown


class Replacement(TypedDict):
    """One edit, as the model sends it."""

    old: Annotated[str, "Text in the file, copied exactly, with enough lines to be unique"]
    new: Annotated[str, "Text that replaces it; empty to delete"]
    all: NotRequired[Annotated[bool, "Replace every occurrence"]]


@tool(kind="edit", together="paths")
def patch(
    ctx: ToolContext,
    path: Annotated[str, "File to change; read it first"],
    edits: Annotated[list[Replacement], "Applied in order; if one fails, nothing is changed"],
) -> Prepared:
    """Replace parts of a file. Put all edits of one file into one call.

    Line ends, byte order mark, permissions and every byte outside of the edits stay as they are;
    see ``edits`` for how the old text is found.
    """
    target = ctx.workspace.resolve(path)
    name = shown(ctx, target)
    # Why an edit fails tells of the content, and nobody has yet approved to read that.
    if not ctx.workspace.contains(target) and not ctx.seen.knows(target):
        raise ToolError(f"{name} lies outside the workspace. Read it before you edit it.")
    before = current(ctx, target)
    if before is None:
        raise missing(ctx, target)
    require_known(ctx, target, before)
    result = apply_edits(decode(before), [_edit(one) for one in edits])
    return prepare_change(
        ctx,
        Change(
            path,
            target,
            before,
            encode(result.text),
            f"Edit {name}",
            _done(name, len(edits), result),
            result.line,
        ),
    )


def _edit(one: Replacement) -> Edit:
    return Edit(one["old"], one["new"], one.get("all", False))


def _done(name: str, count: int, result: Edited) -> str:
    edits = "1 edit" if count == 1 else f"{count} edits"
    return " ".join([f"Edited {name} ({edits}, from line {result.line}).", *result.notes])
