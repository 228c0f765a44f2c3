"""``/mcp``: the session's MCP servers, how they are, and what they offer."""

from typing import TYPE_CHECKING

from hermes_core.commands.seat import Seat
from hermes_core.ground.errors import HermesError
from hermes_core.ground.typed import quoted
from hermes_core.local.mcp_settings import McpServer
from hermes_core.tools.visible import one_line

if TYPE_CHECKING:
    from hermes_core.tools.bridges.servers import Report

NONE = (
    "This session has no MCP servers. Your editor can name some, and so can `mcp_servers` in "
    "config.yaml: see docs/mcp.md."
)

_STATES = {
    "starting": "starting",
    "asks": "not started: it lies in the workspace, and asks with your next message",
    "ready": "ready",
    "broken": "ended; the next call starts it again",
    "failed": "not available",
    "off": "switched off in config.yaml",
    "closed": "ended",
}
_SHORT = 100


def run_mcp(seat: Seat, argument: str) -> str:
    """Return the answer to ``/mcp``, ``/mcp NAME`` and ``/mcp restart NAME``."""
    mcp = seat.agent.mcp
    verb, _, name = argument.partition(" ")
    if verb == "restart" and name.strip():
        if not mcp.restart(name.strip(), seat.interrupt):
            raise HermesError(_unknown(name.strip(), mcp.reports()))
        return _one(name.strip(), mcp.reports())
    reports = mcp.reports()
    if verb == "restart" and not any(one.server.name == verb for one in reports):
        raise HermesError("Name the server: `/mcp restart NAME`. `/mcp` lists those there are.")
    if argument:
        return _one(argument, reports)
    if not reports:
        return NONE
    lines = [_line(report) for report in reports]
    more = "`/mcp NAME` lists a server's tools; `/mcp restart NAME` starts it anew."
    return "\n".join([*lines, "", more])


def address_of(server: McpServer) -> str:
    """Return what a server is reached by, without what may be secret."""
    if server.carrier == "stdio":
        return one_line(" ".join((server.command, *server.args)))[:_SHORT]
    if server.carrier == "acp":
        return "over the editor's own connection"
    return one_line(server.url.partition("?")[0])[:_SHORT]


def _line(report: "Report") -> str:
    count = len(report.tools)
    tools = f", {count} {'tool' if count == 1 else 'tools'}" if report.state == "ready" else ""
    why = f": {report.problem}" if report.problem and report.state != "asks" else ""
    origin = "config.yaml" if report.server.saved else "the editor"
    state = f"{_STATES[report.state]}{tools}{why}"
    name = one_line(report.server.name)
    return f"- **{name}** ({state}) `{address_of(report.server)}`, from {origin}"


def _one(name: str, reports: "list[Report]") -> str:
    report = next((one for one in reports if one.server.name == name), None)
    if report is None:
        raise HermesError(_unknown(name, reports))
    lines = [_line(report), ""]
    for tool, description in report.tools:
        said = one_line(description.split("\n")[0])[:_SHORT]
        lines.append(f"  - `{tool}`: {said}" if said else f"  - `{tool}`")
    return "\n".join(lines).rstrip()


def _unknown(name: str, reports: "list[Report]") -> str:
    names = ", ".join(one.server.name for one in reports) or "none"
    return f"There is no MCP server {quoted(name)} in use. There are: {names}."
