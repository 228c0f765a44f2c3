"""The streams of an MCP server that is reached over HTTP, in either of the two ways."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from hermes_core.local.config import Config
from hermes_core.local.mcp_settings import McpServer
from hermes_core.transport.mcp_http import LONGEST_EVENT, check_address, mcp_client
from hermes_core.transport.network import network_for

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams


@asynccontextmanager
async def web_streams(
    server: McpServer, config: Config, *, patient: bool = False
) -> "AsyncIterator[TransportStreams]":
    """Talk to a server over HTTP while the block runs.

    patient: whether it may be silent for as long as a person thinks; calls end all the same.
    Raises ``ConfigError`` for an address that may not be one.
    """
    check_address(server.url, saved=server.saved)
    network = network_for(config, server.url)
    seconds = None if patient else server.timeout
    if server.carrier == "sse":
        from mcp.client.sse import sse_client

        def client(*_: Any, **__: Any) -> Any:
            return mcp_client(server.url, server.headers, network, seconds)

        async with sse_client(server.url, httpx_client_factory=client) as streams:
            yield streams
        return
    from mcp.client.streamable_http import streamable_http_client

    async with (
        mcp_client(server.url, server.headers, network, seconds) as http,
        streamable_http_client(
            server.url, http_client=http, max_sse_event_size=LONGEST_EVENT
        ) as streams,
    ):
        yield streams
