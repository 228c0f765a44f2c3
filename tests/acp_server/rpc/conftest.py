from collections.abc import Iterator

import pytest

from acp_server.rpc.server import AcpServer
from tests.acp_server.rpc.harness import EchoServer, Serve, Wire


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Return a function that runs a server for this test, initialized."""
    running: list[Wire] = []

    def start(server: AcpServer) -> Wire:
        wire = Wire(server)
        running.append(wire)
        if "initialize" in server.protocol.requests:
            assert "result" in wire.call("initialize", msg_id="first")
        return wire

    yield start
    for wire in running:
        wire.close()


@pytest.fixture
def wire(serve: Serve) -> Wire:
    """Return a running echo server."""
    return serve(EchoServer())
