"""A tool call of the model, read: which tool, which arguments, or why it cannot be done.

Reading never guesses at what would run. A name may be spelled another way, arguments may be
broken JSON that has one reading, but only if the text is whole and what comes out is an object
that fits the tool.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from hermes_core.agent.segments import Reach
from hermes_core.ground.content import ToolKind
from hermes_core.ground.errors import ToolError
from hermes_core.ground.messages import ToolCall
from hermes_core.local.workspace import Workspace
from hermes_core.tools.registry import (
    Output,
    ToolSpec,
    check_arguments,
    find_tool,
    unknown_tool,
)
from hermes_core.tools.visible import one_line

Arguments = dict[str, Any]

_TITLE = 200
_CHANGED = 1_000
"""Characters of changed arguments that the model is told."""


@dataclass(frozen=True, slots=True)
class CallRequest:
    """What one tool call asks for.

    sent: the arguments as the model sent them, for display; text that is no object stands
    under ``arguments``. problem: why the call cannot be done, ``""`` for one that can.
    same_as: the id of the call of the same answer whose result answers this one too.
    remark: what the model is told before the result.
    """

    call: ToolCall
    spec: ToolSpec | None
    sent: Arguments
    arguments: Arguments
    problem: str
    reach: Reach
    same_as: str = ""
    remark: str = ""

    def blocked(self, problem: str) -> "CallRequest":
        """Return the call as one that cannot be done."""
        return replace(self, problem=problem, reach=Reach("always"))

    @property
    def name(self) -> str:
        """The tool's name; as the model wrote it if there is no such tool."""
        return self.spec.name if self.spec else self.call["function"]["name"]

    @property
    def kind(self) -> ToolKind:
        """What sort of tool it is."""
        return self.spec.kind if self.spec else "other"

    @property
    def title(self) -> str:
        """A title for a call that cannot be prepared: the name, and what it is about."""
        subject = next((self.sent[k] for k in ("path", "command") if k in self.sent), "")
        return one_line(f"{self.name} {subject}".strip()[:_TITLE]) or "tool call without a name"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A call, and what it came to. digest: of the result before it was shortened to fit."""

    request: CallRequest
    output: Output
    digest: str


def read_call(call: ToolCall, specs: Mapping[str, ToolSpec], workspace: Workspace) -> CallRequest:
    """Read one call of a complete answer. Never raises; see ``CallRequest.problem``."""
    name, text = call["function"]["name"], call["function"]["arguments"]
    found = find_tool(name, specs)
    if found is None:
        sent, _ = _parsed(text)
        return CallRequest(call, None, sent, {}, unknown_tool(name, specs), Reach("always"))
    spec = specs[found]
    sent, arguments, problem = _fitted(spec, text)
    if problem:
        return CallRequest(call, spec, sent, {}, f"Not run: {problem}", Reach("always"))
    return CallRequest(call, spec, sent, arguments, "", _reach(spec, arguments, workspace))


def with_arguments(
    request: CallRequest, arguments: Arguments, workspace: Workspace, plugin: str
) -> CallRequest:
    """Return the call with the arguments that a plugin gave it; raise ``ToolError`` for bad ones.

    The call is as if the model had sent them, and the model is told so.
    """
    spec = request.spec
    if spec is None:
        return request
    checked = check_arguments(spec, arguments)
    if checked == request.arguments:
        return request
    told = json.dumps(arguments)
    if len(told) > _CHANGED:
        told = f"{told[:_CHANGED]} … ({len(told) - _CHANGED:,} more characters)"
    remark = f"[The plugin {plugin} changed the arguments of this call to {told}. Its result:]\n"
    reach = _reach(spec, checked, workspace)
    return replace(request, sent=arguments, arguments=checked, reach=reach, remark=remark)


def _reach(spec: ToolSpec, arguments: Arguments, workspace: Workspace) -> Reach:
    together = "never" if spec.interactive else spec.together
    return Reach(together, spec.paths(workspace, arguments) if together == "paths" else ())


def _fitted(spec: ToolSpec, text: str) -> tuple[Arguments, Arguments, str]:
    """Return the arguments as sent, the same as the tool takes them, and what is wrong."""
    sent, problem = _parsed(text)
    if problem:
        mended = _mended(text)
        try:
            return mended, check_arguments(spec, mended), ""
        except ToolError:
            return sent, {}, problem
    try:
        return sent, check_arguments(spec, sent), ""
    except ToolError as error:
        return sent, {}, str(error)


def _parsed(text: str) -> tuple[Arguments, str]:
    """Return the object that ``text`` is, or the text itself with what is wrong about it."""
    if not text.strip():
        return {}, ""
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        reason = f"the arguments are not valid JSON ({error}). Send the whole call again."
        return {"arguments": text}, reason
    if isinstance(value, dict):
        return value, ""
    return {"arguments": text}, "the arguments must be a JSON object. Send the whole call again."


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _mended(text: str) -> Arguments:
    """Return the object that was most likely meant; ``{}`` if ``text`` was cut off or has none."""
    if not text.rstrip().endswith("}"):
        return {}
    from json_repair import repair_json

    try:
        value = json.loads(repair_json(text), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
