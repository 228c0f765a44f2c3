"""A request whose connection goes to an address that was chosen before."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpcore

from hermes_core.transport.connections import host_header
from hermes_core.transport.guard import origin
from hermes_core.transport.network import Network
from hermes_core.transport.sockets import TappedBackend
from hermes_core.transport.tls import trusted_context


class PinnedBackend(TappedBackend):
    """Makes connections to ``address``, whatever name is asked for."""

    def __init__(self, address: str) -> None:
        self._address = address

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        *unused: Any,
        **unused_too: Any,
    ) -> httpcore.NetworkStream:
        """Connect to the address at ``port``."""
        del host
        return super().connect_tcp(self._address, port, timeout, *unused, **unused_too)


@contextmanager
def request_page(
    url: str, address: str | None, headers: Sequence[tuple[str, str]], network: Network
) -> Iterator[httpcore.Response]:
    """Yield the response to a GET; its body is read within.

    address: where the connection goes; None leaves it to the proxy of ``network``. The certificate
    is checked against the name in ``url`` all the same. Raises httpcore's exceptions.
    """
    limits = {
        "connect": network.connect_timeout,
        "read": network.idle_timeout,
        "write": network.idle_timeout,
    }
    context = trusted_context(network.ca_file) if origin(url)[0] == "https" else None
    pool: httpcore.ConnectionPool
    if address is None and network.proxy is not None:
        pool = httpcore.HTTPProxy(
            network.proxy, ssl_context=context, network_backend=TappedBackend()
        )
    else:
        backend = PinnedBackend(address or "")
        pool = httpcore.ConnectionPool(ssl_context=context, network_backend=backend)
    with (
        pool,
        pool.stream(
            "GET",
            url,
            headers=[("Host", host_header(url)), *headers],
            extensions={"timeout": limits},
        ) as response,
    ):
        yield response
