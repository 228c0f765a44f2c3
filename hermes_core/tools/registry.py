"""What a tool is, and the tools that there are.

A tool is one function in one file, under the decorator ``tool``. The function is the **prepare**
phase of a call: it checks, resolves, and returns what would be done (an ``Action`` for the
approval engine, a title and a card for the person) with a ``run`` that does it. ``run`` verifies
that nothing has changed in between, so that what was approved is what is done.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from hermes_core.ground.actions import Action, Answer
from hermes_core.ground.asking import Questions
from hermes_core.ground.content import CardContent, Console, Location, Text, ToolKind
from hermes_core.ground.errors import ToolError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.ports import Files, Terminals
from hermes_core.ground.secrets import REDACTOR
from hermes_core.local.config import Config
from hermes_core.local.workspace import Workspace
from hermes_core.tools.arguments import check_fields
from hermes_core.tools.names import find_tool, unknown_tool
from hermes_core.tools.seen import Seen
from hermes_core.tools.shapes import Field, description_of, fields_of, object_schema

__all__ = [
    "Leave",
    "Output",
    "Prepared",
    "Progress",
    "Seen",
    "Together",
    "ToolContext",
    "ToolSpec",
    "bundled_tools",
    "check_arguments",
    "find_tool",
    "tool",
    "unknown_tool",
]

Together = Literal["always", "paths", "never"]
"""Beside which other calls a call may run: ``always`` for tools that only look, ``paths`` for
those that change their own paths alone, ``never`` for those that could do anything."""

Progress = Callable[[tuple[CardContent, ...]], None]
"""Takes all that a running call has to show so far."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool may use. ``home`` is the folder of our settings, ``seen`` the session's own.

    task_id: names the turn, call_id the call itself. is_secret: whether a file may hold secrets,
    by its real path, so that it is not read unless a person says so. terminals: the client's, None
    where it has none. questions: shows forms and pages to the person, None where nobody can be
    asked. trace: the trace context of the turn, for MCP servers.
    """

    workspace: Workspace
    files: Files
    config: Config
    interrupt: Interrupt
    seen: Seen
    task_id: str
    home: Path
    call_id: str = ""
    is_secret: Callable[[Path], bool] = lambda _: False
    terminals: Terminals | None = None
    questions: Questions | None = None
    trace: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Output:
    """What a call came to: ``text`` for the model, the rest for the tool card.

    The images on the card are for the model too.
    """

    text: str
    content: tuple[CardContent, ...] = ()
    failed: bool = False
    locations: tuple[Location, ...] = ()


@dataclass(slots=True)
class Leave:
    """By whose leave a call runs; whoever decides tells it before that.

    unasked: that nobody was asked, and no rule of a person's stands for an answer. It is so until
    the opposite is told: a call is held too tight rather than too loose. environment: what a
    command gets besides its own, because it runs unasked. answer: what a person answered.
    """

    unasked: bool = True
    answer: Answer | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A call that is ready to be approved and run; ``leave`` is told how it was approved.

    kind: what sort of call this one is, where that is not what the tool is. labels: names of the
    answers to the question about it, where the usual ones do not say what they do. declined: what
    the model is told of a rejection, in place of the usual.
    """

    title: str
    action: Action
    run: Callable[[Progress], Output]
    content: tuple[CardContent, ...] = ()
    locations: tuple[Location, ...] = ()
    leave: Leave = field(default_factory=Leave)
    kind: ToolKind | None = None
    labels: Mapping[Answer, str] = field(default_factory=dict)
    declined: str = ""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool: its schema for the model, and the function behind it.

    interactive: whether it asks a person something, approval aside.
    check: of a foreign tool, whose schema is not made from ``fields``: returns its arguments or
        raises ``ToolError``; ``function`` is given them as one mapping.
    """

    name: str
    kind: ToolKind
    together: Together
    schema: dict[str, Any]
    interactive: bool
    fields: tuple[Field, ...] = field(repr=False)
    function: Callable[..., Prepared] = field(repr=False)
    check: Callable[[Mapping[str, Any]], dict[str, Any]] | None = field(default=None, repr=False)

    def prepare(self, ctx: ToolContext, arguments: Mapping[str, Any]) -> Prepared:
        """Check the arguments and prepare the call; raise ``ToolError`` if it cannot be made.

        Secrets are masked in what the prepared call will answer and show; diffs are left as
        they are, since they must be what is written.
        """
        checked = check_arguments(self, arguments)
        prepared = self.function(ctx, checked) if self.check else self.function(ctx, **checked)
        return replace(prepared, run=_redacted(prepared.run))

    def paths(self, workspace: Workspace, arguments: Mapping[str, Any]) -> tuple[Path, ...]:
        """Return the real paths that the call names; none if they cannot be told."""
        for one in self.fields:
            if one.name == "path":
                try:
                    return (workspace.resolve(str(arguments.get("path") or one.default or "")),)
                except ToolError:
                    return ()
        return ()


def tool(
    *, kind: ToolKind, together: Together, interactive: bool = False
) -> Callable[[Callable[..., Prepared]], ToolSpec]:
    """Make a function that prepares calls into a tool of the same name.

    The first paragraph of its docstring and its signature are the schema; see ``shapes``.
    """

    def decorate(function: Callable[..., Prepared]) -> ToolSpec:
        fields = fields_of(function)
        schema = {
            "type": "function",
            "function": {
                "name": function.__name__,
                "description": description_of(function),
                "parameters": object_schema(fields),
            },
        }
        return ToolSpec(function.__name__, kind, together, schema, interactive, fields, function)

    return decorate


def check_arguments(spec: ToolSpec, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with ill-typed values put right where one reading is possible.

    Raises ``ToolError`` that names every missing, unknown and ill-typed argument. Checking
    what was checked changes nothing.
    """
    if spec.check is not None:
        return spec.check(arguments)
    return check_fields(spec.name, spec.fields, arguments)


def bundled_tools() -> dict[str, ToolSpec]:
    """Return the tools that come with the program, by name, always in the same order."""
    from hermes_core.tools.execute_code import execute_code
    from hermes_core.tools.patch import patch
    from hermes_core.tools.read_file import read_file
    from hermes_core.tools.search_files import search_files
    from hermes_core.tools.terminal import terminal
    from hermes_core.tools.web_fetch import web_fetch
    from hermes_core.tools.write_file import write_file

    those = (read_file, search_files, patch, write_file, terminal, execute_code, web_fetch)
    return {spec.name: spec for spec in those}


def _redacted(run: Callable[[Progress], Output]) -> Callable[[Progress], Output]:
    def run_redacted(progress: Progress) -> Output:
        output = run(lambda content: progress(_masked(content)))
        text = REDACTOR.redact(output.text)
        return replace(output, text=text, content=_masked(output.content))

    return run_redacted


def _masked(content: tuple[CardContent, ...]) -> tuple[CardContent, ...]:
    return tuple(map(_masked_part, content))


def _masked_part(part: CardContent) -> CardContent:
    if isinstance(part, Console):
        return replace(part, output=REDACTOR.redact(part.output))
    return Text(REDACTOR.redact(part.text)) if isinstance(part, Text) else part
