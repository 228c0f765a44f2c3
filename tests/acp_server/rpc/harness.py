"""A server on pipes within the test's process, and the client at their other ends."""

import asyncio
import json
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from acp_server.rpc.server import AcpServer
from acp_server.rpc.stdio import Stdio

WATCHDOG = 30.0
"""Seconds after which a test that waits is broken."""


class Wire:
    """A running server; ``send`` and ``receive`` are what its client does."""

    def __init__(self, server: AcpServer) -> None:
        self.server = server
        server_in, self._out = os.pipe()
        self._in, server_out = os.pipe()
        self._lines = os.fdopen(self._in, "rb")
        self._server_fds = (server_in, server_out)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def send(self, message: Any) -> None:
        """Send one message, or bytes as they are."""
        data = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(self._out, data) :]

    def call(self, method: str, params: Any = None, msg_id: Any = 1) -> dict[str, Any]:
        """Send a request and return the next message that comes."""
        self.send(request(method, params, msg_id))
        return self.receive()

    def receive(self) -> dict[str, Any]:
        """Return the next message of the server."""
        line = self._lines.readline()
        assert line.endswith(b"\n"), "the server closed the connection"
        message: dict[str, Any] = json.loads(line)
        return message

    def stop_reading(self) -> None:
        """Close the client's end of what the server writes."""
        self._lines.close()

    def end(self) -> None:
        """Close the client's end of what the server reads, and wait for the server."""
        with suppress(OSError):
            os.close(self._out)
        self.wait()

    def wait(self) -> None:
        """Wait for the server to end."""
        self._thread.join(WATCHDOG)
        assert not self._thread.is_alive(), "the server did not end"

    def close(self) -> None:
        """End everything."""
        self.end()
        with suppress(OSError):
            self._lines.close()

    def _serve(self) -> None:
        server_in, server_out = self._server_fds
        try:
            asyncio.run(self.server.serve(Stdio(server_in, server_out)))
        finally:
            os.close(server_out)


Serve = Callable[[AcpServer], Wire]


def request(method: str, params: Any = None, msg_id: Any = 1) -> dict[str, Any]:
    """Return a request."""
    return {"jsonrpc": "2.0", "id": msg_id, "method": method, "params": params or {}}


def notification(method: str, params: Any = None) -> dict[str, Any]:
    """Return a notification."""
    return {"jsonrpc": "2.0", "method": method, "params": params or {}}


def code_of(answer: dict[str, Any]) -> int:
    """Return the code of an error answer."""
    return int(answer["error"]["code"])


class EchoServer(AcpServer):
    """A server with a few methods to try the connection with.

    ``note`` appends to ``heard``; ``sleep`` waits for ever.
    """

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[Any] = []
        self.cancelled = threading.Event()
        self.method("initialize", None, before_initialize=True)(self.initialize)
        self.method("echo", None)(self.echo)
        self.method("sleep", None)(self.sleep)
        self.notification("note", None)(self.note)

    async def initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        return {"protocolVersion": 1}

    async def echo(self, params: dict[str, Any]) -> dict[str, Any]:
        return params

    async def note(self, params: dict[str, Any]) -> None:
        self.heard.append(params)

    async def sleep(self, params: dict[str, Any]) -> None:
        self.heard.append("asleep")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
