"""``session/set_config_option`` and ``session/set_mode``."""

from functools import partial
from typing import Any, NotRequired, TypedDict

from acp_server.emitter import UPDATE
from acp_server.mapping import Json
from acp_server.methods.connection import Connection
from acp_server.methods.threads import in_thread
from acp_server.options import MODE
from acp_server.rpc.errors import invalid_params
from acp_server.schema.markers import Meta
from acp_server.schema.sessions import SetSessionModeRequest
from acp_server.session import AcpSession
from hermes_core.ground.errors import ConfigError


class SetSessionConfigOptionRequest(TypedDict):
    """Params of ``session/set_config_option``; ``value`` is of the kind of its option."""

    sessionId: str
    configId: str
    value: str | bool
    _meta: NotRequired[Meta]


def register(connection: Connection) -> None:
    """Register both methods."""
    method = connection.server.method
    method("session/set_config_option", SetSessionConfigOptionRequest)(
        partial(set_config_option, connection)
    )
    method("session/set_mode", SetSessionModeRequest)(partial(set_mode, connection))


async def set_config_option(connection: Connection, params: dict[str, Any]) -> dict[str, Any]:
    """Change an option from the next step on; return all options as they are then."""
    session = connection.session(params["sessionId"])
    options, updates = await in_thread(_chosen, session, params["configId"], params["value"])
    connection.server.after_reply(partial(_send, connection, session.id, updates))
    return {"configOptions": options}


async def set_mode(connection: Connection, params: dict[str, Any]) -> dict[str, Any]:
    """Change what runs without asking, from the next tool call on."""
    session = connection.session(params["sessionId"])
    updates = await in_thread(_mode_changed, session, params["modeId"])
    connection.server.after_reply(partial(_send, connection, session.id, updates))
    return {}


def _chosen(session: AcpSession, option: str, value: object) -> tuple[list[Json], list[Json]]:
    """Set an option; return all options, and what is to be told beside them."""
    try:
        session.options.choose(option, value)
    except ConfigError as error:
        known = {one["id"] for one in session.options.listed()}
        field = "value" if option in known else "configId"
        raise invalid_params(f"{field}: {error}", field) from error
    told = [one for one in session.options.changes() if "currentModeId" in one]
    return session.options.listed(), told


def _mode_changed(session: AcpSession, mode: str) -> list[Json]:
    try:
        session.options.choose(MODE, mode)
    except ConfigError as error:
        raise invalid_params(f"modeId: {error}", "modeId") from error
    return session.options.changes()


def _send(connection: Connection, session_id: str, updates: list[Json]) -> None:
    for update in updates:
        connection.server.notify(UPDATE, {"sessionId": session_id, "update": update})
