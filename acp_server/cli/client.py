"""A client of the Agent Client Protocol: starts an agent and speaks to it over its stdio."""

import asyncio
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from acp_server.cli import disk
from acp_server.cli.connection import (
    NO_METHOD,
    Connection,
    Disconnected,
    Params,
    RpcFailure,
    Then,
)
from acp_server.cli.console import Failure
from acp_server.cli.forms import DECLINE, asks_why

PROTOCOL_VERSION = 1
CAPABILITIES: Params = {
    "fs": {"readTextFile": True, "writeTextFile": True},
    "terminal": False,
    "session": {"notices": {}},
}
PATIENCE = 5.0
"""Seconds that an agent has to end, before it is told to, and again before it is killed."""
CANCELLED: Params = {"outcome": {"outcome": "cancelled"}}


class Face(Protocol):
    """What the client shows, and whom it asks."""

    def update(self, update: Params) -> None:
        """Show one ``session/update``."""
        ...

    async def ask(self, params: Params) -> str | None:
        """Answer ``session/request_permission`` with an option's id; None withdraws."""
        ...

    async def fill(self, params: Params) -> Params:
        """Answer ``elicitation/create`` with its result."""
        ...


def agent_command(*arguments: str) -> list[str]:
    """Return the command line of this program's own server; the folder it runs in lends no code."""
    return [sys.executable, "-P", "-m", "acp_server.cli.main", "acp", *arguments]


class AcpClient:
    """One agent process and the connection to it. Used on one event loop only."""

    def __init__(self, process: asyncio.subprocess.Process, face: Face) -> None:
        if process.stdin is None or process.stdout is None:
            raise ValueError("the process has no pipes")
        self.agent: Params = {}
        self.capabilities: Params = {}
        self.session_id = ""
        self.resumed = False
        self._process = process
        self._face = face
        self._questions: set[asyncio.Task[Any]] = set()
        self._stderr: deque[str] = deque(maxlen=20)
        self._connection = Connection(process.stdout, process.stdin, self._serve, self._note)
        self._tasks = [
            asyncio.create_task(self._connection.run()),
            asyncio.create_task(self._read_stderr()),
        ]

    @classmethod
    async def start(
        cls, command: Sequence[str], *, cwd: Path, env: Mapping[str, str], face: Face
    ) -> "AcpClient":
        """Start the agent in a session of its own, so that the terminal's Ctrl-C does not reach it.

        Raises ``Failure`` if it cannot be started.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=cwd,
                env=dict(env),
                start_new_session=True,
            )
        except OSError as error:
            raise Failure(
                f"The agent could not be started: {error.strerror}.",
                f"Check that {command[0]} is there and can be run.",
            ) from error
        return cls(process, face)

    async def initialize(self, version: str, *, forms: bool = False) -> None:
        """Agree on the protocol and keep what the agent says of itself.

        forms: whether there is somebody to fill in a form, and to open a page.
        """
        shown: Params = {"elicitation": {"form": {}, "url": {}}} if forms else {}
        capabilities = {**CAPABILITIES, **shown}
        result = await self.call(
            "initialize",
            {
                "protocolVersion": PROTOCOL_VERSION,
                "clientCapabilities": capabilities,
                "clientInfo": {"name": "hermes-chat", "title": "Hermes chat", "version": version},
            },
        )
        if result.get("protocolVersion") != PROTOCOL_VERSION:
            raise Failure(
                f"The agent speaks version {result.get('protocolVersion')} of the protocol.",
                f"This client speaks version {PROTOCOL_VERSION}; install the same version of both.",
            )
        self.agent = result.get("agentInfo") or {}
        self.capabilities = result.get("agentCapabilities") or {}

    async def new_session(self, cwd: Path) -> Params:
        """Open a session in ``cwd`` and return what the agent says of it."""
        result = await self.call("session/new", {"cwd": str(cwd), "mcpServers": []})
        self.session_id = str(result.get("sessionId", ""))
        return result

    async def load_session(self, session_id: str, cwd: Path) -> Params:
        """Load a session; its history arrives as updates before this returns."""
        self.session_id = session_id
        self.resumed = True
        return await self.call(
            "session/load", {"sessionId": session_id, "cwd": str(cwd), "mcpServers": []}
        )

    async def sessions(self, cwd: Path | None = None) -> list[Params]:
        """Return the stored sessions, newest first; of one folder, or of all."""
        found: list[Params] = []
        params: Params = {} if cwd is None else {"cwd": str(cwd)}
        while True:
            page = await self.call("session/list", params)
            found += page.get("sessions") or []
            cursor = page.get("nextCursor")
            if not cursor or cursor == params.get("cursor"):
                return found
            params = {**params, "cursor": cursor}

    async def set_mode(self, mode: str) -> None:
        """Change how much the agent may do unasked."""
        await self.call("session/set_mode", {"sessionId": self.session_id, "modeId": mode})

    async def prompt(self, text: str, then: Then = lambda _: None) -> str:
        """Send one prompt; return why its turn ended. ``then`` gets the answer when it comes."""
        result = await self.call(
            "session/prompt",
            {"sessionId": self.session_id, "prompt": [{"type": "text", "text": text}]},
            then,
        )
        return str(result.get("stopReason", ""))

    async def cancel(self) -> None:
        """Stop the running turn; an open question is withdrawn. The prompt is still answered."""
        for question in list(self._questions):
            question.cancel()
        with suppress(Disconnected):
            await self._connection.notify("session/cancel", {"sessionId": self.session_id})

    async def call(self, method: str, params: Params, then: Then = lambda _: None) -> Params:
        """Send a request; raise ``RpcFailure`` on an error, ``Failure`` if the agent is gone.

        What the face raised when it was shown something is raised here too.
        """
        try:
            return await self._connection.request(method, params, then)
        except Disconnected:
            if self._connection.failure is not None:
                raise self._connection.failure from None
            raise await self.death() from None

    async def gone(self) -> None:
        """Return when the agent has closed its side."""
        await asyncio.wait(self._tasks[:1])

    async def death(self) -> Failure:
        """Return what is known about how the agent ended."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), 3)
            await asyncio.wait(self._tasks, timeout=1)
        code = self._process.returncode
        if code is None:
            how = "it closed its output"
        else:
            how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        last = f": {self._stderr[-1]}" if self._stderr else "."
        return Failure(
            f"The agent ended unexpectedly ({how}){last}",
            "Run `hermes doctor`; its log, logs/hermes.log in your Hermes folder, may tell more.",
        )

    async def close(self) -> None:
        """End the agent: close its input, then ask, then force."""
        stdin = self._process.stdin
        if stdin is not None:
            stdin.close()
        for stop in (self._process.terminate, self._process.kill):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), PATIENCE)
                break
            with suppress(ProcessLookupError):
                stop()
        await self._process.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, method: str, params: Params) -> Params:
        if method == "session/request_permission":
            return await self._permission(params)
        if method == "elicitation/create":
            return DECLINE if asks_why(params) else await self._form(params)
        if method == "fs/read_text_file":
            return await asyncio.to_thread(disk.read_text_file, params)
        if method == "fs/write_text_file":
            return await asyncio.to_thread(disk.write_text_file, params)
        raise RpcFailure(NO_METHOD, f"This client does not know {method}.")

    async def _permission(self, params: Params) -> Params:
        question = asyncio.ensure_future(self._face.ask(params))
        self._questions.add(question)
        try:
            answer = await asyncio.shield(question)
        except asyncio.CancelledError:
            if question.cancelled():
                return CANCELLED
            question.cancel()
            raise
        finally:
            self._questions.discard(question)
        if answer is None:
            return CANCELLED
        return {"outcome": {"outcome": "selected", "optionId": answer}}

    async def _form(self, params: Params) -> Params:
        form = asyncio.ensure_future(self._face.fill(params))
        self._questions.add(form)
        try:
            return await asyncio.shield(form)
        except asyncio.CancelledError:
            if form.cancelled():
                return {"action": "cancel"}
            form.cancel()
            raise
        finally:
            self._questions.discard(form)

    def _note(self, method: str, params: Params) -> None:
        update: Any = params.get("update")
        ours = params.get("sessionId") == self.session_id or not self.session_id
        if method == "session/update" and ours and isinstance(update, dict):
            self._face.update(update)

    async def _read_stderr(self) -> None:
        stream = self._process.stderr
        if stream is None:
            return
        rest = ""
        while chunk := await stream.read(1 << 14):
            *lines, rest = (rest + chunk.decode("utf-8", "replace"))[-4000:].split("\n")
            self._stderr.extend(line.strip() for line in lines if line.strip())
        if rest.strip():
            self._stderr.append(rest.strip())
