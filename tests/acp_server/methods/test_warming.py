"""Getting ready: once, and without consequences when it fails."""

import logging
import threading
from pathlib import Path

import pytest

from acp_server.methods import warming
from acp_server.methods.connection import Connection, Options
from acp_server.rpc.server import AcpServer


@pytest.fixture
def connection(tmp_path: Path) -> Connection:
    environ = {"HERMES_HOME": str(tmp_path), "HOME": str(tmp_path), "PATH": "/nowhere"}
    return Connection(AcpServer(), Options(environ=environ))


def test_it_happens_once_for_a_connection(connection: Connection) -> None:
    before = set(threading.enumerate())
    warming.warm(connection)
    begun = [thread for thread in threading.enumerate() if thread not in before]
    warming.warm(connection)
    for thread in begun:
        thread.join(60)
    assert connection.warmed
    assert [thread.name for thread in begun].count("warm") <= 1


def test_a_step_that_fails_is_logged_and_the_rest_goes_on(
    connection: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    def broken(_: Connection) -> None:
        raise RuntimeError("no key")

    warming._try(broken, connection)
    assert "warming up broken failed: no key" in caplog.text
