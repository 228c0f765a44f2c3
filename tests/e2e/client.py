"""An ACP client for tests: pytest-lsp starts the real program with it.

Every line in both directions is checked against the official schema as it passes, and its place
in the order of messages.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from pygls.client import JsonRPCClient

from tests.e2e.editor import AgentError, Editor, Session
from tests.e2e.order import Order
from tests.e2e.stage import COMMAND, Stage
from tests.schema.validate import WireValidator

PATIENCE = 30.0
"""Seconds after which a wait in a test has failed; nothing should ever come near it."""

FULL = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}

Handler = Callable[[dict[str, Any]], Awaitable[Any]]


class AcpClient(JsonRPCClient):
    """The client's end of one connection, and of the stage that the program runs on.

    capabilities: what ``initialize`` announces. name: in ``clientInfo``, None to send none.
    """

    def __init__(
        self,
        stage: Stage | None = None,
        *,
        capabilities: dict[str, Any] | None = None,
        name: str | None = "tests",
    ) -> None:
        super().__init__()
        self.stage = stage or Stage()
        self._owns_stage = stage is None
        self.capabilities = FULL if capabilities is None else capabilities
        self.name = name
        self.editor = Editor()
        self.received: list[dict[str, Any]] = []
        self.initialized: dict[str, Any] = {}
        self._wire = WireValidator()
        self._order = Order()
        self._answers: dict[tuple[type, Any], asyncio.Future[Any]] = {}
        self._serving: dict[Any, asyncio.Task[None]] = {}
        self._waiting: list[asyncio.Future[None]] = []
        self._again: dict[Any, str] = {}
        self._ids = 0
        self._ended = False
        self._failure: BaseException | None = None

    # Life

    async def start_io(self, cmd: str, *args: Any, **kwargs: Any) -> None:
        """Start the program with the stage's environment, and read what it says."""
        environ = self.stage.environ | (kwargs.pop("env", None) or {})
        self._server = await asyncio.create_subprocess_exec(
            cmd,
            *args,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=1 << 26,
            env=environ,
            cwd=self.stage.folder,
        )
        self._async_tasks.append(asyncio.create_task(self._read()))

    async def start(self) -> None:
        """Start the program as editors do."""
        await self.start_io(*COMMAND)

    async def initialize(self, version: int = 1) -> dict[str, Any]:
        """Shake hands and return what the agent told."""
        params: dict[str, Any] = {
            "protocolVersion": version,
            "clientCapabilities": self.capabilities,
        }
        if self.name is not None:
            params["clientInfo"] = {"name": self.name, "version": "1"}
        self.initialized = await self.request("initialize", params)
        return self.initialized

    async def stop(self) -> None:
        """End the connection as an editor does, and hold the program to its end."""
        try:
            if self.process.returncode is None:
                assert self.process.stdin is not None
                self.process.stdin.close()
            code, errors = await self.wait_for_exit()
            assert (code, errors) in ((0, b""), (-9, b"")), f"exit {code}, stderr {errors!r}"
            if self._failure is not None:
                raise self._failure
        finally:
            if self._owns_stage:
                self.stage.close()

    async def wait_for_exit(self) -> tuple[int, bytes]:
        """Return the exit code and all of stderr, once the program has ended."""
        assert self.process.stderr is not None
        errors = await asyncio.wait_for(self.process.stderr.read(), PATIENCE)
        code = await asyncio.wait_for(self.process.wait(), PATIENCE)
        await asyncio.gather(*self._async_tasks)
        self.process._transport.close()  # a loop that ends first would leave it open
        return code, errors

    async def kill(self) -> None:
        """Kill the program, as some editors do."""
        self.process.kill()
        await self.wait_for_exit()

    @property
    def process(self) -> asyncio.subprocess.Process:
        """The running program."""
        assert self._server is not None
        return self._server

    # Sending

    async def request(
        self, method: str, params: Any = None, *, valid: bool = True, request_id: Any = None
    ) -> Any:
        """Send a request and return its result; raise ``AgentError`` for an error answer."""
        return await self.begin(method, params, valid=valid, request_id=request_id)

    def begin(
        self, method: str, params: Any = None, *, valid: bool = True, request_id: Any = None
    ) -> "asyncio.Future[Any]":
        """Send a request and return the future of its answer."""
        self._ids += 1
        key = self._ids if request_id is None else request_id
        answer = asyncio.get_running_loop().create_future()
        self._answers[(type(key), key)] = answer
        message = {"jsonrpc": "2.0", "id": key, "method": method, "params": params or {}}
        self.send(message, valid=valid)
        return asyncio.ensure_future(self._with_patience(answer, method))

    async def _with_patience(self, answer: "asyncio.Future[Any]", method: str) -> Any:
        try:
            return await asyncio.wait_for(answer, PATIENCE)
        except TimeoutError:
            raise AssertionError(f"{method} was not answered") from None

    def notify(self, method: str, params: Any, *, valid: bool = True) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params}, valid=valid)

    def send(self, message: dict[str, Any], *, valid: bool = True, end: bytes = b"\n") -> None:
        """Send one message; ``valid`` is False for what a test breaks on purpose."""
        if self._ended:
            raise self._failure or EOFError("the agent has gone")
        line = json.dumps(message).encode()
        self._wire.check(line, "client", valid=valid)
        self._order.check(message, "client")
        self.send_raw(line + end)

    def expect_answer(self, request_id: Any, method: str) -> None:
        """Let one more answer to a request come, whose id a test uses twice."""
        self._again[request_id] = method

    def send_raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)

    def pause(self) -> None:
        """Stop reading what the agent says, as a busy editor does."""
        self._reader.pause_reading()

    def resume(self) -> None:
        """Read on."""
        self._reader.resume_reading()

    @property
    def _reader(self) -> asyncio.ReadTransport:
        transport = self.process._transport.get_pipe_transport(1)
        assert isinstance(transport, asyncio.ReadTransport)
        return transport

    # Receiving

    async def _read(self) -> None:
        assert self.process.stdout is not None
        try:
            async for line in self.process.stdout:
                self._take(line)
        except Exception as error:  # a wrong line; told by whoever waits, and at the end
            self._failure = error
        self._ended = True
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(self._failure or EOFError("the agent has gone"))
                answer.exception()
        for task in self._serving.values():
            task.cancel()
        self._wake()

    def _take(self, line: bytes) -> None:
        message = self._wire.check(line, "agent")
        self._order.check(message, "agent")
        method = self._again.pop(message.get("id"), None)
        if method is not None:
            call = {"jsonrpc": "2.0", "id": message["id"], "method": method}
            self._wire.check(json.dumps(call), "client", valid=False)
        self.received.append(message)
        if "method" not in message:
            self._answered(message)
        elif message["method"] == "session/update":
            self.editor.show(message["params"])
        elif message["method"] == "$/cancel_request":
            self._withdraw(message["params"]["requestId"])
        elif "id" in message:
            loop = asyncio.get_running_loop()
            self._serving[message["id"]] = loop.create_task(self._serve(message))
            loop.call_soon(self._wake)  # once more when the editor has seen it
        self._wake()

    def _answered(self, message: dict[str, Any]) -> None:
        answer = self._answers.pop((type(message["id"]), message["id"]), None)
        if answer is None or answer.done():
            return
        if "error" in message:
            failed = AgentError(message["error"])
            if failed.data.get("details", "").startswith("Hermes hit an internal error"):
                failed.add_note(self.stage.log())
            answer.set_exception(failed)
            answer.exception()
        else:
            answer.set_result(message["result"])

    def _withdraw(self, request_id: Any) -> None:
        self.editor.withdrawn.append(request_id)
        task = self._serving.get(request_id)
        if task is not None:
            task.cancel()

    async def _serve(self, message: dict[str, Any]) -> None:
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            answer["result"] = await self.editor.answer(message["method"], message["params"])
        except AgentError as error:
            answer["error"] = error.error
        except asyncio.CancelledError:
            answer["error"] = {"code": -32800, "message": "cancelled"}
        if not self._ended:
            with suppress(ConnectionError):
                self.send(answer, valid=self.editor.answers_are_valid)

    def _wake(self) -> None:
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)
        self._waiting.clear()

    async def wait_for(self, condition: Callable[[], Any]) -> Any:
        """Wait until ``condition`` returns something true, looking after every message."""

        async def wait() -> Any:
            while not (found := condition()):
                if self._ended:
                    raise self._failure or EOFError("the agent has gone")
                changed = asyncio.get_running_loop().create_future()
                self._waiting.append(changed)
                await changed
            return found

        try:
            return await asyncio.wait_for(wait(), PATIENCE)
        except TimeoutError:
            last = json.dumps(self.received[-5:], indent=1)
            raise AssertionError(f"nothing came; the last messages: {last}") from None

    # Sessions

    async def new_session(self, cwd: Path | None = None, **params: Any) -> Session:
        """Open a session, in a new workspace unless one is given."""
        cwd = cwd or self.stage.workspace()
        result = await self.request("session/new", {"cwd": str(cwd), "mcpServers": [], **params})
        return Session(self, result["sessionId"], cwd, result)

    async def load_session(self, session_id: str, cwd: Path, **params: Any) -> Session:
        """Load a stored session."""
        params = {"sessionId": session_id, "cwd": str(cwd), "mcpServers": [], **params}
        result = await self.request("session/load", params)
        return Session(self, session_id, cwd, result)
