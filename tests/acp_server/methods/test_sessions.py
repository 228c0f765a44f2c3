"""How sessions are loaded and listed."""

import asyncio
import threading
from pathlib import Path

import pytest

from acp_server.methods.connection import Connection, Options
from acp_server.methods.kept import cursor_of, position, session_info
from acp_server.methods.sessions import load
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
