"""The MCP servers that a client names, in the core's terms."""

from collections.abc import Mapping
from typing import Any

from hermes_core.local.mcp_settings import McpServer


def servers_of(params: Mapping[str, Any]) -> tuple[McpServer, ...]:
    """Return the servers of ``mcpServers``; those of the same name get a number each.

    A program has no ``type``. The params are checked already. Those that the client serves itself
    have no line yet (``mcp_messages``).
    """
    found: dict[str, McpServer] = {}
    for told in params.get("mcpServers") or ():
        name = _free(told["name"].strip() or "server", found)
        found[name] = _server(name, told)
    return tuple(found.values())


def _server(name: str, told: Mapping[str, Any]) -> McpServer:
    carrier = told.get("type")
    if carrier == "acp":
        return McpServer(name, "acp", server_id=told["serverId"])
    if carrier in ("http", "sse"):
        return McpServer(name, carrier, url=told["url"], headers=_pairs(told.get("headers")))
    return McpServer(
        name,
        "stdio",
        command=told["command"],
        args=tuple(told.get("args") or ()),
        env=_pairs(told.get("env")),
    )


def _pairs(listed: Any) -> tuple[tuple[str, str], ...]:
    return tuple((one["name"], one["value"]) for one in listed or ())


def _free(name: str, taken: Mapping[str, McpServer]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free
