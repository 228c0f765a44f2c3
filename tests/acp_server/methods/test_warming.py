"""Getting ready: once, and without consequences when it fails."""

import logging
import threading

import pytest

from acp_server.methods.connection import Connection, Options
from acp_server.methods.warming import warm
from acp_server.rpc.server import AcpServer

PATIENCE = 60.0


@pytest.fixture
def connection() -> Connection:
    return Connection(AcpServer(), Options(environ={}))


def test_it_happens_once_for_a_connection_and_off_the_callers_thread(
    connection: Connection,
) -> None:
    threads = []
    done = threading.Event()

    def step(given: Connection) -> None:
        assert given is connection
        threads.append(threading.current_thread().name)
        done.set()

    warm(connection, [step])
    assert done.wait(PATIENCE)
    warm(connection, [step])
    assert threads == ["warm"]


def test_a_step_that_fails_is_logged_and_the_rest_goes_on(
    connection: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    done = threading.Event()

    def broken(_: Connection) -> None:
        raise RuntimeError("no key")

    warm(connection, [broken, lambda _: done.set()])
    assert done.wait(PATIENCE)
    assert "warming up broken failed: no key" in caplog.text
