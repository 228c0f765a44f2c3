"""What the handlers of one connection share: the client's abilities, open sessions, the store."""

import asyncio
import logging
import os
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from acp_server.capabilities import ClientCapabilities
from acp_server.methods.accounts import Access
from acp_server.methods.endpoints import Endpoints
from acp_server.methods.mcp_messages import Listeners
from acp_server.methods.offers import Offers
from acp_server.rpc.errors import INVALID_REQUEST, RESOURCE_NOT_FOUND, RpcError
from acp_server.rpc.server import AcpServer
from acp_server.session import AcpSession
from hermes_core.ground.runtime import Runtime
from hermes_core.local.config import Config, hermes_home, load_config

if TYPE_CHECKING:
    from hermes_core.sessions.store import Store

THREAD_SECONDS = 1.0
"""How long the end of the connection waits for the threads of cancelled turns, all together."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line chose over the configuration, and the environment to read."""

    provider: str | None = None
    model: str | None = None
    environ: Mapping[str, str] | None = None


class Connection:
    """The state of one connection. Its attributes are used on the loop's thread only.

    loading: ids of sessions that are just being loaded or closed.
    ``config`` and ``store`` are methods for worker threads: they read and open files.
    """

    def __init__(self, server: AcpServer, options: Options) -> None:
        self.server = server
        self.options = options
        self.capabilities = ClientCapabilities()
        self.sessions: dict[str, AcpSession] = {}
        self.loading: set[str] = set()
        self.warmed = False
        self.access = Access()
        self.endpoints = Endpoints()
        self.listeners = Listeners()
        self.offers = Offers(self.config, lambda: hermes_home(self.environ))
        self._lock = threading.Lock()
        self._store: Store | None = None
        self._notices: dict[str, bool] = {}

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment of the process."""
        return os.environ if self.options.environ is None else self.options.environ

    def home(self) -> Path:
        """Return the folder of the settings; raises ``ConfigError``."""
        return hermes_home(self.environ)

    def session(self, session_id: str) -> AcpSession:
        """Return an open session; raise ``RpcError`` (-32002) if there is none of that id.

        One that is just being loaded or closed is not to be used either (-32600): what it is now
        is about to be replaced, or to end.
        """
        if session_id in self.loading:
            raise being_moved()
        found = self.sessions.get(session_id)
        if found is None:
            raise unknown_session(session_id)
        return found

    def config(self) -> Config:
        """Read the configuration anew; raises ``ConfigError``."""
        config = self.endpoints.applied(load_config(self.environ))
        with self._lock:
            self._add_notices(config.warnings)
        return config

    def store(self) -> "Store":
        """Return the store, opened at the first use; raises ``StoreError``."""
        from hermes_core.sessions.store import FILE_NAME, Store

        with self._lock:
            if self._store is None:
                self._store = Store(hermes_home(self.environ) / FILE_NAME)
                self._add_notices(self._store.notices)
            return self._store

    def take_notices(self) -> list[str]:
        """Return what a person should be told about settings and store, each text once."""
        with self._lock:
            texts = [text for text, told in self._notices.items() if not told]
            self._notices.update(dict.fromkeys(texts, True))
            return texts

    def tell(self, text: str) -> None:
        """Have a person told ``text``, once, at the next occasion."""
        with self._lock:
            self._add_notices([text])

    def _add_notices(self, texts: Iterable[str]) -> None:
        for text in texts:
            self._notices.setdefault(text, False)

    def runtime(self) -> Runtime:
        """Return the provider, resolved; raises ``ConfigError`` or ``NoCredentials``."""
        from hermes_core.providers.credentials import load_credentials
        from hermes_core.providers.resolution import Request, resolve

        config = self.config()
        request = Request(provider=self.options.provider, model=self.options.model)
        return resolve(request, config, credentials=load_credentials(config))

    async def close(self) -> None:
        """Cancel every turn, end every child process, save and close what is open."""
        for session in self.sessions.values():
            session.close()
            session.agent.records.close()
        await asyncio.to_thread(self._finish)

    def _finish(self) -> None:
        deadline = time.monotonic() + THREAD_SECONDS
        for session in list(self.sessions.values()):
            if not session.wait_for_thread(max(deadline - time.monotonic(), 0)):
                _log.warning("the turn of session %s did not end in time", session.id)
            session.agent.close()
        processes = sys.modules.get("hermes_core.local.processes")
        if processes is not None:  # else nothing was ever started
            processes.end_all_children()
        with self._lock:
            if self._store is not None:
                self._store.close()


def being_moved() -> RpcError:
    """Return the error for a session that is just being loaded or closed."""
    text = "The session is being loaded or closed; wait for the answer to that."
    return RpcError(INVALID_REQUEST, text)


def unknown_session(session_id: str) -> RpcError:
    """Return the error for a session that does not exist."""
    return RpcError(RESOURCE_NOT_FOUND, "There is no such session.", {"sessionId": session_id})
