"""The ACP server, put together."""

import logging

from acp_server.methods import (
    accounts,
    choosing,
    endpoints,
    handshake,
    kept,
    mcp_messages,
    sessions,
    turns,
)
from acp_server.methods.connection import Connection, Options
from acp_server.rpc.server import AcpServer
from acp_server.rpc.stdio import claim_stdio
from hermes_core.ground.errors import ConfigError
from hermes_core.local.config import hermes_home
from hermes_core.local.logs import start_logging
from hermes_core.local.own_environment import take_environment

_log = logging.getLogger(__name__)


def build_server(options: Options | None = None) -> AcpServer:
    """Return a server with all methods, for one connection; nothing is read or opened yet."""
    server = AcpServer()
    connection = Connection(server, options or Options())
    groups = (handshake, accounts, endpoints, sessions, kept, choosing, turns, mcp_messages)
    for group in groups:
        group.register(connection)
    server.on_shutdown(connection.close)
    return server


def serve(*, provider: str | None = None, model: str | None = None, debug: bool = False) -> int:
    """Serve this process's standard streams until the client is gone; return the exit code.

    provider, model: what beats the configuration. debug: log to stderr as well.
    """
    environ = take_environment()
    stdio = claim_stdio(debug=debug)
    server = build_server(Options(provider, model, environ))
    try:
        start_logging(hermes_home(), debug)
    except ConfigError as error:  # told again, to the client, by session/new
        _log.warning("there is no log file: %s", error)
    return server.run(stdio)
