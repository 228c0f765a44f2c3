"""The client's end of a JSON-RPC connection: one JSON object a line, in both directions."""

import asyncio
import json
import uuid
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

Params = dict[str, Any]
Then = Callable[["asyncio.Future[Params]"], None]
"""Takes the answer of a request, which is there already."""

CANCELLED = -32800
INTERNAL = -32603
NO_METHOD = -32601
NOT_FOUND = -32002
WRONG_PARAMS = -32602


class RpcFailure(Exception):
    """An error as JSON-RPC carries it, from the peer or for it."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    @property
    def details(self) -> str:
        """What ``data`` says for people, or an empty string."""
        if isinstance(self.data, dict):
            return str(self.data.get("details") or "")
        return self.data if isinstance(self.data, str) else ""


class Disconnected(Exception):
    """The peer is gone."""


class Connection:
    """Sends requests and notifications, and serves those of the peer.

    ``serve(method, params)`` answers a request and runs as a task of its own; ``note(method,
    params)`` takes notifications, in order, and must not block. What it raises ends the
    connection and is kept as ``failure``.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        serve: Callable[[str, Params], Awaitable[Params]],
        note: Callable[[str, Params], None],
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._serve = serve
        self._note = note
        self._waiting: dict[str, tuple[asyncio.Future[Params], Then]] = {}
        self._serving: dict[str, asyncio.Task[None]] = {}
        self._closed = False
        self.failure: Exception | None = None

    async def run(self) -> None:
        """Read until the peer closes; then fail what still waits for an answer.

        After a failure of ``note`` what comes is thrown away, so that the peer is not stuck.
        """
        try:
            await self._read()
        except Exception as error:
            self.failure = error
        finally:
            self._end()
        while await self._reader.read(1 << 16):
            pass

    async def _read(self) -> None:
        pending = bytearray()
        while chunk := await self._reader.read(1 << 16):
            pending += chunk
            if b"\n" in chunk:
                *lines, rest = bytes(pending).split(b"\n")
                pending = bytearray(rest)
                for line in lines:
                    self._take(line)
            await asyncio.sleep(0)

    async def request(self, method: str, params: Params, then: Then = lambda _: None) -> Params:
        """Send a request and return its result; raise ``RpcFailure`` or ``Disconnected``.

        ``then`` gets the answer before anything that came after it is noted.
        """
        if self._closed:
            raise Disconnected
        key = str(uuid.uuid4())
        answer: asyncio.Future[Params] = asyncio.get_running_loop().create_future()
        self._waiting[key] = answer, then
        try:
            await self._send({"id": key, "method": method, "params": params})
            return await answer
        finally:
            self._waiting.pop(key, None)

    async def notify(self, method: str, params: Params) -> None:
        """Send a notification; raise ``Disconnected`` if the peer is gone."""
        await self._send({"method": method, "params": params})

    async def _send(self, body: Params) -> None:
        text = json.dumps({"jsonrpc": "2.0", **body}, ensure_ascii=False, separators=(",", ":"))
        try:
            self._writer.write(text.encode("utf-8", "replace") + b"\n")
            await self._writer.drain()
        except (ConnectionError, RuntimeError) as error:
            raise Disconnected from error

    def _take(self, line: bytes) -> None:
        """Dispatch one line; what is no JSON-RPC message is passed over."""
        try:
            message = json.loads(line)
        except ValueError:
            return
        if not isinstance(message, dict):
            return
        method = message.get("method")
        params = message.get("params")
        if not isinstance(method, str):
            self._answered(message)
        elif "id" in message:
            self._begin(message["id"], method, params if isinstance(params, dict) else {})
        elif method == "$/cancel_request":
            self._cancel(params)
        else:
            self._note(method, params if isinstance(params, dict) else {})

    def _answered(self, message: Params) -> None:
        waiting, then = self._waiting.pop(str(message.get("id")), (None, None))
        if waiting is None or then is None or waiting.done():
            return
        error = message.get("error")
        if isinstance(error, dict):
            code = error.get("code")
            waiting.set_exception(
                RpcFailure(
                    code if isinstance(code, int) else INTERNAL,
                    str(error.get("message") or "The agent gave no reason."),
                    error.get("data"),
                )
            )
        else:
            result = message.get("result")
            waiting.set_result(result if isinstance(result, dict) else {})
        then(waiting)

    def _begin(self, request_id: Any, method: str, params: Params) -> None:
        key = json.dumps(request_id)
        task = asyncio.create_task(self._answer(request_id, method, params))
        self._serving[key] = task
        task.add_done_callback(lambda _: self._serving.pop(key, None))

    async def _answer(self, request_id: Any, method: str, params: Params) -> None:
        body: Params
        try:
            body = {"result": await self._serve(method, params)}
        except asyncio.CancelledError:
            if self._closed:
                raise
            body = {"error": {"code": CANCELLED, "message": "The request was cancelled."}}
        except RpcFailure as failure:
            body = {"error": {"code": failure.code, "message": failure.message}}
        except Exception as error:
            body = {"error": {"code": INTERNAL, "message": f"The client failed: {error}."}}
        with suppress(Disconnected):
            await self._send({"id": request_id, **body})

    def _cancel(self, params: Any) -> None:
        request_id = params.get("requestId") if isinstance(params, dict) else None
        task = self._serving.get(json.dumps(request_id))
        if task is not None:
            task.cancel()

    def _end(self) -> None:
        self._closed = True
        for waiting, _ in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(Disconnected())
        for task in self._serving.values():
            task.cancel()
