"""How an endpoint is reached: time limits, a proxy, further certificates."""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from hermes_core.ground.errors import ConfigError
from hermes_core.local.config import Config
from hermes_core.transport.guard import is_loopback, origin


@dataclass(frozen=True, slots=True)
class Network:
    """Settings of a connection.

    idle_timeout: seconds without a byte from the endpoint after which it counts as stalled.
    connect_timeout: seconds for the connection and for the TLS handshake, each.
    proxy: address of an HTTP proxy, for https endpoints. ca_file: certificates to trust besides
        the system's.
    environment: makes the environment of an endpoint that is a program.
    """

    idle_timeout: float = 300.0
    connect_timeout: float = 20.0
    proxy: str | None = None
    ca_file: str | None = None
    environment: Callable[[], dict[str, str]] | None = None


_PROGRAM_VARIABLES = (
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"),
    *("DBUS_SESSION_BUS_ADDRESS", "NODE_EXTRA_CA_CERTS"),
)
"""What a program needs, besides what commands get, to reach its service and its own login."""


def network_for(config: Config, url: str) -> Network:
    """Return the settings for ``url``.

    A proxy comes from ``HTTPS_PROXY`` or ``ALL_PROXY``, unless ``NO_PROXY`` names the host; only
    encrypted traffic goes through it. Certificates come from ``SSL_CERT_FILE`` in
    ``$HERMES_HOME/.env`` alone: with both from the process environment, a project's environment
    file could read the traffic. Raises ``ConfigError`` for a proxy that is not spoken.
    """
    return Network(
        idle_timeout=config.api_timeout,
        proxy=_proxy(config.variable, url),
        ca_file=config.user_env.get("SSL_CERT_FILE") or None,
        environment=lambda: _environment(config),
    )


def _environment(config: Config) -> dict[str, str]:
    """Return what a program that stands in for an endpoint is started with; no keys."""
    from hermes_core.local.environment import child_environment

    passed = {name: value for name in _PROGRAM_VARIABLES if (value := config.env.get(name))}
    return {**child_environment(config), **passed}


def _proxy(variable: Callable[[str], str | None], url: str) -> str | None:
    if not url.startswith("https:"):
        return None
    _, host, port = origin(url)
    if is_loopback(host):
        return None
    names = ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
    proxy = next((value for name in names if (value := variable(name))), None)
    excluded = variable("NO_PROXY") or variable("no_proxy") or ""
    if proxy is None or _matches(excluded, host, port):
        return None
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    if not _is_address(proxy):
        raise ConfigError(
            "HTTPS_PROXY names no address of a proxy. Set it to one such as "
            "http://proxy.example:3128, or unset it."
        )
    if urlsplit(proxy).scheme not in ("http", "https"):
        raise ConfigError(
            "HTTPS_PROXY names a proxy that is not HTTP, which is not supported. Set it to an "
            "http:// address, or name the endpoint's host in NO_PROXY."
        )
    return proxy


def _is_address(proxy: str) -> bool:
    try:
        parts = urlsplit(proxy)
        named = bool(parts.scheme and parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return named and proxy.isascii() and proxy.isprintable() and " " not in proxy


def _matches(excluded: str, host: str, port: int) -> bool:
    for entry in excluded.replace(",", " ").lower().split():
        name = entry.removeprefix("*").lstrip(".")
        if entry == "*" or name in (host, f"{host}:{port}") or host.endswith(f".{name}"):
            return True
    return False
