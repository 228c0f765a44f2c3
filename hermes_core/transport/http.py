"""The HTTP carrier: one POST, its answer as a stream of JSON objects.

It drives httpcore, the connection engine of httpx, without httpx's client around it: nothing is
wanted here of redirects, cookies, ambient credentials or proxies, and the engine alone loads in
less than half the time. One connection pool an endpoint lives as long as the process.
"""

import contextlib
import json
import ssl
import threading
import zlib
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import httpcore

from hermes_core.ground.errors import (
    ConfigError,
    ConnectionFailed,
    Interrupted,
    MalformedResponse,
    ProviderError,
    StreamCut,
)
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.transport import failures
from hermes_core.transport.guard import host_of, origin
from hermes_core.transport.network import Network
from hermes_core.transport.sockets import Tap, TappedBackend, using
from hermes_core.transport.tls import trusted_context
from hermes_core.wire.sse import END, decode

_KEEP_SECONDS: Final = 55.0
_ERROR_BODY: Final = 64 * 1024
_ERROR_SECONDS: Final = 5.0
_LINGER_SECONDS: Final = 0.02
"""How long the end of a finished answer is waited for, so that its connection can be used again."""

_POOLS: dict[tuple[Any, ...], httpcore.ConnectionPool] = {}
_POOLS_LOCK = threading.Lock()


def pool_for(url: str, network: Network) -> httpcore.ConnectionPool:
    """Return the pool for the endpoint of ``url``, made at the first use."""
    key = (origin(url), network.proxy, network.ca_file)
    with _POOLS_LOCK:
        pool = _POOLS.get(key)
        if pool is None:
            pool = _POOLS[key] = _new_pool(url, network)
        return pool


@contextlib.contextmanager
def post(
    runtime: Runtime,
    url: str,
    body: dict[str, Any],
    *,
    headers: list[tuple[str, str]],
    network: Network,
    tap: Tap,
    interrupt: Interrupt,
) -> Iterator[Iterator[dict[str, Any]]]:
    """Send ``body`` as JSON and yield the answer's objects, ``END`` last where the server said so.

    Raises a ``ProviderError`` of the class that fits, ``Interrupted`` if ``tap`` was cut, and
    ``ConfigError`` for a certificate that is not trusted.
    """
    limits: dict[str, Any] = {
        "connect": network.connect_timeout,
        "read": network.idle_timeout,
        "write": network.idle_timeout,
    }
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    request = httpcore.Request(
        "POST",
        url,
        headers=[("Host", _host_header(url)), ("Content-Length", str(len(content))), *headers],
        content=content,
        extensions={"timeout": limits},
    )
    forget = interrupt.listen(tap.cut)
    try:
        with using(tap), _explained(runtime, network, tap) as progress:
            response = _send(pool_for(url, network), request, tap)
            try:
                if response.status != 200:
                    raise _refusal(runtime, response, tap)
                progress.append(response.status)
                yield _events(runtime, response, tap)
            finally:
                response.close()
    finally:
        forget()


def _new_pool(url: str, network: Network) -> httpcore.ConnectionPool:
    settings: dict[str, Any] = {
        "ssl_context": trusted_context(network.ca_file) if origin(url)[0] == "https" else None,
        "max_connections": None,
        "max_keepalive_connections": 4,
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


def _send(pool: httpcore.ConnectionPool, request: httpcore.Request, tap: Tap) -> httpcore.Response:
    """Return the response's head; a kept connection that its server had closed is tried anew."""
    try:
        return pool.handle_request(request)
    except (httpcore.NetworkError, httpcore.RemoteProtocolError):
        if tap.is_cut or tap.connections:
            raise
    return pool.handle_request(request)


def _events(runtime: Runtime, response: httpcore.Response, tap: Tap) -> Iterator[dict[str, Any]]:
    body = _body(response)
    try:
        for event in decode(body):
            if event is END:
                _drain(body, tap)
            elif event.get("error") or "choices" not in event:
                failure = failures.from_chunk(runtime, event)
                if failure is not None:
                    raise failure
            yield event
    except MalformedResponse as error:
        raise failures.malformed(runtime, str(error)) from None


def _body(response: httpcore.Response) -> Iterator[bytes]:
    coding = _header(response, b"content-encoding").strip().lower()
    if coding in ("", "identity"):
        yield from response.iter_stream()
        return
    if coding not in ("gzip", "deflate"):
        raise MalformedResponse(f"a body in the coding {coding!r}")
    inflater = zlib.decompressobj(wbits=47 if coding == "gzip" else zlib.MAX_WBITS)
    try:
        for data in response.iter_stream():
            yield inflater.decompress(data)
    except zlib.error:
        raise MalformedResponse("a compressed body that is damaged") from None


def _drain(body: Iterator[bytes], tap: Tap) -> None:
    """Read to the end of a body that has nothing more to say."""
    tap.limit = _LINGER_SECONDS
    with contextlib.suppress(httpcore.NetworkError, httpcore.TimeoutException):
        for _ in zip(range(8), body, strict=False):
            pass


def _refusal(runtime: Runtime, response: httpcore.Response, tap: Tap) -> ProviderError:
    tap.limit = _ERROR_SECONDS
    body = b""
    broken = (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError)
    with contextlib.suppress(MalformedResponse, *broken):
        for data in _body(response):
            body += data
            if len(body) >= _ERROR_BODY:
                break
    headers = {
        name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers
    }
    return failures.from_status(runtime, response.status, headers, body[:_ERROR_BODY])


@contextlib.contextmanager
def _explained(runtime: Runtime, network: Network, tap: Tap) -> Iterator[list[int]]:
    """Turn the engine's exceptions into ours; what it yields holds the status once there is one."""
    status: list[int] = []
    try:
        yield status
    except ProviderError:
        if tap.is_cut:
            raise Interrupted from None
        raise
    except (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError) as error:
        if tap.is_cut:
            raise Interrupted from None
        raise _broken(runtime, network, error, begun=bool(status)) from None
    except (httpcore.ProxyError, httpcore.UnsupportedProtocol) as error:
        raise ConfigError(
            f"The proxy refused the connection: {error}. Check HTTPS_PROXY."
        ) from None


def _broken(
    runtime: Runtime, network: Network, error: Exception, *, begun: bool
) -> ProviderError | ConfigError:
    where = host_of(runtime.base_url)
    cause = error.__cause__ or error.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return ConfigError(
            f"The certificate of {where} is not trusted: {cause.verify_message}. Check the clock, "
            "or name your organisation's certificates as SSL_CERT_FILE in .env."
        )
    kind = StreamCut if begun else ConnectionFailed
    return kind(
        _what_broke(error, where, network, begun=begun),
        provider=runtime.provider,
        model=runtime.model,
    )


def _what_broke(error: Exception, where: str, network: Network, *, begun: bool) -> str:
    if isinstance(error, httpcore.ConnectTimeout):
        return f"{where} did not take a connection within {network.connect_timeout:g} s."
    if isinstance(error, httpcore.TimeoutException):
        silent = f"sent nothing for {network.idle_timeout:g} s"
        return f"The answer stopped: {where} {silent}." if begun else f"{where} {silent}."
    if isinstance(error, httpcore.ConnectError):
        return f"{where} cannot be reached: {_reason(error)}."
    if begun:
        return f"The answer was cut off: the connection to {where} broke."
    return f"{where} closed the connection without an answer."


def _reason(error: Exception) -> str:
    cause = error.__cause__ or error.__context__
    if isinstance(cause, ssl.SSLError):
        return f"TLS failed ({cause.reason or 'no reason given'})"
    text = getattr(cause, "strerror", None) or str(cause or error) or "no reason given"
    return str(text).rstrip(".").lower()


def _header(response: httpcore.Response, name: bytes) -> str:
    found = (value for key, value in response.headers if key.lower() == name)
    return next(found, b"").decode("latin-1")


def _host_header(url: str) -> str:
    scheme, host, port = origin(url)
    name = f"[{host}]" if ":" in host else host
    return name if port == (443 if scheme == "https" else 80) else f"{name}:{port}"
