"""A model provider on loopback HTTP, for the whole test suite.

::

    with FakeProvider() as provider:
        provider.script(call("read_file", {"path": "a.py"}), say("It is empty."))
        ...  # point the program at provider.base_url
        assert provider.requests[1].messages[-1]["role"] == "tool"

It speaks the format that belongs to the path: chat completions, Responses, Messages, or Messages
in Bedrock's frames. ``FakeProvider(handler)`` answers by a function of the request instead. A
request that the script has no reply for gets status 500 and makes the ``with`` block fail at its
end. A key that arrives and belongs to none of ``owners`` fails the test: see ``canaries``.
"""

import json
import select
import socket
import ssl
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.fakes import messages, responses
from tests.fakes.canaries import WATCH
from tests.fakes.replies import (
    Call,
    Chunk,
    Cut,
    Finish,
    Raw,
    Reasoning,
    Reply,
    Text,
    Usage,
    Wait,
    call,
    calls,
    fail,
    play,
    say,
)

__all__ = [
    "Call",
    "Chunk",
    "Cut",
    "FakeProvider",
    "Finish",
    "Raw",
    "Reasoning",
    "Recorded",
    "Reply",
    "Text",
    "Usage",
    "Wait",
    "call",
    "calls",
    "fail",
    "say",
]

PATIENCE = 30.0
"""Seconds after which a wait in a test has failed; nothing should ever come near it."""


@dataclass
class Recorded:
    """One request as it came in.

    peer: the client's port, the same for requests that share a connection.
    answered: set when the whole reply was written. gone: set when the client closed first.
    """

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes
    peer: int
    answered: threading.Event = field(default_factory=threading.Event)
    gone: threading.Event = field(default_factory=threading.Event)

    @property
    def body(self) -> dict[str, Any]:
        """The request's JSON."""
        data: dict[str, Any] = json.loads(self.raw)
        return data

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation that was sent."""
        messages: list[dict[str, Any]] = self.body["messages"]
        return messages

    @property
    def tool_results(self) -> list[str]:
        """The texts of the tool messages, in order."""
        return [m["content"] for m in self.messages if m["role"] == "tool"]


Handler = Callable[[Recorded], Reply]


class FakeProvider:
    """Serves replies on 127.0.0.1 while the ``with`` block runs; see the module's text.

    owners: whose keys it may get, as ``canary`` names them. models: what it answers who asks for
    its list, beside the script and unrecorded; None leaves that to the script.
    """

    def __init__(
        self,
        handler: Handler | None = None,
        *,
        host: str = "127.0.0.1",
        tls: ssl.SSLContext | None = None,
        owners: Collection[str] = (),
        models: Sequence[str] | None = None,
    ) -> None:
        self.handler = handler
        self.models = models
        self.owners = frozenset(owners)
        self.requests: list[Recorded] = []
        self.unexpected: list[Recorded] = []
        self.closing = threading.Event()
        self._replies: deque[Reply] = deque()
        self._changed = threading.Condition()
        self._sockets: set[socket.socket] = set()
        self._server = _Server((host, 0), _Handler)
        self._server.provider = self
        if tls is not None:
            # the handshake is left to the connection's own thread, at its first read
            self._server.socket = tls.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name="fake-provider", daemon=True
        )

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._server.server_address[1])

    @property
    def base_url(self) -> str:
        """What ``model.base_url`` must be."""
        return f"http://{self._server.server_address[0]}:{self.port}/v1"

    def script(self, *replies: Reply) -> None:
        """Append replies; each answers one request, in order of arrival."""
        with self._changed:
            self._replies.extend(replies)

    @property
    def left(self) -> int:
        """How many scripted replies nobody asked for yet."""
        with self._changed:
            return len(self._replies)

    def wait_for_request(self, number: int, timeout: float = PATIENCE) -> Recorded:
        """Return the request with that number, counting from 1, once it has come in."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.requests) >= number, timeout):
                raise AssertionError(f"{len(self.requests)} of {number} requests came")
            return self.requests[number - 1]

    def answer(self, request: Recorded) -> Reply:
        """Record ``request`` and return its reply."""
        if self.models is not None and request.method == "GET" and "/models" in request.path:
            return Reply(body={"data": [{"id": model} for model in self.models]})
        with self._changed:
            self.requests.append(request)
            self._changed.notify_all()
            if self.handler is None:
                if self._replies:
                    return self._replies.popleft()
                self.unexpected.append(request)
                return fail(500, "the fake provider's script has no reply left")
        return self.handler(request)

    def opened(self, connection: socket.socket) -> None:
        """Remember a connection, to end it at the end."""
        with self._changed:
            self._sockets.add(connection)

    def closed(self, connection: socket.socket) -> None:
        """Forget a connection."""
        with self._changed:
            self._sockets.discard(connection)

    def drop_connections(self) -> None:
        """End every open connection, as a server does with idle ones."""
        with self._changed:
            connections = list(self._sockets)
        for connection in connections:
            _shut(connection)

    def close(self) -> None:
        """Stop serving; every connection and every held reply ends."""
        self.closing.set()
        self._server.shutdown()
        self._thread.join(PATIENCE)
        self.drop_connections()
        self._server.server_close()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
        if error is None and self.unexpected:
            last = self.unexpected[-1].body.get("messages", [])[-1:]
            raise AssertionError(f"{len(self.unexpected)} requests too many; the last: {last}")


class _Server(ThreadingHTTPServer):
    provider: FakeProvider
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that goes away is part of many tests."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    wbufsize = 0
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        self.server.provider.opened(self.connection)

    def finish(self) -> None:
        self.server.provider.closed(self.connection)
        super().finish()

    def log_message(self, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_CONNECT(self) -> None:
        self._serve()

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        request = Recorded(
            self.command,
            self.path,
            {name.lower(): value for name, value in self.headers.items()},
            self.rfile.read(length),
            self.client_address[1],
        )
        self._watch(request)
        reply = self.server.provider.answer(request)
        try:
            if self._send(reply, request):
                request.answered.set()
        except OSError:
            request.gone.set()
            self.close_connection = True

    def _watch(self, request: Recorded) -> None:
        provider = self.server.provider
        place = (
            f"port {provider.port}, stand-in of {', '.join(sorted(provider.owners)) or 'nobody'}"
        )
        head = (part for pair in self.headers.items() for part in pair)
        WATCH.saw(place, provider.owners, self.requestline, *head, request.raw)

    def _send(self, reply: Reply, request: Recorded) -> bool:
        if reply.before is not None and not self._hold(reply.before, request):
            return False
        if reply.wire is not None:
            self.wfile.write(reply.wire)
            self.close_connection = True
            return True
        if reply.body is not None:
            self._head(reply, "application/json", ("Content-Length", str(len(reply.content))))
            self.wfile.write(reply.content)
            return True
        framed = _player(request.path) is messages.play_framed
        kind = "application/vnd.amazon.eventstream" if framed else "text/event-stream"
        self._head(reply, kind, ("Transfer-Encoding", "chunked"))
        return self._stream(reply, request)

    def _head(self, reply: Reply, kind: str, length: tuple[str, str]) -> None:
        headers = {name.lower(): value for name, value in reply.headers.items()}
        self.send_response(reply.status)
        self.send_header("Content-Type", headers.pop("content-type", kind))
        self.send_header(*length)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _stream(self, reply: Reply, request: Recorded) -> bool:
        model = str(request.body.get("model", ""))
        for piece in _player(request.path)(reply, model):
            if isinstance(piece, bytes):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if piece else b"")
            elif isinstance(piece, Cut):
                self.close_connection = True
                _shut(self.connection)
                return False
            elif not self._hold(piece.event, request):
                return False
        self.wfile.write(b"0\r\n\r\n")
        return True

    def _hold(self, event: threading.Event, request: Recorded) -> bool:
        """Wait for ``event``; return whether the client is still there."""
        while not event.wait(0.01):
            if self.server.provider.closing.is_set() or _is_gone(self.connection):
                request.gone.set()
                self.close_connection = True
                return False
        return True


def _player(path: str) -> Callable[[Reply, str], Iterator[bytes | Wait | Cut]]:
    """Return what plays a reply in the format that is asked for at ``path``."""
    place = path.partition("?")[0]
    if place.endswith("/responses"):
        return responses.play
    if place.endswith("/messages"):
        return messages.play
    return messages.play_framed if place.endswith("-response-stream") else play


def _is_gone(connection: socket.socket) -> bool:
    readable, _, _ = select.select([connection], [], [], 0)
    try:
        if isinstance(connection, ssl.SSLSocket):
            return bool(readable) and not connection.recv(1)
        return bool(readable) and not connection.recv(1, socket.MSG_PEEK)
    except OSError:
        return True


def _shut(connection: socket.socket) -> None:
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
