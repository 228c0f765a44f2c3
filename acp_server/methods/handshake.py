"""``initialize`` and ``authenticate``."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from acp_server.capabilities import (
    LOGIN_METHOD,
    PROTOCOL_VERSION,
    ClientCapabilities,
    agent_capabilities,
    agent_info,
    auth_methods,
)
from acp_server.methods.accounts import allow_again
from acp_server.methods.assembly import questions_of, refuse_home_inside
from acp_server.methods.connection import Connection
from acp_server.methods.threads import in_thread
from acp_server.rpc.errors import invalid_params
from acp_server.rpc.protocol import CURRENT
from acp_server.schema.initialization import AuthenticateRequest, InitializeRequest
from hermes_core.ground.errors import ConfigError
from hermes_core.ground.interrupt import Interrupt
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
    """Look again whether a provider can be used, or log in; -32000 with what to do if not.

    That loads plugins from our home. One that an open project could have set is refused (-32602);
    one that lies in any other project is left for the session to judge, which has a folder.
    """
    methods = auth_methods(connection.capabilities)
    known = [method["id"] for method in methods if method.get("type", "agent") == "agent"]
    if params["methodId"] not in known:
        raise invalid_params(f"methodId: there is {', '.join(known)}.", "methodId")
    roots = _open_roots(connection)
    if params["methodId"] == LOGIN_METHOD:
        await _log_in(connection, params, roots)
    else:
        await in_thread(_look_again, connection, roots)
    allow_again(connection)
    return {}


async def _log_in(connection: Connection, params: Mapping[str, Any], roots: list[Path]) -> None:
    """Have the client lead to the provider's page; the page belongs to this request."""
    call = CURRENT.get()
    if call is None or call.id is None:
        raise invalid_params("id: a login needs a request that has one.", "id")
    ask, scope = connection.server.request_from_thread, {"requestId": call.id}
    questions = questions_of(connection, ask, scope)
    interrupt = Interrupt()

    def work() -> None:
        from hermes_core.commands.page_login import log_in, provider_for_login

        if questions is None or _is_foreign(connection, roots):
            raise ConfigError(
                "The settings lie in a project, so nobody is logged in for them.\n"
                "Run `hermes auth login` in a terminal."
            )
        config = connection.config()
        provider = provider_for_login(config, _named(params) or connection.options.provider or "")
        log_in(config, provider, questions, interrupt)

    try:
        await in_thread(work)
    except asyncio.CancelledError:
        interrupt.set()
        raise
    for session in connection.sessions.values():
        session.stale = True


def _named(params: Mapping[str, Any]) -> str:
    """Return the provider that the client names in ``_meta.hermes.provider``, if it does."""
    meta = params.get("_meta")
    ours = meta.get("hermes") if isinstance(meta, Mapping) else None
    named = ours.get("provider") if isinstance(ours, Mapping) else None
    return named if isinstance(named, str) else ""


def _open_roots(connection: Connection) -> list[Path]:
    """Return the folders of the open sessions, and the one that the program was started in."""
    roots = [Path(session.cwd) for session in connection.sessions.values()]
    with suppress(OSError):  # it is gone
        roots.append(Path.cwd())
    return roots


def _look_again(connection: Connection, roots: list[Path]) -> None:
    if not _is_foreign(connection, roots):
        connection.runtime()


def _is_foreign(connection: Connection, roots: list[Path]) -> bool:
    """Return whether our home may be a project's; raise ``RpcError`` for one that is open."""
    refuse_home_inside(roots, connection.environ)
    return lies_in_a_project(connection.environ) or bool(planted_home(connection.environ))
