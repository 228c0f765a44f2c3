"""What an MCP server sends over HTTP is bounded, and never unpacked."""

import asyncio

import httpx2
import pytest

from hermes_core.transport import mcp_http
from hermes_core.transport.mcp_http import Length, mcp_client
from hermes_core.transport.network import Network
from tests.fakes.mcp_http import endless


async def read(url: str) -> None:
    async with mcp_client(url, (), Network(), 10) as client:
        await client.get(url)


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_an_endless_body_is_given_up(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_http, "LONGEST_EVENT", 100_000)
    with (
        endless({"content-type": kind}, b"x" * 5_000) as url,
        pytest.raises(httpx2.ReadError, match="more than 100,000 bytes"),
    ):
        asyncio.run(read(url))


def test_what_is_packed_unasked_is_refused() -> None:
    with (
        endless({"content-encoding": "gzip"}, b"x") as url,
        pytest.raises(httpx2.DecodingError, match="not asked for"),
    ):
        asyncio.run(read(url))


@pytest.mark.parametrize("gap", [b"\n\n", b"\r\r", b"\r\n\r\n"])
def test_a_stream_may_be_long_if_its_events_are_not(gap: bytes) -> None:
    length = Length(streamed=True)
    assert length.add(b"data: 1") == 7
    for at in range(len(gap)):
        seen = length.add(gap[at : at + 1])
    assert seen == 0
    assert length.add(b"data") == 4


def test_a_body_of_its_own_is_counted_whole() -> None:
    length = Length(streamed=False)
    length.add(b"a\n\n")
    assert length.add(b"b\n\n") == 6
