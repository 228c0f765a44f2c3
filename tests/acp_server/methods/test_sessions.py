"""How sessions are loaded and listed."""

import asyncio
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from acp_server.methods.connection import Connection, Options
from acp_server.methods.kept import cursor_of, position, session_info
from acp_server.methods.sessions import load, new
from acp_server.rpc.errors import INVALID_PARAMS, INVALID_REQUEST, RpcError
from acp_server.rpc.server import AcpServer
from hermes_core.sessions.store import SessionRow, Store


class SlowStore(Connection):
    """A connection whose store opens at the word of the test."""

    gate: threading.Event

    def store(self) -> Store:
        assert self.gate.wait(60)
        return super().store()


async def test_a_session_that_is_being_loaded_is_not_to_be_used(tmp_path: Path) -> None:
    for name in ("home", "work"):
        (tmp_path / name).mkdir()
    options = Options(environ={"HERMES_HOME": str(tmp_path / "home")})
    connection = SlowStore(AcpServer(), options)
    connection.gate = threading.Event()
    connection.warmed = True
    stored = Connection(AcpServer(), options)
    stored.store().create_session(SessionRow("s1", str(tmp_path / "work")))
    await stored.close()
    params = {"sessionId": "s1", "cwd": str(tmp_path / "work"), "mcpServers": []}
    loading = asyncio.create_task(load(connection, params))
    await asyncio.sleep(0)
    with pytest.raises(RpcError, match="being loaded") as early:
        connection.session("s1")
    with pytest.raises(RpcError, match="being loaded") as again:
        await load(connection, params)
    assert early.value.code == again.value.code == INVALID_REQUEST
    connection.gate.set()
    await loading
    assert connection.session("s1").id == "s1"
    await connection.close()


class HeldServer(AcpServer):
    """A server whose client takes its first message at the word of the test."""

    def __init__(self) -> None:
        super().__init__()
        self.began, self.gate = threading.Event(), threading.Event()
        self.shown: list[str] = []

    def notify(self, method: str, params: Mapping[str, Any], **_: Any) -> bool:
        self.began.set()
        assert self.gate.wait(60)
        self.shown.append(method)
        return True


async def test_a_loading_that_is_cancelled_is_answered_after_the_last_it_shows(
    tmp_path: Path,
) -> None:
    for name in ("home", "work"):
        (tmp_path / name).mkdir()
    options = Options(environ={"HERMES_HOME": str(tmp_path / "home")})
    server = HeldServer()
    connection = Connection(server, options)
    connection.store().create_session(SessionRow("s1", str(tmp_path / "work")))
    params = {"sessionId": "s1", "cwd": str(tmp_path / "work"), "mcpServers": []}
    loading = asyncio.create_task(load(connection, params))
    await asyncio.to_thread(server.began.wait, 60)
    loading.cancel()
    for _ in range(10):
        await asyncio.sleep(0)
    assert not loading.done()
    server.gate.set()
    with pytest.raises(asyncio.CancelledError):
        await loading
    shown = len(server.shown)
    assert shown
    await connection.close()
    assert len(server.shown) == shown


class Watched(dict[str, str]):
    """An environment that knows which threads looked into it."""

    threads: set[int]

    def get(self, key: str, default: Any = None) -> Any:
        self.threads.add(threading.get_ident())
        return super().get(key, default)


async def test_folders_are_looked_at_beside_the_loop(tmp_path: Path) -> None:
    for name in ("home", "work"):
        (tmp_path / name).mkdir()
    environ = Watched({"HERMES_HOME": str(tmp_path / "home")})
    environ.threads = set()
    connection = Connection(AcpServer(), Options(environ=environ))
    connection.warmed = True
    await new(connection, {"cwd": str(tmp_path / "work")})
    assert environ.threads
    assert threading.get_ident() not in environ.threads
    await connection.close()


def test_a_session_is_told_with_what_it_has() -> None:
    row = SessionRow("s1", "/w", ("/v",), "A title", updated=1_700_000_000.5)
    assert session_info(row) == {
        "sessionId": "s1",
        "cwd": "/w",
        "title": "A title",
        "updatedAt": "2023-11-14T22:13:20.500Z",
        "archived": False,
        "additionalDirectories": ["/v"],
    }
    least = {"sessionId", "cwd", "updatedAt", "archived"}
    assert set(session_info(SessionRow("s1", "/w"))) == least


@pytest.mark.parametrize("updated", [0.0, 1_700_000_000.123456, 2**40 + 0.1])
def test_a_cursor_is_the_position_of_a_row(updated: float) -> None:
    row = SessionRow("é-\ud800", "/w", updated=updated)
    assert position(cursor_of(row)) == (updated, row.id)


@pytest.mark.parametrize("cursor", ["", "nonsense", "bnVsbA==", "WzFd", "WyJhIiwiYiJd", "é"])
def test_a_cursor_of_others_is_refused(cursor: str) -> None:
    with pytest.raises(RpcError) as refused:
        position(cursor)
    assert refused.value.code == INVALID_PARAMS
