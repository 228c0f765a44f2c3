"""Whether something listens at an endpoint on this machine; no other host is ever contacted."""

import socket

from hermes_core.ground.errors import ConfigError
from hermes_core.transport.guard import is_loopback, origin


def is_silent(url: str, timeout: float = 2.0) -> bool | None:
    """Return whether nothing accepts a connection at ``url``, within ``timeout`` seconds.

    Nothing is sent. Returns None for an address on another host, or for what is no address of an
    endpoint: then nothing was tried.
    """
    try:
        _, host, port = origin(url)
    except ConfigError:
        return None
    if not is_loopback(host):
        return None
    try:
        socket.create_connection((host, port), timeout).close()
    except OSError:
        return True
    return False
