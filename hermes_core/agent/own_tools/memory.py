"""``memory``: what the agent keeps for later sessions. The prompt holds it as it was at the start
of the session, so that a change is seen by the next one; the tool itself sees it at once.
"""

import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Annotated, Literal, NotRequired, TypedDict

from hermes_core.agent.own_tools.origin import Origin, origin_of
from hermes_core.ground.actions import NOTHING, Action
from hermes_core.ground.content import CardContent, Text
from hermes_core.ground.errors import ToolError
from hermes_core.ground.messages import Message
from hermes_core.sessions.memory import Change, MemoryFile, MemoryFull, Target, listed, parse
from hermes_core.tools.registry import Output, Prepared, Progress, ToolContext, ToolSpec, tool
from hermes_core.tools.visible import one_line

MOST_TRIES = 3
"""How often in one turn changes may not fit, before the model is told to leave it."""

_TITLE = 60


class MemoryChange(TypedDict):
    """One change of a memory file."""

    action: Literal["add", "replace", "remove"]
    content: NotRequired[str]
    old_text: NotRequired[Annotated[str, "Part of the one entry to replace or remove"]]


def memory_tool(
    home: Path, messages: Callable[[], Sequence[Message]], targets: Collection[Target]
) -> ToolSpec:
    """Return the tool ``memory`` for those of the files in ``home`` that ``targets`` names.

    messages: returns the history, from which is told whose words an entry has.
    """
    tries = _Tries()

    @tool(kind="edit", together="never")
    def memory(
        ctx: ToolContext,
        changes: Annotated[
            list[MemoryChange] | None, "All are made, or none; leave out to read"
        ] = None,
        target: Annotated[
            Literal["memory", "user"], "Notes about the work, or about the user"
        ] = "memory",
    ) -> Prepared:
        """Keep short facts for later sessions, in plain words; the user confirms each change."""
        if target not in targets:
            raise ToolError(f"The user has switched the memory {target!r} off.")
        file = MemoryFile(home, target)
        if not changes:
            return Prepared(f"Read {file.name}", NOTHING, lambda _: Output(_told(file)))
        wanted = [_change(change) for change in changes]
        with tries.counted(ctx.task_id):
            diff = file.preview(wanted)
        if diff.new == (diff.old or ""):
            return Prepared(f"Keep {file.name}", NOTHING, lambda _: Output("It says so already."))
        texts = [change.text for change in wanted if change.action != "remove"]
        origin = origin_of(texts, messages())
        content: tuple[CardContent, ...] = (*_notes(origin), diff)

        def run(_progress: Progress) -> Output:
            ctx.interrupt.raise_if_set()
            made = file.change(wanted, diff, ctx.interrupt)
            used = file.usage(parse(made.new))
            return Output(f"Done. {file.name}: {used}. The next session's prompt has it.", (made,))

        return Prepared(_title(file, wanted), _action(file, origin), run, content)

    return memory


class _Tries:
    """Counts what did not fit in the turn that runs."""

    def __init__(self) -> None:
        self._task = ""
        self._count = 0

    def counted(self, task: str) -> "_Tries":
        if task != self._task:
            self._task, self._count = task, 0
        return self

    def __enter__(self) -> None:
        """Begin to try."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if not isinstance(error, MemoryFull):
            return
        self._count += 1
        if self._count >= MOST_TRIES:
            raise ToolError(
                "There is still no room. Leave the memory as it is, and go on with the task."
            )


def _change(change: MemoryChange) -> Change:
    text = change.get("content", "")
    return Change(change["action"], text, change.get("old_text", ""))


def _action(file: MemoryFile, origin: Origin) -> Action:
    """Return an edit of our own home, which always asks; "always" covers the user's own words."""
    path = Path(os.path.realpath(file.path))
    if origin.foreign:
        scope, key = "this very change", f"memory:{origin.digest}"
    else:
        scope, key = "changes of the memory in this workspace", "memory"
    return Action("edit", file.name, (path,), scope, key, own=True)


def _notes(origin: Origin) -> tuple[Text, ...]:
    if not origin.foreign:
        return ()
    source = f"It resembles what {origin.source} returned. " if origin.source else ""
    return (
        Text(
            "This reads like an instruction, and you have not said it in these words in this "
            f"session. {source}Allow it only if it is what you want in every later session."
        ),
    )


def _title(file: MemoryFile, changes: Sequence[Change]) -> str:
    first = changes[0]
    verb = {"add": "Remember", "replace": "Change", "remove": "Forget"}[first.action]
    words = one_line(first.text or first.old)
    short = words if len(words) <= _TITLE else f"{words[: _TITLE - 1]}…"
    more = f" and {len(changes) - 1} more" if len(changes) > 1 else ""
    return f"{verb} in {file.name}: {short}{more}"


def _told(file: MemoryFile) -> str:
    entries = file.entries()
    return f"{file.name} ({file.usage(entries)}):\n{listed(entries)}"
