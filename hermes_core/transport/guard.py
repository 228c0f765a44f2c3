"""Where a request may go, and what a key may travel with. Everything that is sent passes here."""

import ipaddress
from urllib.parse import SplitResult, urlsplit

from hermes_core.ground.errors import ConfigError
from hermes_core.ground.runtime import Runtime

_PORTS = {"http": 80, "https": 443}


def origin(url: str) -> tuple[str, str, int]:
    """Return scheme, host and port of ``url``; host names are in lower case.

    Raises ``ConfigError`` for anything but an ``http`` or ``https`` address with a host, and for
    one that carries a user name, a password, a fragment or white space.
    """
    parts = _split(url)
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ConfigError(
            f"{url!r} is no address of an endpoint. Begin it with https://, or with http:// on "
            "this machine or a network that you trust, and name the host."
        )
    if parts.username is not None or parts.password is not None:
        raise ConfigError(
            "The endpoint's address holds a user name or password. Put the key into model.api_key."
        )
    port = parts.port if parts.port is not None else _PORTS[parts.scheme]
    return parts.scheme, parts.hostname.lower(), port


def host_of(url: str) -> str:
    """Return ``host:port``, the form in which a key names where it may go.

    Plain http at the port of https is another place: what may go there encrypted may not go so.
    """
    scheme, host, port = origin(url)
    return f"{'http://' if scheme == 'http' and port == 443 else ''}{host}:{port}"


def is_loopback(host: str) -> bool:
    """Tell whether ``host`` is this machine, without asking anybody."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check(runtime: Runtime, url: str) -> None:
    """Raise ``ConfigError`` unless a request of ``runtime`` may go to ``url``.

    A key goes only to the hosts it names. Plain http goes to loopback, or to an endpoint that the
    user chose.
    """
    scheme, host, _ = origin(url)
    if runtime.api_key and (place := host_of(url)) not in runtime.hosts:
        allowed = ", ".join(sorted(runtime.hosts)) or "no host"
        raise ConfigError(
            f"The key for {runtime.provider} may go to {allowed}, but not to {place}. "
            "Save a key for that endpoint with it, in model.base_url and model.api_key."
        )
    if scheme == "http" and not is_loopback(host) and not runtime.plain_http:
        raise ConfigError(
            f"{host} would be reached without TLS. Use https://, or save the address as "
            "model.base_url if you trust the network."
        )


def _split(url: str) -> SplitResult:
    odd = not url.isascii() or not url.isprintable() or " " in url
    try:
        parts = urlsplit(url)
        readable = not odd and parts.port != 0 and not parts.fragment
    except ValueError:
        readable = False
    if not readable:
        raise ConfigError(f"{url!r} is no address of an endpoint.")
    return parts
