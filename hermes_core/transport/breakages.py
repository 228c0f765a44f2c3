"""What became of a connection, said in our errors and words."""

import contextlib
import ssl
from collections.abc import Iterator

import httpcore

from hermes_core.ground.errors import (
    ConfigError,
    ConnectionFailed,
    Interrupted,
    ProviderError,
    StreamCut,
)
from hermes_core.ground.runtime import Runtime
from hermes_core.transport.guard import host_of
from hermes_core.transport.network import Network
from hermes_core.transport.sockets import Tap

BROKEN = (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError)
"""What httpcore raises for a connection that does not work."""


@contextlib.contextmanager
def explained(runtime: Runtime, network: Network, tap: Tap) -> Iterator[list[int]]:
    """Turn httpcore's exceptions into ours.

    Into the list that it yields goes the status once there is one: what breaks later has cut the
    answer. Whatever breaks after ``tap`` was cut is ``Interrupted``.
    """
    status: list[int] = []
    try:
        yield status
    except ProviderError:
        if tap.is_cut:
            raise Interrupted from None
        raise
    except (httpcore.ProxyError, httpcore.UnsupportedProtocol) as error:
        if tap.is_cut:
            raise Interrupted from None
        raise ConfigError(
            f"The proxy refused the connection: {error}. Check HTTPS_PROXY."
        ) from None
    except BROKEN as error:
        if tap.is_cut:
            raise Interrupted from None
        raise _broken(runtime, network, error, begun=bool(status)) from None


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
    if isinstance(error, httpcore.RemoteProtocolError) and not begun and _is_foreign(error):
        return f"{where} answers, but not in proper HTTP; is it https:// where http:// is set?"
    if begun:
        return f"The answer was cut off: the connection to {where} broke."
    return f"{where} closed the connection without an answer."


def _is_foreign(error: Exception) -> bool:
    """Tell whether something came that is no proper HTTP, rather than nothing."""
    return "disconnected" not in str(error)


def _reason(error: Exception) -> str:
    cause = error.__cause__ or error.__context__
    if isinstance(cause, ssl.SSLError):
        return f"TLS failed ({cause.reason or 'no reason given'})"
    text = getattr(cause, "strerror", None) or str(cause or error) or "no reason given"
    return str(text).rstrip(".").lower()
