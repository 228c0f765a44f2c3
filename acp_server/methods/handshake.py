"""``initialize`` and ``authenticate``."""

import asyncio
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from acp_server.capabilities import (
    PROTOCOL_VERSION,
    ClientCapabilities,
    agent_capabilities,
    agent_info,
    auth_methods,
)
from acp_server.mapping import failure_of
from acp_server.methods.accounts import allow_again
from acp_server.methods.assembly import refuse_home_inside
from acp_server.methods.connection import Connection
from acp_server.rpc.errors import invalid_params
from acp_server.schema.initialization import AuthenticateRequest, InitializeRequest
from hermes_core.ground.errors import HermesError
from hermes_core.local.homes import lies_in_a_project, planted_home


def register(connection: Connection) -> None:
    """Register both methods."""
    method = connection.server.method
    method("initialize", InitializeRequest, before_initialize=True)(partial(initialize, connection))
    method("authenticate", AuthenticateRequest)(partial(authenticate, connection))


async def initialize(connection: Connection, params: dict[str, Any]) -> dict[str, Any]:
    """Note what the client can do and tell what this agent can.

    The version is always ours: it is what a client of any other version has to be told.
    """
    connection.capabilities = ClientCapabilities.from_params(params)
    return {
        "protocolVersion": PROTOCOL_VERSION,
        "agentCapabilities": agent_capabilities(),
        "authMethods": auth_methods(connection.capabilities),
        "agentInfo": agent_info(),
    }


async def authenticate(connection: Connection, params: dict[str, Any]) -> dict[str, Any]:
    """Look again whether a provider can be used; -32000 with what to do if not.

    That loads plugins from our home. One that an open project could have set is refused (-32602);
    one that lies in any other project is left for the session to judge, which has a folder.
    """
    methods = auth_methods(connection.capabilities)
    known = [method["id"] for method in methods if method.get("type", "agent") == "agent"]
    if params["methodId"] not in known:
        raise invalid_params(f"methodId: there is {', '.join(known)}.", "methodId")
    try:
        await asyncio.to_thread(_look_again, connection, _open_roots(connection))
    except HermesError as error:
        raise failure_of(error) from error
    allow_again(connection)
    return {}


def _open_roots(connection: Connection) -> list[Path]:
    """Return the folders of the open sessions, and the one that the program was started in."""
    roots = [Path(session.cwd) for session in connection.sessions.values()]
    with suppress(OSError):  # it is gone
        roots.append(Path.cwd())
    return roots


def _look_again(connection: Connection, roots: list[Path]) -> None:
    refuse_home_inside(roots, connection.environ)
    if not lies_in_a_project(connection.environ) and not planted_home(connection.environ):
        connection.runtime()
