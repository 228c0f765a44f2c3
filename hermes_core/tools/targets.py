"""The files that calls are aimed at: how they are named, approved, and missed."""

import os
from difflib import get_close_matches
from pathlib import Path

from hermes_core.ground.actions import Action
from hermes_core.ground.errors import ToolError
from hermes_core.tools.registry import ToolContext
from hermes_core.tools.visible import one_line


def shown(ctx: ToolContext, path: Path) -> str:
    """Return the path as people read it: relative inside the working folder, nothing hidden."""
    return one_line(ctx.workspace.display(path))


def read_action(ctx: ToolContext, path: Path) -> Action:
    """Return the action of reading or searching a path."""
    name = shown(ctx, path)
    return Action("read", name, (path,), f"reading {name} in this session", f"read:{path}")


def edit_action(ctx: ToolContext, path: Path) -> Action:
    """Return the action of changing or creating a file."""
    name = shown(ctx, path)
    return Action("edit", name, (path,), f"edits of {name} in this session", f"edit:{path}")


def current(ctx: ToolContext, path: Path) -> bytes | None:
    """Return the file's content, or None if there is nothing at ``path``.

    Raises ``ToolError`` if there is something that cannot be read.
    """
    return ctx.files.read(path) if os.path.lexists(path) else None


def missing(ctx: ToolContext, path: Path) -> ToolError:
    """Return the error for a path that does not exist, with a name that may have been meant.

    Names outside of the workspace are not told.
    """
    text = f"{shown(ctx, path)} does not exist."
    if not ctx.workspace.contains(path.parent):
        return ToolError(text)
    try:
        near = get_close_matches(path.name, os.listdir(path.parent), n=1)
    except OSError:
        return ToolError(f"{text} Neither does its folder; find files with search_files.")
    if near:
        return ToolError(f"{text} Did you mean {shown(ctx, path.parent / near[0])}?")
    return ToolError(f"{text} Find it with search_files.")
