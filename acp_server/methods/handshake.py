"""``initialize`` and ``authenticate``."""

import asyncio
from functools import partial
from typing import Any

from acp_server.capabilities import (
    PROTOCOL_VERSION,
    ClientCapabilities,
    agent_capabilities,
    agent_info,
    auth_methods,
)
from acp_server.mapping import failure_of
from acp_server.methods.connection import Connection
from acp_server.rpc.errors import invalid_params
from acp_server.schema.initialization import AuthenticateRequest, InitializeRequest
from hermes_core.ground.errors import HermesError


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
    """Look again whether a provider can be used; -32000 with what to do if not."""
    methods = auth_methods(connection.capabilities)
    known = [method["id"] for method in methods if method.get("type", "agent") == "agent"]
    if params["methodId"] not in known:
        raise invalid_params(f"methodId: there is {', '.join(known)}.", "methodId")
    try:
        await asyncio.to_thread(connection.runtime)
    except HermesError as error:
        raise failure_of(error) from error
    return {}
