"""The HTTP client that the MCP SDK is given: one server's headers for that server alone."""

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any

from hermes_core.ground.errors import ConfigError
from hermes_core.transport.guard import is_loopback, origin
from hermes_core.transport.network import Network
from hermes_core.transport.tls import trusted_context

if TYPE_CHECKING:
    import httpx2

LONGEST_EVENT = 32 * 1024 * 1024
"""Bytes of one message, in a stream or as a body of its own."""

_GAPS = (b"\n\n", b"\r\r", b"\r\n\r\n")


def check_address(url: str, *, saved: bool) -> None:
    """Raise ``ConfigError`` unless ``url`` may be the address of an MCP server.

    Plain http goes to this machine, or to an address that stands in the user's own settings.
    """
    scheme, host, _ = origin(url)
    if scheme == "http" and not is_loopback(host) and not saved:
        raise ConfigError(
            f"{host} would be reached without TLS. Use https://, or put the server into "
            "mcp_servers of config.yaml if you trust the network."
        )


def mcp_client(
    url: str, headers: Sequence[tuple[str, str]], network: Network, seconds: float | None
) -> "httpx2.AsyncClient":
    """Return a client for one MCP server, in which no request can leave its origin.

    Proxy and certificates are those of our own requests; the environment is not read. seconds:
    without a byte from the server, after which it counts as silent, None for never. No message is
    longer than ``LONGEST_EVENT``, and none comes packed, since what it unpacks to has no bound.
    """
    import httpx2

    place = origin(url)

    async def guard(request: "httpx2.Request") -> None:
        if origin(str(request.url)) != place:
            raise ConfigError(f"An MCP server sent us from {place[1]} to another host. Refused.")

    async def bound(response: "httpx2.Response") -> None:
        packed = response.headers.get("content-encoding", "identity").strip().lower()
        if packed not in ("", "identity"):
            raise httpx2.DecodingError(f"it sent {packed[:20]!r}, which was not asked for")
        streamed = response.headers.get("content-type", "").startswith("text/event-stream")
        response.stream = _bounded(response.stream, streamed=streamed)

    timeout: Any = httpx2.Timeout(network.connect_timeout, read=seconds)
    return httpx2.AsyncClient(
        headers=[*headers, ("accept-encoding", "identity")],
        verify=trusted_context(network.ca_file),
        proxy=network.proxy,
        trust_env=False,
        timeout=timeout,
        follow_redirects=False,
        event_hooks={"request": [guard], "response": [bound]},
    )


def _bounded(stream: Any, *, streamed: bool) -> "httpx2.AsyncByteStream":
    """Return a body that raises ``ReadError`` once a message in it is too long."""
    import httpx2

    class Bounded(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            length = Length(streamed=streamed)
            async for chunk in stream:
                if length.add(chunk) > LONGEST_EVENT:
                    raise httpx2.ReadError(f"it sent more than {LONGEST_EVENT:,} bytes at once")
                yield chunk

        async def aclose(self) -> None:
            await stream.aclose()

    return Bounded()


class Length:
    """Counts the bytes of the message that is coming: of the body, or since the last event."""

    def __init__(self, *, streamed: bool) -> None:
        self._streamed = streamed
        self._count = 0
        self._tail = b""

    def add(self, chunk: bytes) -> int:
        """Take in the next bytes; return the length of the message so far."""
        self._count += len(chunk)
        if self._streamed:
            seen = self._tail + chunk
            ends = [at + len(gap) for gap in _GAPS if (at := seen.rfind(gap)) >= 0]
            if ends:
                self._count = len(seen) - max(ends)
            self._tail = seen[-3:]
        return self._count
