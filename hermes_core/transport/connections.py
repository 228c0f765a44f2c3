"""Pooled connections, and one request over one of them.

httpcore, the connection engine of httpx, is driven without httpx's client around it: nothing is
wanted here of redirects, cookies, ambient credentials or proxies, and the engine alone loads in
less than half the time. Every carrier sends through here, so that a process has one engine and
one set of rules. One pool an endpoint lives as long as the process.
"""

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import httpcore

from hermes_core.ground.errors import ConfigError
from hermes_core.transport.guard import origin
from hermes_core.transport.network import Network
from hermes_core.transport.sockets import Tap, TappedBackend
from hermes_core.transport.tls import trusted_context

_KEEP_SECONDS: Final = 55.0
_KEPT: Final = 4
_FRAMING: Final = frozenset({"host", "content-length", "transfer-encoding"})
_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE: Final = re.compile(r"(?:[!-~](?:[\t -~]*[!-~])?)?")

_POOLS: dict[tuple[Any, ...], httpcore.ConnectionPool] = {}
_POOLS_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request as it is sent; ``Host`` and ``Content-Length`` are added."""

    method: str
    url: str
    headers: Sequence[tuple[str, str]] = ()
    content: bytes = b""


def pool_for(url: str, network: Network) -> httpcore.ConnectionPool:
    """Return the pool for the endpoint of ``url``, made at the first use."""
    key = (origin(url), network.proxy, network.ca_file)
    with _POOLS_LOCK:
        pool = _POOLS.get(key)
        if pool is None:
            pool = _POOLS[key] = _new_pool(url, network)
        return pool


def send(
    outgoing: Outgoing, network: Network, tap: Tap, *, once: bool = False
) -> httpcore.Response:
    """Return the response once its head is there; the caller closes it.

    A kept connection that its server had closed is tried anew, unless the request may reach the
    server ``once`` at most: then it has a connection of its own. Raises httpcore's exceptions.
    """
    limits: dict[str, Any] = {
        "connect": network.connect_timeout,
        "read": network.idle_timeout,
        "write": network.idle_timeout,
    }
    headers = [("Host", host_header(outgoing.url)), *_sendable(outgoing.headers)]
    if outgoing.content or outgoing.method != "GET":
        headers.insert(1, ("Content-Length", str(len(outgoing.content))))
    request = httpcore.Request(
        outgoing.method,
        outgoing.url,
        headers=headers,
        content=outgoing.content,
        extensions={"timeout": limits},
    )
    if once:
        return _new_pool(outgoing.url, network, kept=0).handle_request(request)
    pool = pool_for(outgoing.url, network)
    try:
        return pool.handle_request(request)
    except (httpcore.NetworkError, httpcore.RemoteProtocolError):
        if tap.is_cut or tap.connections:
            raise
    return pool.handle_request(request)


def host_header(url: str) -> str:
    """Return the value of the ``Host`` header for ``url``."""
    scheme, host, port = origin(url)
    name = f"[{host}]" if ":" in host else host
    return name if port == (443 if scheme == "https" else 80) else f"{name}:{port}"


def _sendable(headers: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield ``headers`` without those that belong to the connection.

    Raises ``ConfigError`` for one that no server would take, such as a key with a line's end.
    """
    for name, value in headers:
        if name.lower() in _FRAMING:
            continue
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            raise ConfigError(
                f"The header {name!r:.60} cannot be sent: it holds a character that none may have. "
                "Check the key for signs that were pasted with it, and model.extra_headers."
            )
        yield name, value


def _new_pool(url: str, network: Network, kept: int = _KEPT) -> httpcore.ConnectionPool:
    settings: dict[str, Any] = {
        "ssl_context": trusted_context(network.ca_file) if origin(url)[0] == "https" else None,
        "max_connections": None,
        "max_keepalive_connections": kept,
        "keepalive_expiry": _KEEP_SECONDS,
        "network_backend": TappedBackend(),
    }
    if network.proxy is None:
        return httpcore.ConnectionPool(**settings)
    proxy = urlsplit(network.proxy)
    if proxy.username is not None:
        settings["proxy_auth"] = (unquote(proxy.username), unquote(proxy.password or ""))
    if proxy.scheme == "https":
        settings["proxy_ssl_context"] = trusted_context(network.ca_file)
    return httpcore.HTTPProxy(network.proxy, **settings)
