"""Tools that do what a test wants."""

from collections.abc import Callable

from hermes_core.ground.actions import NOTHING, Action
from hermes_core.ground.content import Diff, Location, Text
from hermes_core.tools.registry import Output, Prepared, Progress, ToolContext, ToolSpec, tool

Run = Callable[[str], str]


def echo(text: str) -> str:
    return f"ran {text}"


def look_tool(run: Run = echo) -> ToolSpec:
    """Return a tool that only looks; nobody is asked."""

    @tool(kind="read", together="always")
    def look(ctx: ToolContext, path: str) -> Prepared:
        """Look at something."""
        return Prepared(f"Look at {path}", NOTHING, lambda _: Output(run(path)))

    return look


def change_tool(run: Run = echo) -> ToolSpec:
    """Return a tool that changes its path, and shows a diff before."""

    @tool(kind="edit", together="paths")
    def change(ctx: ToolContext, path: str) -> Prepared:
        """Change something."""
        real = ctx.workspace.resolve(path)
        shown = (Diff(str(real), "old", "new"),)
        action = Action("edit", path, (real,), f"edits of {path}", f"edit:{real}")
        places = (Location(str(real), 3),)
        return Prepared(f"Change {path}", action, lambda _: Output(run(path)), shown, places)

    return change


def act_tool(run: Callable[[str, Progress], str] = lambda text, _: f"ran {text}") -> ToolSpec:
    """Return a tool that could do anything, and asks each time."""

    @tool(kind="execute", together="never")
    def act(ctx: ToolContext, command: str, times: int = 1) -> Prepared:
        """Do something."""
        action = Action("execute", command, (), f"`{command}`", f"run:{command}")
        return Prepared(
            command, action, lambda progress: Output(run(command, progress)), (Text(command),)
        )

    return act


def broken_tool(error: Exception, *, in_prepare: bool) -> ToolSpec:
    """Return a tool that raises ``error``, when it is prepared or when it runs."""

    def fail(_progress: Progress) -> Output:
        raise error

    @tool(kind="other", together="never")
    def broken(ctx: ToolContext) -> Prepared:
        """Fail."""
        if in_prepare:
            raise error
        return Prepared("Break", NOTHING, fail)

    return broken
