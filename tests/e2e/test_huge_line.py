"""Lines that no message is as long as: thrown away as they come, never held."""

from collections.abc import Callable
from typing import Any

import psutil
import pytest

from acp_server.rpc.reader import LINE_CAP
from tests.e2e.client import AcpClient
from tests.e2e.stage import Stage

MEGABYTE = 1 << 20
DEPTH = 200_000


def peak(client: AcpClient) -> int:
    """Return the most memory that the program has used, in bytes."""
    with open(f"/proc/{client.process.pid}/status", encoding="ascii") as status:
        line = next(line for line in status if line.startswith("VmHWM:"))
    return int(line.split()[1]) << 10


def answers(client: AcpClient) -> list[dict[str, Any]]:
    """Return the errors that answer no request of ours."""
    return [one for one in client.received if "error" in one and one.get("id") is None]


async def write(client: AcpClient, piece: bytes, times: int) -> None:
    stdin = client.process.stdin
    assert stdin is not None
    for _ in range(times):
        stdin.write(piece)
        await stdin.drain()


@pytest.mark.skipif(not psutil.LINUX, reason="the peak is told by /proc")
async def test_a_line_of_600_megabytes_costs_no_more_than_the_cap(
    stage: Stage, running: Callable[..., Any]
) -> None:
    async with running(stage) as client:
        before = peak(client)
        await write(client, b"x" * MEGABYTE, 600)
        await write(client, b"\n", 1)
        await client.wait_for(lambda: answers(client))
        assert answers(client)[-1]["error"]["code"] == -32600
        assert peak(client) - before < 2 * LINE_CAP
        session = await client.new_session()
        assert session.id


@pytest.mark.skipif(not psutil.LINUX, reason="the peak is told by /proc")
async def test_a_line_nested_beyond_sense_is_refused_cheaply(
    stage: Stage, running: Callable[..., Any]
) -> None:
    async with running(stage) as client:
        before = peak(client)
        await write(client, b"[" * DEPTH + b"]" * DEPTH + b"\n", 1)
        await client.wait_for(lambda: answers(client))
        assert answers(client)[-1]["error"]["code"] == -32700
        assert peak(client) - before < 50 * MEGABYTE
        assert (await client.new_session()).id
