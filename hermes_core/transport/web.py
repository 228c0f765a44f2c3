"""Pages of the web, fetched for a tool: from public addresses alone, with nothing of the user's.

A name is looked up once, every address that it has is checked, and the connection goes to one of
these; a name that changes in between leads nowhere else. No cookie, key or user name is sent. A
redirect is followed within its host alone; one that leads elsewhere is told, since a person was
asked about the first host. Rules: IANA's special-purpose address registries (RFC 6890).
"""

import ipaddress
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from hermes_core.ground.errors import ConfigError, HermesError, Interrupted, ToolError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.version import __version__
from hermes_core.transport.apart import OutOfTime, run_apart
from hermes_core.transport.guard import origin
from hermes_core.transport.network import Network

if TYPE_CHECKING:
    from hermes_core.transport.sockets import Tap

MAX_BYTES = 5_000_000
MAX_REDIRECTS = 5
TIMEOUT = 30.0
"""Seconds for all of one page."""

_PORTS = (80, 443)
_NAMES = ("localhost", "metadata", "metadata.google.internal", "instance-data")
_ENDINGS = (".localhost", ".local", ".internal", ".intranet", ".lan", ".home.arpa", ".onion")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_TRANSLATED = ipaddress.ip_network("64:ff9b:1::/48")

Lookup = Callable[[str, int], Sequence[str]]
"""Returns the addresses of a host name and port; raises ``OSError``."""


@dataclass(frozen=True, slots=True)
class Page:
    """What stands at an address. ``url``: where it was found in the end; ``kind``: its type."""

    url: str
    status: int
    kind: str
    charset: str
    data: bytes
    truncated: bool = False


def place_of(url: str) -> tuple[str, str]:
    """Return a web address in its plain form, and the host that a person is asked about.

    Raises ``ToolError`` for what no tool may fetch, whoever is asked: another scheme or port, a
    user name, an address or a name of this machine or a local network.
    """
    text = url.strip()
    if "://" not in text:
        text = f"https://{text}"
    text = text.partition("#")[0]
    try:
        scheme, host, port = origin(text)
    except ConfigError:
        raise ToolError(
            f"{url[:200]!r} is no web address that can be fetched. Give one such as"
            " https://example.org/page, without a user name."
        ) from None
    bare = host.rstrip(".")
    if port not in _PORTS:
        raise ToolError(f"Port {port} is not one of the web. Only ports 80 and 443 are fetched.")
    if bare in _NAMES or bare.endswith(_ENDINGS) or "." not in bare.replace(":", "."):
        raise _not_public(host)
    if _is_address(bare) and not is_public(bare):
        raise _not_public(host)
    return text, bare if scheme == "https" else f"http://{bare}"


def is_public(address: str) -> bool:
    """Return whether an IP address is one of the public internet, whatever it is written as."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        if ip in _NAT64:
            return is_public(str(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)))
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is not None and not is_public(str(inner)):
            return False
        if ip in _TRANSLATED or ip.is_site_local:
            return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def look_up(host: str, port: int) -> list[str]:
    """Return every address of ``host``; raises ``OSError``."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def fetch_page(
    url: str,
    *,
    network: Network | None = None,
    interrupt: Interrupt | None = None,
    lookup: Lookup = look_up,
    allowed: Callable[[str], bool] = is_public,
    timeout: float = TIMEOUT,
) -> Page:
    """Return the page at ``url``, an address as ``place_of`` returns it.

    Behind a proxy the proxy looks names up; addresses that are written out are checked here all
    the same. Raises ``ToolError`` for what cannot be had, and ``Interrupted`` within moments.
    """
    call = _Call(url, network or Network(), lookup, allowed)
    try:
        return run_apart(call.follow, interrupt or Interrupt(), timeout, "web")
    except OutOfTime:
        raise ToolError(f"{url} was not there within {timeout:g} s.") from None
    except HermesError:
        raise
    except Exception as error:
        raise ToolError(f"{url} could not be fetched: {_reason(error)}.") from None


class _Call:
    """One page, wherever within its host it stands."""

    def __init__(
        self, url: str, network: Network, lookup: Lookup, allowed: Callable[[str], bool]
    ) -> None:
        self._url = url
        self._network = network
        self._lookup = lookup
        self._allowed = allowed

    def follow(self, tap: "Tap") -> Page:
        """Fetch the page, through the redirects that may be followed."""
        url = self._url
        for _ in range(MAX_REDIRECTS + 1):
            found = self._get(url, tap)
            if isinstance(found, Page):
                return found
            following, host = place_of(urljoin(url, found))
            if host != place_of(url)[1] and host != urlsplit(url).hostname:
                raise ToolError(
                    f"{url} leads on to another host: {following}. Fetch that address, if it is"
                    " what you want."
                )
            url = following
        raise ToolError(f"{self._url} leads on to other addresses without end.")

    def _get(self, url: str, tap: "Tap") -> Page | str:
        """Return the page, or where it is said to be now."""
        from hermes_core.transport.answers import headers_of
        from hermes_core.transport.pinned import request_page

        address = None if self._network.proxy else self._address(url)
        headers = [
            ("User-Agent", f"hermes-editor-agent/{__version__}"),
            ("Accept", "text/html, text/markdown, text/plain, application/json;q=0.9, */*;q=0.1"),
            ("Accept-Encoding", "gzip"),
        ]
        with request_page(url, address, headers, self._network) as response:
            answered = headers_of(response)
            if response.status in (301, 302, 303, 307, 308) and "location" in answered:
                return answered["location"]
            data, truncated = _read(response)
        if tap.is_cut:
            raise Interrupted
        kind, _, rest = answered.get("content-type", "").partition(";")
        charset = rest.lower().partition("charset=")[2].partition(";")[0].strip("\"' ")
        return Page(url, response.status, kind.strip().lower(), charset, data, truncated)

    def _address(self, url: str) -> str:
        _, host, port = origin(url)
        try:
            addresses = self._lookup(host, port)
        except OSError as error:
            reason = error.strerror or "the name is not known"
            raise ToolError(f"{host} was not found: {reason}.") from None
        refused = [one for one in addresses if not self._allowed(one)]
        if refused or not addresses:
            raise _not_public(host)
        return addresses[0]


def _read(response: Any) -> tuple[bytes, bool]:
    from hermes_core.transport.answers import body_of

    data = bytearray()
    for chunk in body_of(response):
        data += chunk
        if len(data) > MAX_BYTES:
            return bytes(data[:MAX_BYTES]), True
    return bytes(data), False


def _is_address(host: str) -> bool:
    """Return whether ``host`` is an address, also in a form that only some programs read."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        last = host.rpartition(".")[2]
        return last.isdigit() or last.lower().startswith("0x")
    return True


def _not_public(host: str) -> ToolError:
    return ToolError(
        f"{host} is not on the public internet, so it is not fetched. If the user wants it, ask"
        " them to run a command that reads it."
    )


def _reason(error: BaseException) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:200].rstrip(".")
