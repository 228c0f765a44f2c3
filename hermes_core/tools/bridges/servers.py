"""The MCP servers of one session, as threads see them.

They are started in the background. What lies in the workspace is not started before a person has
seen it: such a server ``asks`` until it is told how that went.
"""

import concurrent.futures
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hermes_core.ground.errors import HermesError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.config import Config
from hermes_core.local.environment import child_environment
from hermes_core.local.mcp_settings import McpServer
from hermes_core.local.workspace import Workspace
from hermes_core.tools.bridges.channel import channel_streams
from hermes_core.tools.bridges.connection import Connection, State
from hermes_core.tools.bridges.loop import LOOP
from hermes_core.tools.bridges.offers import Offers
from hermes_core.tools.bridges.programs import Program, program_of
from hermes_core.tools.bridges.reasons import reason_of
from hermes_core.tools.bridges.stdio import program_streams
from hermes_core.tools.bridges.web import web_streams
from hermes_core.tools.registry import ToolSpec

FIRST_WAIT = 3.0
"""Seconds that a session's first prompt waits for servers that are still starting."""

CLOSE_SECONDS = 0.5
"""How long the end of a session waits for its servers; what is left is ended behind."""

_SETTLED: frozenset[State] = frozenset({"ready", "failed", "off", "closed", "asks", "broken"})

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asking:
    """A server that lies in the workspace, and how it would be started."""

    server: McpServer
    program: Program


@dataclass(frozen=True, slots=True)
class Report:
    """One server as ``/mcp`` tells of it. tools: name for the model, description."""

    server: McpServer
    state: State
    problem: str
    tools: tuple[tuple[str, str], ...]
    left_out: int


class Servers:
    """Starts, watches and ends the servers of one session.

    servers: those of the settings first. Of those with the same name the last one counts. asks:
    whether they may ask the person something.
    """

    def __init__(
        self,
        servers: Sequence[McpServer],
        workspace: Workspace,
        config: Config,
        *,
        asks: bool = False,
    ) -> None:
        self._roots = (workspace.cwd, *workspace.additional)
        self._config = config
        self._changed = threading.Condition()
        self._programs: dict[str, Program] = {}
        self._opening: list[concurrent.futures.Future[None]] = []
        self._told: set[tuple[str, str]] = set()
        self._tell: Callable[[str], None] | None = None
        self._waited = False
        self._closed = False
        uris = tuple(root.as_uri() for root in self._roots)
        filled = {one.name: one.filled(config.variable) for one in servers}
        for server in filled.values():
            server.register_secrets()
        self._connections = {
            name: Connection(server, uris, self._notify, asks=asks)
            for name, server in filled.items()
        }
        self._offers = Offers(tuple(self._connections.values()))

    def start(self) -> None:
        """Begin to start all servers, on the bridges' loop; returns at once."""
        for connection in self._connections.values():
            if connection.server.enabled:
                self._opening.append(LOOP.submit(self._begin(connection)))

    def settle(self, interrupt: Interrupt) -> list[Asking]:
        """Wait for servers that are starting, at the first prompt and ``FIRST_WAIT`` at most.

        Returns those that ask. Raises ``Interrupted`` if the turn ends first.
        """
        if not self._waited:
            self._waited = True
            self._wait(FIRST_WAIT, interrupt)
        return self.asking()

    def asking(self) -> list[Asking]:
        """Return the servers that a person has to see before they are started."""
        return [
            Asking(one.server, self._programs[name])
            for name, one in self._connections.items()
            if one.state == "asks"
        ]

    def allow(self, asking: Sequence[Asking], interrupt: Interrupt) -> None:
        """Start servers that may be, and wait for them as at the first prompt."""
        for one in asking:
            connection = self._connections[one.server.name]
            connection.refuse("starting", "")
            self._opening.append(LOOP.submit(self._begin(connection, one.program.digest)))
        if asking:
            self._wait(FIRST_WAIT, interrupt)

    def refuse(self, asking: Asking, why: str) -> None:
        """Note that a server may not be started in this session."""
        with self._changed:
            self._told.add((asking.server.name, why))
        self._connections[asking.server.name].refuse("failed", why)

    def tools(self) -> dict[str, ToolSpec]:
        """Return the tools of the servers that are there, by name, in a lasting order."""
        return self._offers.specs()

    def announce(self, tell: Callable[[str], None]) -> None:
        """Give ``tell`` what a person should be told, from now on as soon as it is known.

        It is called on threads of its own, and may block.
        """
        self._tell = tell
        self._speak()

    def take_notices(self) -> list[str]:
        """Return what a person should be told of servers, each thing once."""
        with self._changed:
            due = [
                (key, text)
                for name, connection in self._connections.items()
                for key, text in _notices(name, connection)
                if key not in self._told
            ]
            self._told.update(key for key, _ in due)
        return [text for _, text in due]

    def reports(self) -> list[Report]:
        """Return what is known of each server."""
        return [
            Report(
                one.server,
                one.state,
                one.problem,
                self._offers.listed(one),
                one.left_out,
            )
            for one in self._connections.values()
        ]

    def restart(self, name: str, interrupt: Interrupt) -> bool:
        """Start a server anew, and wait for it a little; return whether there is such a one."""
        connection = self._connections.get(name)
        if connection is None or not connection.server.enabled:
            return False
        LOOP.submit(connection.close()).result(CLOSE_SECONDS + 6)
        with self._changed:
            self._told = {one for one in self._told if one[0] != name}
        connection.refuse("starting", "")
        self._opening.append(LOOP.submit(self._begin(connection)))
        self._wait(FIRST_WAIT, interrupt)
        return True

    def close(self) -> None:
        """End all servers; returns soon, and what does not end by itself is ended behind."""
        if self._closed:
            return
        self._closed = True
        for opening in self._opening:
            opening.cancel()
        closing = [LOOP.submit(one.close()) for one in self._connections.values()]
        concurrent.futures.wait(closing, CLOSE_SECONDS)

    async def _begin(self, connection: Connection, digest: str | None = None) -> None:
        """Open a connection; ``digest``: of the program that a person allowed."""
        import asyncio

        try:
            ready = True
            if connection.server.carrier == "stdio":
                ready = await asyncio.to_thread(self._prepare, connection, digest)
            else:
                self._reach(connection)
            if ready and connection.state == "starting":
                await connection.open()
        except HermesError as error:
            connection.refuse("failed", reason_of(error))
        except Exception as error:
            _log.exception("the MCP server %s could not be started", connection.server.name)
            connection.refuse("failed", reason_of(error))

    def _reach(self, connection: Connection) -> None:
        """Choose how a server is spoken to that is no program of ours."""
        server = connection.server
        if server.carrier == "acp":
            connection.open_streams = lambda _words, _lost: channel_streams(server)
        else:
            connection.open_streams = lambda _words, _lost: web_streams(
                server, self._config, patient=connection.asks
            )

    def _prepare(self, connection: Connection, digest: str | None) -> bool:
        """Find the server's program; return whether it may be started as it is now.

        The state alone does not tell: a person's answer may already have changed it again.
        """
        server = connection.server
        env = {**child_environment(self._config), **dict(server.env)}
        home = Path(env.get("HOME") or self._config.home)
        program = program_of(server, env, self._roots, home)
        self._programs[server.name] = program
        if program.inside and (digest is None or program.digest != digest):
            connection.refuse("asks", "it lies in the workspace, and waits to be allowed")
            return False
        connection.open_streams = lambda words, lost: program_streams(
            program.argv, program.cwd, env, words, lost
        )
        return True

    def _wait(self, seconds: float, interrupt: Interrupt) -> None:
        deadline = time.monotonic() + seconds
        forget = interrupt.listen(self._notify)
        try:
            with self._changed:
                while not interrupt.is_set() and not self._all_settled():
                    left = deadline - time.monotonic()
                    if left <= 0:
                        break
                    self._changed.wait(left)
        finally:
            forget()
        interrupt.raise_if_set()

    def _all_settled(self) -> bool:
        return all(one.state in _SETTLED for one in self._connections.values())

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()
        self._speak()

    def _speak(self) -> None:
        """Tell what is to be told now, if somebody listens; nothing waits for that."""
        tell = self._tell
        texts = self.take_notices() if tell is not None and not self._closed else []
        if tell is not None and texts:
            arguments = (tell, texts)
            threading.Thread(
                target=_tell_all, args=arguments, name="mcp-notices", daemon=True
            ).start()


def _tell_all(tell: Callable[[str], None], texts: Sequence[str]) -> None:
    for text in texts:
        try:
            tell(text)
        except Exception:
            _log.exception("a notice of an MCP server could not be told")


def _notices(name: str, connection: Connection) -> list[tuple[tuple[str, str], str]]:
    """Return what is wrong with a server, each thing under what it is told once by."""
    found: list[tuple[tuple[str, str], str]] = []
    state, problem = connection.state, connection.problem
    if state == "failed":
        text = (
            f"The MCP server {name} is not available: {problem}. Correct its "
            f"settings, or try again with `/mcp restart {name}`."
        )
        found.append(((name, problem), text))
    if connection.left_out:
        text = (
            f"The MCP server {name} has too many tools; {connection.left_out} of them are "
            "not offered to the model."
        )
        found.append(((name, "left out"), text))
    return found
