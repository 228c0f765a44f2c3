"""The tools of MCP servers as the model is offered them, and what calling one does."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hermes_core.ground.actions import Action
from hermes_core.ground.content import Text
from hermes_core.ground.errors import ToolError
from hermes_core.local.mcp_settings import McpServer
from hermes_core.tools.bridges import schemas
from hermes_core.tools.bridges.asking import Caller
from hermes_core.tools.bridges.connection import Connection
from hermes_core.tools.bridges.loop import LOOP, wait_for
from hermes_core.tools.bridges.names import tool_name
from hermes_core.tools.bridges.results import output_of, resource_of, text_output
from hermes_core.tools.registry import Output, Prepared, Progress, ToolContext, ToolSpec
from hermes_core.tools.visible import fence, many_lines, one_line

if TYPE_CHECKING:
    from mcp_types import Tool

LIST = "list_mcp_resources"
READ = "read_mcp_resource"

MOST_RESOURCES = 200

_SERVER = {"type": "string", "description": "Name of the MCP server"}
_TITLE = 120

Run = Callable[[ToolContext, Progress], Output]


class Offers:
    """What the servers of one session offer. Names stay the same as long as the tools do."""

    def __init__(self, connections: Sequence[Connection]) -> None:
        self._connections = connections
        self._names: dict[tuple[str, str], str] = {}

    def specs(self) -> dict[str, ToolSpec]:
        """Return the tools of the servers that are there, by name.

        A server that broke keeps its tools: the next call opens it anew.
        """
        found: dict[str, ToolSpec] = {}
        there = [one for one in self._connections if one.state in ("ready", "broken")]
        for connection in there:
            for tool in connection.tools:
                name = self._name(connection.server.name, tool.name)
                found[name] = _tool_spec(name, connection, tool)
        with_resources = {one.server.name: one for one in there if one.has_resources}
        if with_resources:
            found[LIST] = _list_spec(with_resources)
            found[READ] = _read_spec(with_resources)
        return found

    def listed(self, connection: Connection) -> tuple[tuple[str, str], ...]:
        """Return name and description of each tool of a server."""
        return tuple(
            (
                self._name(connection.server.name, tool.name),
                schemas.short(tool.description or tool.title or ""),
            )
            for tool in connection.tools
        )

    def _name(self, server: str, tool: str) -> str:
        key = (server, tool)
        if key not in self._names:
            self._names[key] = tool_name(server, tool, frozenset(self._names.values()))
        return self._names[key]


def identity(server: McpServer) -> str:
    """Return what is equal for the same server alone: its name and what it is reached by."""
    told = repr((server.carrier, server.command, server.args, server.url))
    digest = hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:12]
    return f"{server.name}:{digest}"


def _tool_spec(name: str, connection: Connection, tool: "Tool") -> ToolSpec:
    server, schema = (
        connection.server,
        schemas.function_schema(name, tool.description or tool.title or "", tool.input_schema),
    )
    parameters = schema["function"]["parameters"]
    own_name = tool.name

    def prepare(ctx: ToolContext, arguments: Mapping[str, Any]) -> Prepared:
        def run(ctx: ToolContext, progress: Progress) -> Output:
            remarks: list[Text] = []

            def show(text: str) -> None:
                progress((*card, *remarks, Text(one_line(text))))

            def remark(text: str) -> None:
                remarks.append(Text(text))
                progress((*card, *remarks))

            caller = Caller(ctx.questions, ctx.call_id, remark, ctx.trace)
            call = connection.call(own_name, dict(arguments), show, caller)
            result = wait_for(LOOP.submit(call), ctx.interrupt)
            output = output_of(result, server.name, own_name)
            return replace(output, content=(*output.content, *remarks))

        card = _card(arguments)
        return _prepared(
            ctx, f"{server.name}: {own_name}", server, own_name, arguments=arguments, run=run
        )

    def check(arguments: Mapping[str, Any]) -> dict[str, Any]:
        return schemas.check(name, parameters, arguments)

    return ToolSpec(name, "other", "never", schema, False, (), prepare, check)


def _prepared(
    ctx: ToolContext,
    what: str,
    server: McpServer,
    tool: str,
    *,
    arguments: Mapping[str, Any],
    run: Run,
) -> Prepared:
    shown = one_line(_json(arguments)) if arguments else ""
    action = Action(
        "mcp",
        f"{what} {shown}".strip(),
        scope=f"the tool {one_line(tool)} of the MCP server {one_line(server.name)} here",
        key=f"mcp:{identity(server)}:{tool}",
    )
    title = one_line(what) + (f" {shown}" if shown else "")
    return Prepared(
        title if len(title) <= _TITLE else f"{title[: _TITLE - 1]}…",
        action,
        lambda progress: run(ctx, progress),
        _card(arguments),
    )


def _card(arguments: Mapping[str, Any]) -> tuple[Text, ...]:
    """Return all of the arguments, as a person may read them."""
    if not arguments:
        return ()
    return (Text(fence(many_lines(json.dumps(arguments, ensure_ascii=False, indent=2)), "json")),)


def _json(arguments: Mapping[str, Any]) -> str:
    return json.dumps(arguments, ensure_ascii=False)


def _list_spec(connections: Mapping[str, Connection]) -> ToolSpec:
    schema = schemas.function_schema(
        LIST,
        f"List the resources of an MCP server. Servers: {', '.join(connections)}.",
        {"type": "object", "properties": {"server": _SERVER}, "required": ["server"]},
    )

    def prepare(ctx: ToolContext, arguments: Mapping[str, Any]) -> Prepared:
        connection = _named(connections, arguments)
        name = connection.server.name

        def run(ctx: ToolContext, _: Progress) -> Output:
            found = wait_for(LOOP.submit(connection.resources()), ctx.interrupt)
            lines = [_resource_line(one) for one in found[:MOST_RESOURCES]]
            if len(found) > MOST_RESOURCES:
                lines.append(f"[{len(found) - MOST_RESOURCES} more are left out]")
            return text_output("\n".join(lines) or "[no resources]", name, "its resources")

        what = f"{name}: list resources"
        return _prepared(ctx, what, connection.server, LIST, arguments={}, run=run)

    def check(arguments: Mapping[str, Any]) -> dict[str, Any]:
        return schemas.check(LIST, schema["function"]["parameters"], arguments)

    return ToolSpec(LIST, "other", "never", schema, False, (), prepare, check)


def _read_spec(connections: Mapping[str, Connection]) -> ToolSpec:
    uri = {"type": "string", "description": "The resource's address, as it was listed"}
    schema = schemas.function_schema(
        READ,
        "Read a resource of an MCP server.",
        {
            "type": "object",
            "properties": {"server": _SERVER, "uri": uri},
            "required": ["server", "uri"],
        },
    )

    def prepare(ctx: ToolContext, arguments: Mapping[str, Any]) -> Prepared:
        connection, wanted = _named(connections, arguments), str(arguments["uri"])
        name = connection.server.name

        def run(ctx: ToolContext, _: Progress) -> Output:
            result = wait_for(LOOP.submit(connection.read(wanted)), ctx.interrupt)
            return resource_of(result, name, wanted)

        what = f"{name}: read {wanted}"
        return _prepared(ctx, what, connection.server, READ, arguments={}, run=run)

    def check(arguments: Mapping[str, Any]) -> dict[str, Any]:
        return schemas.check(READ, schema["function"]["parameters"], arguments)

    return ToolSpec(READ, "other", "never", schema, False, (), prepare, check)


def _named(connections: Mapping[str, Connection], arguments: Mapping[str, Any]) -> Connection:
    found = connections.get(str(arguments["server"]))
    if found is None:
        names = ", ".join(connections)
        raise ToolError(f"There is no such MCP server. Those with resources: {names}.")
    return found


def _resource_line(resource: Any) -> str:
    about = ", ".join(
        filter(None, (resource.title or resource.name, resource.mime_type, resource.description))
    )
    return f"{resource.uri} ({about[:300]})"
