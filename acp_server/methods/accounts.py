"""``logout`` and ``auth/status``: whether sessions can work, and through whose credentials.

A key is never told, only where it comes from. ``auth/status`` is of the unstable schema; updates of
it go only to a client that has asked for it.
"""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_server.mapping import Json
from acp_server.methods.threads import in_thread
from acp_server.schema.initialization import LogoutRequest
from acp_server.schema.unstable import AuthStatusRequest
from hermes_core.ground.errors import ConfigError, HermesError, NoCredentials
from hermes_core.ground.runtime import Runtime
from hermes_core.local.config import Config
from hermes_core.local.homes import lies_in_a_project, planted_home

if TYPE_CHECKING:
    from acp_server.methods.connection import Connection

UPDATE = "auth/status_update"

LOGGED_OUT = (
    "You have logged out, so no provider is asked.\n"
    "Log in in your editor, or run `hermes auth login` in a terminal; then send it again."
)

_FILES = ("config.yaml", ".env", "auth.json")

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Access:
    """What a connection knows of its credentials.

    left: how the files that hold them stood at a logout; None while nobody has logged out.
    told: the status that the client knows; None if it never asked. seen: the files at that time.
    """

    left: object = None
    told: Json | None = None
    seen: object = field(default=None)


def register(connection: "Connection") -> None:
    """Register both methods."""
    method = connection.server.method
    method("logout", LogoutRequest)(partial(logout, connection))
    method("auth/status", AuthStatusRequest)(partial(status, connection))


async def logout(connection: "Connection", _params: dict[str, Any]) -> dict[str, Any]:
    """Forget what is stored for the providers in use; ask none until somebody logs in again.

    Keys in ``.env``, ``config.yaml`` and the environment are the user's own to remove. They serve
    again after ``authenticate``, after one of the files has changed, and in the next process.
    """
    await in_thread(_log_out, connection)
    connection.server.after_reply(partial(_tell_later, connection))
    return {}


async def status(connection: "Connection", _params: dict[str, Any]) -> dict[str, Any]:
    """Tell whether sessions can work, and the credentials that there are."""
    told = await asyncio.to_thread(status_of, connection)
    connection.access.told = told
    connection.access.seen = _stamp(connection)
    return told


def require_access(connection: "Connection") -> None:
    """Raise ``NoCredentials`` if the user has logged out and not in again."""
    if is_logged_out(connection):
        raise NoCredentials(LOGGED_OUT)


def is_logged_out(connection: "Connection") -> bool:
    """Return whether the user has logged out, and changed no settings since."""
    access = connection.access
    if access.left is not None and access.left != _stamp(connection):
        access.left = None
    return access.left is not None


def allow_again(connection: "Connection") -> None:
    """Note that the user has logged in."""
    connection.access.left = None
    connection.server.after_reply(partial(_tell_later, connection))


def tell_changes(connection: "Connection") -> None:
    """Tell the status, if the client has asked for it before and the files have changed since."""
    access = connection.access
    if access.told is not None and access.seen != _stamp(connection):
        _tell(connection)


def status_of(connection: "Connection") -> Json:
    """Return the answer to ``auth/status``; never raises an error of the core."""
    environ = connection.environ
    if lies_in_a_project(environ) or planted_home(environ):  # a session has to judge that
        return {"state": "unknown"}
    runtime: Runtime | None = None
    try:
        config = connection.config()
        accounts = _accounts(config)
    except HermesError as error:
        _log.info("the status of logins is not known: %s", error)
        return {"state": "unknown"}
    state = "unknown"
    try:
        runtime = connection.runtime()
    except NoCredentials:
        state = "unauthenticated"
    except ConfigError as error:
        _log.info("no provider can be used: %s", error)
    if is_logged_out(connection):
        return _status("unauthenticated", accounts)
    if runtime is not None:
        state = _state(runtime)
        accounts = _marked(accounts, runtime)
    return _status(state, accounts)


def _log_out(connection: "Connection") -> None:
    from hermes_core.commands.auth import log_out

    config = connection.config()
    used = set()
    with suppress(HermesError):
        used.add(connection.runtime().provider)
    agents = [session.agent for session in connection.sessions.values()]
    for agent in agents:
        with suppress(HermesError):
            used.add(agent.runtime.provider)
    for provider in sorted(used):
        for line in log_out(config, provider):
            _log.info("logout of %s: %s", provider, line)
    connection.access.left = _stamp(connection)
    config = connection.config()
    for agent in agents:
        agent.configure(config)


def _tell_later(connection: "Connection") -> None:
    if connection.access.told is not None:
        asyncio.get_running_loop().run_in_executor(None, _tell, connection)


def _tell(connection: "Connection") -> None:
    access = connection.access
    access.seen = _stamp(connection)
    now = status_of(connection)
    if now != access.told:
        access.told = now
        connection.server.notify(UPDATE, now)


def _status(state: str, accounts: list[Json]) -> Json:
    return {"state": state, **({"accounts": accounts} if accounts else {})}


def _state(runtime: Runtime) -> str:
    if runtime.api_key or runtime.auth in ("aws", "process"):
        return "authenticated"
    return "unknown" if runtime.withheld else "not_required"


def _accounts(config: Config) -> list[Json]:
    """Return what is stored, each by its provider and where it came from."""
    from hermes_core.commands.auth import status as stored

    rows, _ = stored(config)
    return [
        {"label": f"{row.provider}: {row.source}", "_meta": {"hermes": {"state": row.state}}}
        for row in rows
    ]


def _marked(accounts: list[Json], runtime: Runtime) -> list[Json]:
    """Return the accounts with the one in use marked; it may be none of the stored ones."""
    if not runtime.api_key:
        return accounts
    reasons = [step.removeprefix("key: ") for step in runtime.source if step.startswith("key: ")]
    label = f"{runtime.provider}: {reasons[-1] if reasons else 'a key'}"
    marked = [{**one, "active": one["label"] == label} for one in accounts]
    if any(one["active"] for one in marked):
        return marked
    return [{"label": label, "active": True}, *marked]


def _stamp(connection: "Connection") -> object:
    try:
        home = connection.home()
    except ConfigError:
        return ()
    return tuple(_changed(home / name) for name in _FILES)


def _changed(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size
