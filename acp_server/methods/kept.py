"""Stored sessions: listing, closing, deleting, putting away, retitling.

What the unstable schema adds (archive, unarchive, status, set_title) is here too.
"""

import asyncio
import base64
import binascii
import json
import logging
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from acp_server.mapping import Json
from acp_server.methods.connection import Connection, being_moved, unknown_session
from acp_server.methods.threads import in_thread
from acp_server.rpc.errors import invalid_params
from acp_server.schema.sessions import (
    CloseSessionRequest,
    DeleteSessionRequest,
    ListSessionsRequest,
)
from acp_server.schema.unstable import (
    ArchiveSessionRequest,
    SessionStatusRequest,
    SetSessionTitleRequest,
    UnarchiveSessionRequest,
)
from acp_server.session import AcpSession
from acp_server.session_info import info_update, timestamp
from hermes_core.ground.errors import HermesError

if TYPE_CHECKING:
    from hermes_core.sessions.store import SessionRow

PAGE = 50
"""Sessions that one answer to ``session/list`` holds."""

CLOSE_SECONDS = 3.0
"""How long the closing of a session waits for the thread of its turn."""

_log = logging.getLogger(__name__)

_ARCHIVED = {None: False, "exclude": False, "include": None, "only": True}


def register(connection: Connection) -> None:
    """Register the methods."""
    method = connection.server.method
    method("session/list", ListSessionsRequest)(partial(list_sessions, connection))
    method("session/close", CloseSessionRequest)(partial(close, connection))
    method("session/delete", DeleteSessionRequest)(partial(delete, connection))
    method("session/archive", ArchiveSessionRequest)(partial(archive, connection, archived=True))
    method("session/unarchive", UnarchiveSessionRequest)(
        partial(archive, connection, archived=False)
    )
    method("session/status", SessionStatusRequest)(partial(status, connection))
    method("session/set_title", SetSessionTitleRequest)(partial(set_title, connection))


async def list_sessions(connection: Connection, params: dict[str, Any]) -> dict[str, Any]:
    """Return stored sessions that hold a message, newest first, page by page."""
    cursor, wanted = params.get("cursor"), params.get("archived")
    if not isinstance(wanted, str | None) or wanted not in _ARCHIVED:
        known = ", ".join(filter(None, _ARCHIVED))
        raise invalid_params(f"archived: there is {known}.", "archived")
    before = None if cursor is None else position(cursor)
    rows = await in_thread(_rows, connection, params.get("cwd"), before, _ARCHIVED[wanted])
    result: dict[str, Any] = {"sessions": [session_info(row) for row in rows[:PAGE]]}
    if len(rows) > PAGE:
        result["nextCursor"] = cursor_of(rows[PAGE - 1])
    return result


async def close(connection: Connection, params: dict[str, Any]) -> dict[str, Any]:
    """End an open session: its turns are answered as cancelled, and others may work on it."""
    session_id = params["sessionId"]
    await _end(connection, connection.session(session_id))
    return {}


async def delete(connection: Connection, params: dict[str, Any]) -> dict[str, Any]:
    """Delete a session and all that was kept for it; there need be none of that id."""
    session_id = params["sessionId"]
    if session_id in connection.loading:
        raise being_moved()
    session = connection.sessions.get(session_id)
    if session is not None:
        await _end(connection, session)
    await in_thread(_delete, connection, session_id)
    return {}


async def archive(
    connection: Connection, params: dict[str, Any], *, archived: bool
) -> dict[str, Any]:
    """Put a session away, or bring it back; one that is open stays so."""
    if not await in_thread(_archive, connection, params["sessionId"], archived):
        raise unknown_session(params["sessionId"])
    return {}


async def status(connection: Connection, params: dict[str, Any]) -> dict[str, Any]:
    """Tell whether a session is open here, or only stored."""
    session_id = params["sessionId"]
    if session_id in connection.sessions:
        return {"status": "open"}
    if await in_thread(_known_row, connection, session_id) is None:
        raise unknown_session(session_id)
    return {"status": "saved"}


async def set_title(connection: Connection, params: dict[str, Any]) -> dict[str, Any]:
    """Give a session a title that nothing but a person replaces; return it as it is kept."""
    session_id = params["sessionId"]
    session = connection.sessions.get(session_id)
    if session is not None:
        try:
            return {"title": await asyncio.to_thread(session.agent.records.rename, params["title"])}
        except HermesError as error:
            raise invalid_params(f"title: {error}", "title") from error
    if await in_thread(_known_row, connection, session_id) is None:
        raise unknown_session(session_id)
    title = await in_thread(_retitle, connection, session_id, params["title"])
    if not title:
        raise invalid_params("title: at least one character that can be seen is needed.", "title")
    return {"title": title}


async def _end(connection: Connection, session: AcpSession) -> None:
    """Cancel all of a session and let it go; what it was asked has its answers before.

    Meanwhile it takes no prompt and is not opened again.
    """
    connection.loading.add(session.id)
    try:
        session.cancel()
        await session.wait_until_idle()
        connection.sessions.pop(session.id, None)
        await in_thread(_let_go, connection, session)
    finally:
        connection.loading.discard(session.id)


def _let_go(connection: Connection, session: AcpSession) -> None:
    steering = session.agent.steering
    if steering.numbers:
        steering.forget(steering.numbers)
    has_ended = session.wait_for_thread(CLOSE_SECONDS)
    processes = sys.modules.get("hermes_core.local.processes")
    if processes is not None:  # else nothing was ever started
        processes.wait_for_stragglers(session.cwd)
    session.agent.close()
    if has_ended:
        connection.store().release(session.id)
    else:
        _log.warning("a turn of the closed session %s did not end in time", session.id)


def _delete(connection: Connection, session_id: str) -> None:
    from hermes_core.agent.checkpointing import forget_snapshots
    from hermes_core.local.processes import child_environment
    from hermes_core.sessions.checkpoints import still_needed
    from hermes_core.sessions.pruning import delete_session

    store = connection.store()
    if delete_session(store, session_id):
        config = connection.config()
        forget_snapshots(config.home, child_environment(config), still_needed(store))


def _archive(connection: Connection, session_id: str, archived: bool) -> bool:
    from hermes_core.sessions.archive import set_archived

    return set_archived(connection.store(), session_id, archived)


def _known_row(connection: Connection, session_id: str) -> "SessionRow | None":
    """Return a session that can be opened by its id."""
    from hermes_core.sessions.lineage import owner_of

    store = connection.store()
    return None if owner_of(store, session_id) is not None else store.session(session_id)


def _retitle(connection: Connection, session_id: str, title: str) -> str:
    from hermes_core.sessions.titling import clean_title
    from hermes_core.sessions.titling import set_title as keep_title

    cleaned = clean_title(title)
    if cleaned:
        keep_title(connection.store(), session_id, cleaned, "person")
    return cleaned


def _rows(
    connection: Connection,
    cwd: str | None,
    before: tuple[float, str] | None,
    archived: bool | None,
) -> "list[SessionRow]":
    return connection.store().sessions(cwd, PAGE + 1, before, archived=archived)


def session_info(row: "SessionRow") -> Json:
    """Return what a list tells of a session."""
    info: Json = {
        "sessionId": row.id,
        "cwd": row.cwd,
        "updatedAt": timestamp(row.updated),
        "archived": row.archived,
    }
    if row.title:
        info["title"] = row.title
    if row.additional:
        info["additionalDirectories"] = list(row.additional)
    return info


def told_of(connection: Connection, session_id: str) -> list[Json]:
    """Return the update that tells of a session what a list does; none if it is stored no more."""
    row = connection.store().session(session_id)
    return [info_update(row.title, row.updated)] if row is not None else []


def cursor_of(row: "SessionRow") -> str:
    """Return what leads to the page after ``row``."""
    return base64.urlsafe_b64encode(json.dumps([row.updated, row.id]).encode()).decode()


def position(cursor: str) -> tuple[float, str]:
    """Return the position that ``cursor_of`` wrote; raises ``RpcError`` (-32602)."""
    try:
        updated, session_id = json.loads(base64.urlsafe_b64decode(cursor))
        return float(updated), str(session_id)
    except (ValueError, TypeError, binascii.Error):
        raise invalid_params("cursor: this is none that session/list gave.", "cursor") from None
