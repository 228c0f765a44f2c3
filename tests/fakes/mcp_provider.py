"""An editor that serves MCP servers itself, over ``mcp/message``: servers of the SDK in memory.

Each lives as long as its provider. It is spoken to as the Rust SDK of the protocol does: the
request's id is that of the message, a notification goes out under the request that it is about,
and a cancelled request is cancelled.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

Notify = Callable[[dict[str, Any]], None]

UNKNOWN_SERVER = -33001


class NoServer(Exception):
    """A message to a server that is not served."""


class Provider:
    """Answers ``mcp/message``. notify: sends the params of a notification to the agent."""

    def __init__(self, servers: Mapping[str, MCPServer], notify: Notify) -> None:
        self._running = {name: _Running(name, one, notify) for name, one in servers.items()}
        self.asked: list[dict[str, Any]] = []
        self.cancelled: list[str] = []

    async def answer(self, params: dict[str, Any]) -> dict[str, Any]:
        """Return the result for one message; raises ``NoServer``."""
        self.asked.append(params)
        running = self._running.get(params["serverId"])
        if running is None:
            raise NoServer
        try:
            return await running.answer(params)
        except asyncio.CancelledError:
            self.cancelled.append(params["method"])
            raise

    async def close(self) -> None:
        """End all servers."""
        for running in self._running.values():
            await running.close()


class _Running:
    def __init__(self, name: str, server: MCPServer, notify: Notify) -> None:
        self._name = name
        self._server = server
        self._notify = notify
        self._open: dict[Any, asyncio.Future[dict[str, Any]]] = {}
        self._ready = asyncio.Event()
        self._stop = asyncio.Event()
        self._write: Any = None
        self._life = asyncio.ensure_future(self._live())

    async def answer(self, params: dict[str, Any]) -> dict[str, Any]:
        await self._ready.wait()
        request_id = params["requestId"]
        answer = self._open[request_id] = asyncio.get_running_loop().create_future()
        request = JSONRPCRequest(
            jsonrpc="2.0",
            id=request_id,
            method=params["method"],
            params=params.get("params"),
        )
        await self._write.send(SessionMessage(request))
        try:
            return await answer
        except asyncio.CancelledError:
            told = {"requestId": request_id}
            method = "notifications/cancelled"
            cancelled = JSONRPCNotification(jsonrpc="2.0", method=method, params=told)
            await self._write.send(SessionMessage(cancelled))
            raise
        finally:
            del self._open[request_id]

    async def close(self) -> None:
        self._stop.set()
        await self._life

    async def _live(self) -> None:
        async with create_client_server_memory_streams() as ((read, write), theirs):
            server = self._server._lowlevel_server
            options = server.create_initialization_options()
            serving = asyncio.ensure_future(server.run(*theirs, options))
            reading = asyncio.ensure_future(self._read(read))
            self._write = write
            self._ready.set()
            await self._stop.wait()
            await write.aclose()
            await serving
            await reading

    async def _read(self, read: Any) -> None:
        async for said in read:
            message = said.message
            if isinstance(message, JSONRPCResponse):
                self._settle(message.id, {"result": message.result})
            elif isinstance(message, JSONRPCError):
                error = message.error.model_dump(by_alias=True, exclude_none=True)
                self._settle(message.id, {"error": error})
            elif isinstance(message, JSONRPCNotification):
                self._tell(message, said.metadata)

    def _settle(self, request_id: Any, outcome: dict[str, Any]) -> None:
        answer = self._open.get(request_id)
        if answer is not None and not answer.done():
            answer.set_result(outcome)

    def _tell(self, message: JSONRPCNotification, metadata: Any) -> None:
        if isinstance(metadata, ServerMessageMetadata) and metadata.related_request_id is not None:
            told = {
                "serverId": self._name,
                "requestId": metadata.related_request_id,
                "method": message.method,
            }
            self._notify(told if message.params is None else {**told, "params": message.params})


def tools(hanging: asyncio.Event) -> MCPServer:
    """Return a server with an echo, a tool that tells of its progress, and one that never ends.

    hanging: is set once the last one runs.
    """
    server = MCPServer("editor")

    @server.tool()
    def echo(text: str) -> str:
        """Say it again."""
        return text

    @server.tool()
    async def slowly(context: Context[Any]) -> str:
        """Tell how far it is."""
        await context.report_progress(1, 2, "half")
        return "done"

    @server.tool()
    def huge() -> str:
        """Say too much."""
        return "x" * 3_000_000

    @server.tool()
    def fail() -> str:
        """Fail."""
        raise ValueError("it cannot be done")

    @server.tool()
    async def hang() -> str:
        """Never end."""
        hanging.set()
        await asyncio.get_running_loop().create_future()
        return ""

    return server
