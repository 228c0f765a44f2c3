"""Clients connected to a running program, one for each test or one for each module."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest
import pytest_lsp
from pytest_lsp import ClientServerConfig

from tests.e2e.client import AcpClient
from tests.e2e.stage import COMMAND, Stage

FULL = ClientServerConfig(server_command=COMMAND, client_factory=AcpClient)
BARE = ClientServerConfig(
    server_command=COMMAND, client_factory=partial(AcpClient, capabilities={}, name=None)
)


@pytest_lsp.fixture(config=FULL)
async def client(connected: AcpClient) -> AsyncIterator[None]:
    """A client that announces files and terminals, and a program of its own for this test."""
    await connected.initialize()
    yield


@pytest_lsp.fixture(config=FULL, scope="module")
async def agent(connected: AcpClient) -> AsyncIterator[None]:
    """The same, with one program for the whole module; see ``tidy``."""
    await connected.initialize()
    yield


@pytest_lsp.fixture(config=BARE, scope="module")
async def bare(connected: AcpClient) -> AsyncIterator[None]:
    """A client that announces nothing at all, for the whole module."""
    await connected.initialize()
    yield


@pytest.fixture(autouse=True)
def tidy(request: pytest.FixtureRequest) -> Iterator[None]:
    """Leave a shared client as it was, and see that the script was played to its end."""
    shared = [name for name in ("agent", "bare") if name in request.fixturenames]
    yield
    for name in shared:
        client: AcpClient = request.getfixturevalue(name)
        client.editor.reset()
        assert client.stage.provider.left == 0
        assert client.stage.provider.unexpected == []


@pytest.fixture
def stage() -> Iterator[Stage]:
    """A stage that outlives the program, for tests that start it more than once."""
    made = Stage()
    yield made
    made.close()


@pytest.fixture
def running() -> Callable[..., Any]:
    """Return a context manager: a program on a given stage, initialized."""

    @asynccontextmanager
    async def run(stage: Stage, **options: Any) -> AsyncIterator[AcpClient]:
        client = AcpClient(stage, **options)
        await client.start()
        try:
            await client.initialize()
            yield client
        except BaseException:
            if client.process.returncode is None:
                client.process.kill()
            raise
        finally:
            await client.stop()

    return run
