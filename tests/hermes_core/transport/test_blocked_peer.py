"""A provider that cannot send on, since nobody reads, notices an interrupted call at once."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import pytest

from hermes_core.ground.errors import Interrupted
from hermes_core.ground.interrupt import Interrupt
from hermes_core.transport.carrier import open_stream
from tests.hermes_core.transport.conftest import runtime_at

WATCHDOG = 20.0
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
EVENT = b'data: {"choices": [{"delta": {"content": "%s"}}]}\n\n' % (b"x" * 500)


class Pouring:
    """A server that sends events to its one client until it cannot.

    blocked: nothing could be sent for a moment. gone: the connection is known to be over.
    """

    def __init__(self) -> None:
        self.blocked = threading.Event()
        self.gone = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._listener.close()

    def _serve(self) -> None:
        peer, _ = self._listener.accept()
        with peer:
            peer.recv(65536)
            peer.sendall(HEAD)
            peer.settimeout(0.2)
            try:
                self._pour(peer)
            except OSError:
                self.gone.set()

    def _pour(self, peer: socket.socket) -> None:
        while True:
            try:
                peer.send(EVENT)
            except TimeoutError:
                self.blocked.set()
                peer.settimeout(WATCHDOG * 2)


@pytest.fixture
def server() -> Iterator[Pouring]:
    server = Pouring()
    yield server
    server.close()


@pytest.mark.parametrize("reads_on", [False, True])
def test_a_peer_that_is_blocked_notices_the_end(server: Pouring, reads_on: bool) -> None:
    host = server.url.split("/")[2]
    runtime = replace(runtime_at(server.url), hosts=frozenset({host}))
    interrupt = Interrupt()
    with (
        suppress(Interrupted),
        open_stream(runtime, {"model": "m", "messages": []}, interrupt=interrupt) as stream,
    ):
        next(iter(stream))
        assert server.blocked.wait(WATCHDOG)
        interrupt.set()
        for _ in stream if reads_on else ():
            pass
    assert server.gone.wait(WATCHDOG)
