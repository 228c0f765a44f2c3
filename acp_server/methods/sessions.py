"""``session/new``, ``session/load``, ``session/list`` and ``session/set_mode``."""

import asyncio
import base64
import binascii
import json
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from acp_server import slash
from acp_server.emitter import UPDATE
from acp_server.mapping import Json, failure_of, mode_update, to_updates
from acp_server.methods.assembly import Place, open_session, place_of, view_of
from acp_server.methods.connection import Connection, unknown_session
from acp_server.methods.warming import warm
from acp_server.replay import replay
from acp_server.rpc.errors import INVALID_REQUEST, RpcError, invalid_params
from acp_server.schema.sessions import (
    ListSessionsRequest,
    LoadSessionRequest,
    NewSessionRequest,
    SetSessionModeRequest,
)
from acp_server.session import AcpSession
from hermes_core.commands.mode import MODES
from hermes_core.commands.queue import left_text
from hermes_core.ground.errors import HermesError
from hermes_core.ground.events import StatusChanged, TitleChanged
from hermes_core.ground.interrupt import Interrupt

if TYPE_CHECKING:
    from hermes_core.sessions.store import SessionRow

PAGE = 50
"""Sessions that one answer to ``session/list`` holds."""

_T = TypeVar("_T")


def register(connection: Connection) -> None:
    """Register the four methods."""
    method = connection.server.method
    method("session/new", NewSessionRequest)(partial(new, connection))
    method("session/load", LoadSessionRequest)(partial(load, connection))
    method("session/list", ListSessionsRequest)(partial(list_sessions, connection))
    method("session/set_mode", SetSessionModeRequest)(partial(set_mode, connection))


async def new(connection: Connection, params: dict[str, Any]) -> dict[str, Any]:
    """Open a new session; it opens without a key too, since one can be added later."""
    place = _checked(place_of, params, connection.environ)
    session = await _in_thread(open_session, connection, place)
    _note_servers(session, params)
    connection.sessions[session.id] = session
    _announce(connection, session)
    return {"sessionId": session.id, **await _in_thread(_about, session)}


async def load(connection: Connection, params: dict[str, Any]) -> dict[str, Any]:
    """Open a stored session and show all of it before answering.

    The folders are those of the params, whatever they were before. A session whose turn still
    runs here is refused.
    """
    session_id = params["sessionId"]
    before = connection.sessions.get(session_id)
    if session_id in connection.loading:
        raise RpcError(INVALID_REQUEST, "The session is being loaded already.")
    if before is not None and (before.busy or not before.wait_for_thread(0)):
        text = "A turn is running in this session; cancel it before loading the session again."
        raise RpcError(INVALID_REQUEST, text)
    place = _checked(place_of, params, connection.environ)
    stop = Interrupt()
    connection.loading.add(session_id)
    try:
        session = await _in_thread(_load, connection, session_id, place, stop)
    except asyncio.CancelledError:
        stop.set()
        raise
    finally:
        connection.loading.discard(session_id)
    _note_servers(session, params)
    connection.sessions[session_id] = session
    _announce(connection, session)
    return await _in_thread(_about, session)


async def list_sessions(connection: Connection, params: dict[str, Any]) -> dict[str, Any]:
    """Return stored sessions that hold a message, newest first, page by page."""
    cursor = params.get("cursor")
    before = None if cursor is None else _position(cursor)
    rows = await _in_thread(_rows, connection, params.get("cwd"), before)
    result: dict[str, Any] = {"sessions": [_session_info(row) for row in rows[:PAGE]]}
    if len(rows) > PAGE:
        result["nextCursor"] = _cursor(rows[PAGE - 1])
    return result


async def set_mode(connection: Connection, params: dict[str, Any]) -> dict[str, Any]:
    """Change what runs without asking, from the next tool call on."""
    session = connection.session(params["sessionId"])
    mode = next((info.id for info in MODES if info.id == params["modeId"]), None)
    if mode is None:
        known = ", ".join(info.id for info in MODES)
        raise invalid_params(f"modeId: there is {known}.", "modeId")
    await _in_thread(setattr, session.agent, "mode", mode)
    connection.server.after_reply(partial(_update, connection, session.id, mode_update(mode)))
    return {}


def _load(connection: Connection, session_id: str, place: Place, stop: Interrupt) -> AcpSession:
    from hermes_core.sessions.lineage import owner_of

    store = connection.store()
    if store.session(session_id) is None or owner_of(store, session_id) is not None:
        raise unknown_session(session_id)
    session = open_session(connection, place, session_id)
    usage: Json | None = None
    view = view_of(connection.capabilities)
    for address, update in replay(store.shown, session_id, view):
        stop.raise_if_set()
        if update["sessionUpdate"] == "usage_update" and address == session_id:
            usage = update
        params = {"sessionId": address, "update": update}
        connection.server.notify(UPDATE, params, interrupt=stop)
    if usage is not None and not session.agent.records.ledger.session:
        session.agent.resume_cost(usage.get("cost", {}).get("amount"))
    title = session.agent.records.title
    if title:
        for update in to_updates(TitleChanged(title)):
            _update(connection, session_id, update)
    left = left_text(session.agent.queue.all())
    if left:
        for update in to_updates(
            StatusChanged("info", left), notices=connection.capabilities.notices
        ):
            _update(connection, session_id, update)
    return session


def _note_servers(session: AcpSession, params: dict[str, Any]) -> None:
    """Have the person told that the editor's MCP servers do not serve here."""
    count = len(params.get("mcpServers") or ())
    if count:
        offered = "an MCP server" if count == 1 else f"{count} MCP servers"
        session.add_notice(f"The editor offered {offered}, which this version does not use yet.")


def _announce(connection: Connection, session: AcpSession) -> None:
    """After the reply: tell the commands there are, and get ready for the first prompt."""
    connection.server.after_reply(partial(_update, connection, session.id, slash.available()))
    connection.server.after_reply(partial(warm, connection))


def _update(connection: Connection, session_id: str, update: Json) -> None:
    connection.server.notify(UPDATE, {"sessionId": session_id, "update": update})


def _about(session: AcpSession) -> dict[str, Any]:
    """Return the modes and, if one is set up, the model: the protocol has no field for it."""
    about: dict[str, Any] = {"modes": _modes(session)}
    with suppress(HermesError):
        about["_meta"] = {"hermes": {"model": session.agent.runtime.model}}
    return about


def _modes(session: AcpSession) -> dict[str, Any]:
    modes = [{"id": info.id, "name": info.name, "description": info.description} for info in MODES]
    return {"currentModeId": session.agent.mode, "availableModes": modes}


def _rows(
    connection: Connection, cwd: str | None, before: tuple[float, str] | None
) -> "list[SessionRow]":
    return connection.store().sessions(cwd, PAGE + 1, before)


def _session_info(row: "SessionRow") -> dict[str, Any]:
    updated = datetime.fromtimestamp(row.updated, UTC).isoformat(timespec="milliseconds")
    info: dict[str, Any] = {
        "sessionId": row.id,
        "cwd": row.cwd,
        "updatedAt": updated.replace("+00:00", "Z"),
    }
    if row.title:
        info["title"] = row.title
    if row.additional:
        info["additionalDirectories"] = list(row.additional)
    return info


def _cursor(row: "SessionRow") -> str:
    return base64.urlsafe_b64encode(json.dumps([row.updated, row.id]).encode()).decode()


def _position(cursor: str) -> tuple[float, str]:
    try:
        updated, session_id = json.loads(base64.urlsafe_b64decode(cursor))
        return float(updated), str(session_id)
    except (ValueError, TypeError, binascii.Error):
        raise invalid_params("cursor: this is none that session/list gave.", "cursor") from None


def _checked(function: Callable[..., _T], *arguments: Any) -> _T:
    try:
        return function(*arguments)
    except HermesError as error:
        raise failure_of(error) from error


async def _in_thread(function: Callable[..., _T], *arguments: Any) -> _T:
    try:
        return await asyncio.to_thread(function, *arguments)
    except HermesError as error:
        raise failure_of(error) from error
