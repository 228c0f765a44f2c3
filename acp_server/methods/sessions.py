"""``session/new``, ``session/load``, ``session/resume`` and ``session/fork``.

A session that is loaded or resumed goes on with its mode, model, level of thinking and queue; the
folders are those of the request. Only loading shows what it holds.
"""

import asyncio
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from acp_server.emitter import UPDATE
from acp_server.mapping import Json, mode_update, to_updates
from acp_server.methods.assembly import open_session, place_of, view_of
from acp_server.methods.connection import Connection, being_moved, unknown_session
from acp_server.methods.kept import told_of
from acp_server.methods.mcp_servers import servers_of
from acp_server.methods.threads import in_thread
from acp_server.methods.warming import warm
from acp_server.replay import replay
from acp_server.rpc.errors import INVALID_REQUEST, RpcError, invalid_params
from acp_server.schema.sessions import (
    LoadSessionRequest,
    NewSessionRequest,
    ResumeSessionRequest,
)
from acp_server.schema.unstable import ForkSessionRequest
from acp_server.session import AcpSession
from hermes_core.commands.mode import MODES
from hermes_core.commands.queue import left_text
from hermes_core.ground.errors import HermesError, StoreError
from hermes_core.ground.events import StatusChanged
from hermes_core.ground.interrupt import Interrupt

if TYPE_CHECKING:
    from hermes_core.sessions.store import SessionRow


SHOW_SECONDS = 1.0
"""How long a loading that is cancelled waits for what is being shown; it stops at once."""


def register(connection: Connection) -> None:
    """Register the methods."""
    method = connection.server.method
    method("session/new", NewSessionRequest)(partial(new, connection))
    method("session/load", LoadSessionRequest)(partial(load, connection))
    method("session/resume", ResumeSessionRequest)(partial(resume, connection))
    method("session/fork", ForkSessionRequest)(partial(fork, connection))


async def new(connection: Connection, params: dict[str, Any]) -> dict[str, Any]:
    """Open a new session; it opens without a key too, since one can be added later."""
    session = await in_thread(_open_new, connection, params)
    return {"sessionId": session.id, **await _opened(connection, session)}


async def load(connection: Connection, params: dict[str, Any]) -> dict[str, Any]:
    """Open a stored session and show all of it before answering.

    The folders are those of the params, whatever they were before. A session whose turn still
    runs here is refused. When the request is cancelled, nothing is shown after its answer.
    """
    stop = Interrupt()
    session = await _reopened(connection, params, stop)
    showing = asyncio.ensure_future(in_thread(_show, connection, session, stop))
    try:
        await asyncio.shield(showing)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait({showing}, timeout=SHOW_SECONDS)
        raise
    finally:
        connection.loading.discard(session.id)
    return await _opened(connection, session)


async def resume(connection: Connection, params: dict[str, Any]) -> dict[str, Any]:
    """Open a stored session without showing it, for a client that has kept what it showed."""
    session = await _reopened(connection, params, Interrupt())
    connection.loading.discard(session.id)
    left = await in_thread(_left, session)
    if left:
        session.add_notice(left)
    return await _opened(connection, session)


async def fork(connection: Connection, params: dict[str, Any]) -> dict[str, Any]:
    """Open a copy of a session that goes its own way; it is not shown.

    ``_meta.hermes.messageId`` names where it ends: before that message of the user, or with the
    turn that a message of the model belongs to.
    """
    session = await in_thread(_fork, connection, params)
    opened = await _opened(connection, session)
    for told in await in_thread(told_of, connection, session.id):
        connection.server.after_reply(partial(_update, connection, session.id, told))
    return {"sessionId": session.id, **opened}


async def _reopened(connection: Connection, params: dict[str, Any], stop: Interrupt) -> AcpSession:
    """Return a stored session, opened anew; its id stays in ``connection.loading``."""
    session_id = params["sessionId"]
    before = connection.sessions.get(session_id)
    if session_id in connection.loading:
        raise being_moved()
    if before is not None and (before.busy or not before.wait_for_thread(0)):
        text = "A turn is running in this session; cancel it before loading the session again."
        raise RpcError(INVALID_REQUEST, text)
    connection.loading.add(session_id)
    try:
        return await in_thread(_open_stored, connection, params)
    except BaseException:
        stop.set()
        connection.loading.discard(session_id)
        raise


async def _opened(connection: Connection, session: AcpSession) -> dict[str, Any]:
    """Note an open session; return what its client is told of it, and get the rest ready."""
    before = connection.sessions.get(session.id)
    connection.sessions[session.id] = session
    about = await in_thread(_about, session)
    if before is not None:
        await asyncio.to_thread(before.agent.mcp.close)
    await asyncio.to_thread(session.agent.mcp.start)
    commands = await in_thread(session.commands.listed)
    connection.server.after_reply(partial(_update, connection, session.id, commands))
    if connection.capabilities.notices:  # for others the next turn tells
        announce = partial(session.agent.mcp.announce, session.screen.announce)
        connection.server.after_reply(announce)
    connection.server.after_reply(partial(warm, connection))
    return about


def _open_new(connection: Connection, params: Mapping[str, Any]) -> AcpSession:
    place = place_of(params, connection.environ)
    return open_session(connection, place, None, servers_of(params))


def _open_stored(connection: Connection, params: Mapping[str, Any]) -> AcpSession:
    place, session_id = place_of(params, connection.environ), params["sessionId"]
    _require_known(connection, session_id)
    return open_session(connection, place, session_id, servers_of(params))


def _require_known(connection: Connection, session_id: str) -> "SessionRow":
    from hermes_core.sessions.lineage import owner_of

    store = connection.store()
    row = store.session(session_id)
    if row is None or owner_of(store, session_id) is not None:
        raise unknown_session(session_id)
    return row


def _show(connection: Connection, session: AcpSession, stop: Interrupt) -> None:
    """Show all that a session holds: its log, its mode, its title and what waits in it."""
    store, usage = connection.store(), None
    for address, update in replay(store.shown, session.id, view_of(connection.capabilities)):
        stop.raise_if_set()
        if update["sessionUpdate"] == "usage_update" and address == session.id:
            usage = update
        params = {"sessionId": address, "update": update}
        connection.server.notify(UPDATE, params, interrupt=stop)
    if usage is not None and not session.agent.records.ledger.session:
        session.agent.resume_cost(usage.get("cost", {}).get("amount"))
    _update(connection, session.id, mode_update(session.agent.mode))
    for told in told_of(connection, session.id):
        _update(connection, session.id, told)
    left = _left(session)
    if left:
        _tell(connection, session.id, StatusChanged("info", left))


def _left(session: AcpSession) -> str:
    return left_text(session.agent.queue.all())


def _fork(connection: Connection, params: Mapping[str, Any]) -> AcpSession:
    from hermes_core.sessions.forking import fork as copy

    place = place_of(params, connection.environ)
    source = _require_known(connection, params["sessionId"])
    row = replace(
        source,
        id=str(uuid.uuid4()),
        cwd=str(place.cwd),
        additional=tuple(map(str, place.additional)),
        title=f"{source.title} (fork)" if source.title else None,
        created=0.0,
        updated=0.0,
        archived=False,
    )
    message_id = _message_of(params)
    try:
        copy(connection.store(), source.id, row, message_id)
    except StoreError as error:
        if not message_id:
            raise
        raise invalid_params(f"_meta.hermes.messageId: {error}", "_meta") from error
    return open_session(connection, place, row.id, servers_of(params))


def _message_of(params: Mapping[str, Any]) -> str:
    """Return the message at which a fork is to begin, ``""`` for none."""
    meta: Any = params.get("_meta")
    ours = meta.get("hermes") if isinstance(meta, Mapping) else None
    found = ours.get("messageId") if isinstance(ours, Mapping) else None
    return found if isinstance(found, str) else ""


def _tell(connection: Connection, session_id: str, event: StatusChanged) -> None:
    for update in to_updates(event, notices=connection.capabilities.notices):
        _update(connection, session_id, update)


def _update(connection: Connection, session_id: str, update: Json) -> None:
    connection.server.notify(UPDATE, {"sessionId": session_id, "update": update})


def _about(session: AcpSession) -> dict[str, Any]:
    """Return what a client is told of an open session: options, modes for older ones, model."""
    about: dict[str, Any] = {"modes": _modes(session), "configOptions": session.options.listed()}
    with suppress(HermesError):
        about["_meta"] = {"hermes": {"model": session.agent.runtime.model}}
    return about


def _modes(session: AcpSession) -> dict[str, Any]:
    modes = [{"id": info.id, "name": info.name, "description": info.description} for info in MODES]
    return {"currentModeId": session.agent.mode, "availableModes": modes}
