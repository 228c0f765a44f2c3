"""MCP servers on this machine: streamable HTTP in its plainest form, and the older SSE."""

import json
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from tests.fakes.mcp_server import Server


class FakeMcp:
    """A server in a thread. ``headers``: those of each request, in order.

    redirect: where every request is sent on to. sse: whether it speaks the older way.
    """

    def __init__(self, *, redirect: str = "", sse: bool = False, **plan: Any) -> None:
        self.headers: list[dict[str, str]] = []
        self.redirect = redirect
        self.server = Server(plan)
        self.streams: queue.SimpleQueue[str] = queue.SimpleQueue()
        fake = self

        class Handler(_Handler):
            owner = fake

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}/{'sse' if sse else 'mcp'}"

    def __enter__(self) -> "FakeMcp":
        """Begin to serve."""
        threading.Thread(target=self._http.serve_forever, name="fake-mcp", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self.streams.put("")
        self._http.shutdown()
        self._http.server_close()


class _Handler(BaseHTTPRequestHandler):
    owner: ClassVar[FakeMcp]

    def do_POST(self) -> None:
        self.owner.headers.append({name.lower(): value for name, value in self.headers.items()})
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.owner.redirect:
            self._answer(307, b"", location=self.owner.redirect)
            return
        message = json.loads(body)
        if "id" not in message or "method" not in message:
            self._answer(202, b"")
            return
        result = self.owner.server.result(message["method"], message.get("params") or {}) or {}
        kind = "error" if "code" in result else "result"
        text = json.dumps({"jsonrpc": "2.0", "id": message["id"], kind: result})
        if self.path == "/post":
            self.owner.streams.put(f"event: message\ndata: {text}\n\n")
            self._answer(202, b"")
        else:
            self._answer(200, text.encode(), **{"content-type": "application/json"})

    def do_GET(self) -> None:
        if self.path != "/sse":
            self._answer(405, b"")
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        said = "event: endpoint\ndata: /post\n\n"
        while said:
            self.wfile.write(said.encode())
            self.wfile.flush()
            said = self.owner.streams.get()
        self.close_connection = True

    def do_DELETE(self) -> None:
        self._answer(200, b"")

    def _answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def endless(headers: dict[str, str], piece: bytes, *, once: bool = False) -> Iterator[str]:
    """Serve one piece for as long as somebody reads; with ``once`` no longer."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(piece)
                while not once:
                    self.wfile.write(piece)
            except OSError:
                self.close_connection = True

        do_GET = do_POST

        def log_message(self, *args: object) -> None:
            del args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, name="endless", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp"
    finally:
        server.shutdown()
        server.server_close()
