"""Addresses that a person may be asked to open. Pure; nothing is looked up."""

import ipaddress
from urllib.parse import SplitResult, urlsplit

from hermes_core.ground.secrets import REDACTOR

LONGEST = 2_000
"""Characters of an address, which is always shown whole."""

_NEVER = frozenset(" \"'<>\\^`{|}")


def page_refusal(url: str) -> str | None:
    """Return why nobody should be sent to ``url``, as a clause about it; None if one may.

    It is https, or http on this machine; of characters that are all seen and stay where they are;
    and holds no name, password or known key.
    """
    if len(url) > LONGEST:
        return f"it is longer than {LONGEST:,} characters"
    if not url.isascii() or not url.isprintable() or _NEVER.intersection(url):
        return "it holds characters that do not belong into an address"
    parts = _split(url)
    if parts is None or not parts.hostname:
        return "it is no address"
    if "@" in parts.netloc:
        return "it holds the name of a user"
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_here(parts.hostname)):
        return "it is not https"
    return "it holds a key" if REDACTOR.redact(url) != url else None


def host_of_page(url: str) -> str:
    """Return the host that an address leads to, with a port that is not the usual one.

    A name in another script, which may look like a well-known one, is told as such.
    """
    parts = _split(url)
    host = parts.netloc if parts else ""
    marked = any(label.startswith("xn--") for label in host.lower().split("."))
    return f"{host} (a name in another script)" if marked else host


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts


def _is_here(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
