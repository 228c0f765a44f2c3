"""An HTTP proxy that tunnels: it answers CONNECT and passes bytes on, wherever it was told to."""

import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

from tests.fakes.canaries import WATCH


class FakeProxy:
    """Tunnels every CONNECT to ``target``, a port of this machine, while the block runs.

    heads: what each client sent before its tunnel was open. tls: with which it is itself reached.
    """

    def __init__(self, target: int, tls: ssl.SSLContext | None = None) -> None:
        self.heads: list[bytes] = []
        self._tls = tls
        self._target = target
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))

    @property
    def url(self) -> str:
        """What the proxy's variable must be."""
        scheme, host = ("https", "localhost") if self._tls else ("http", "127.0.0.1")
        return f"{scheme}://{host}:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        _begin(self._serve)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _shut(self._listener)
        self._listener.close()
        for sock in self._sockets:
            _shut(sock)
            sock.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._sockets.append(client)
                _begin(lambda client=client: self._tunnel(client))

    def _tunnel(self, client: socket.socket) -> None:
        if self._tls is not None:
            client = self._tls.wrap_socket(client, server_side=True)
            self._sockets.append(client)
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            data = client.recv(1)
            if not data:
                return
            head += data
        WATCH.saw("a proxy", (), head)
        self.heads.append(head)
        server = socket.create_connection(("127.0.0.1", self._target))
        self._sockets.append(server)
        client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        _begin(lambda: _pass_on(client, server))
        _pass_on(server, client)


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    _shut(sink)


def _begin(work: Callable[[], None]) -> None:
    def run() -> None:
        with suppress(OSError):
            work()

    threading.Thread(target=run, daemon=True).start()


def _shut(sock: socket.socket) -> None:
    with suppress(OSError):
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
