"""The HTTP client that the MCP SDK is given: one server's headers for that server alone."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hermes_core.ground.errors import ConfigError
from hermes_core.transport.guard import is_loopback, origin
from hermes_core.transport.network import Network
from hermes_core.transport.tls import trusted_context

if TYPE_CHECKING:
    import httpx2

LONGEST_EVENT = 32 * 1024 * 1024
"""Bytes of one message that is streamed."""


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
    url: str, headers: Sequence[tuple[str, str]], network: Network, seconds: float
) -> "httpx2.AsyncClient":
    """Return a client for one MCP server, in which no request can leave its origin.

    Proxy and certificates are those of our own requests; the environment is not read. seconds:
    without a byte from the server, after which it counts as silent.
    """
    import httpx2

    place = origin(url)

    async def guard(request: "httpx2.Request") -> None:
        if origin(str(request.url)) != place:
            raise ConfigError(f"An MCP server sent us from {place[1]} to another host. Refused.")

    timeout: Any = httpx2.Timeout(network.connect_timeout, read=seconds)
    return httpx2.AsyncClient(
        headers=list(headers),
        verify=trusted_context(network.ca_file),
        proxy=network.proxy,
        trust_env=False,
        timeout=timeout,
        follow_redirects=False,
        event_hooks={"request": [guard]},
    )
