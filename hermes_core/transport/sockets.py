"""The sockets under httpcore, with a hold on the one that a call is using.

httpcore's documented extension point (``NetworkBackend``) is what makes a blocked read end at
once: shutting the socket down from another thread wakes it, closing the response does not.
"""

import contextlib
import select
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import httpcore

from hermes_core.ground.errors import Interrupted
from hermes_core.transport.nested_tls import NestedTls

_STEADY: Final = 16
"""Reads after which an answer counts as a steady stream."""

_PACE: Final = 0.016
"""Seconds between reads of a steady stream: what arrives meanwhile is taken in one go, which
costs a wake-up a picture frame instead of one a token."""

_NO_LINGERING: Final = struct.pack("ii", 1, 0)
"""``SO_LINGER``, on, for no time: closing the socket resets the connection."""

_FLOOD: Final = 16 * 1024
"""Bytes of one read from which on the next does not wait."""


class Tap:
    """One call's hold on its socket.

    ``cut`` ends the call from any thread, wherever it is. ``before_wait`` is called, on the call's
    own thread, whenever everything received has been handed on and the next read may block.
    ``connections`` counts those that were made anew. ``limit`` (seconds), when set, replaces the
    time limit of reads.
    """

    def __init__(self, before_wait: Callable[[], None] | None = None) -> None:
        self.is_cut = False
        self.connections = 0
        self.limit: float | None = None
        self._before_wait = before_wait
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._reads = 0
        self._last_read = 0.0
        self._last_size = 0

    def cut(self) -> None:
        """Shut the socket down, now or as soon as there is one."""
        with self._lock:
            self.is_cut = True
            if self._socket is not None:
                _shut_down(self._socket)

    def attach(self, sock: socket.socket) -> None:
        """Hold ``sock``; raise ``Interrupted`` if the call was cut."""
        with self._lock:
            if self.is_cut:
                raise Interrupted
            self._socket = sock

    def release(self) -> None:
        """Let the socket go, back to the pool or closed."""
        with self._lock:
            self._socket = None

    def wait(self) -> None:
        """Prepare for a read."""
        if self._before_wait is not None:
            self._before_wait()
        self._reads += 1
        if self._reads > _STEADY:
            now = time.monotonic()
            rest = self._last_read + _PACE - now
            if rest > 0 and self._last_size < _FLOOD and self.limit is None:
                time.sleep(rest)
                now += rest
            self._last_read = now

    def received(self, size: int) -> None:
        """Note the size of a read."""
        self._last_size = size


class _Current(threading.local):
    tap: Tap | None = None


_CURRENT = _Current()


@contextlib.contextmanager
def using(tap: Tap) -> Iterator[None]:
    """Let ``tap`` hold the sockets that this thread uses."""
    _CURRENT.tap = tap
    try:
        yield
    finally:
        _CURRENT.tap = None
        tap.release()


class TappedStream(httpcore.NetworkStream):
    """A connection: a socket, or ``nested`` on top of it."""

    def __init__(self, sock: socket.socket, nested: NestedTls | None = None) -> None:
        self._held = sock
        self._socket = nested or sock

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what has arrived, up to ``max_bytes``; b"" at the end."""
        tap = _CURRENT.tap
        if tap is not None:
            tap.wait()
            timeout = timeout if tap.limit is None else tap.limit
        try:
            if self._socket.gettimeout() != timeout:
                self._socket.settimeout(timeout)
            data = self._socket.recv(max_bytes)
        except TimeoutError as error:
            raise httpcore.ReadTimeout from error
        except OSError as error:
            raise httpcore.ReadError(str(error)) from error
        if tap is not None:
            tap.received(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of ``buffer``."""
        if _CURRENT.tap is not None:
            _CURRENT.tap.attach(self._held)
        try:
            self._socket.settimeout(timeout)
            self._socket.sendall(buffer)
        except TimeoutError as error:
            raise httpcore.WriteTimeout from error
        except OSError as error:
            raise httpcore.WriteError(str(error)) from error

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        """Return the connection with TLS on top of it."""
        sock = self._held
        nested: NestedTls | None = None
        try:
            sock.settimeout(timeout)
            if isinstance(sock, ssl.SSLSocket):
                nested = NestedTls(sock, ssl_context, server_hostname)
                nested.do_handshake()
            else:
                # the handshake comes later, since the wrapper takes the connection from its socket
                wrapped = ssl_context.wrap_socket(
                    sock, server_hostname=server_hostname, do_handshake_on_connect=False
                )
                sock = wrapped
                if _CURRENT.tap is not None:
                    _CURRENT.tap.attach(sock)
                wrapped.do_handshake()
        except TimeoutError as error:
            sock.close()
            raise httpcore.ConnectTimeout from error
        except OSError as error:
            sock.close()
            raise httpcore.ConnectError(str(error)) from error
        except BaseException:
            sock.close()
            raise
        return TappedStream(sock, nested)

    def get_extra_info(self, info: str) -> Any:
        """Answer what httpcore asks: whether an idle connection was closed by its server."""
        if info == "is_readable":
            return _is_readable(self._socket)
        return self._socket if info == "socket" else None


class TappedBackend(httpcore.NetworkBackend):
    """Makes connections."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        *_unused: Any,
        **_unused_too: Any,
    ) -> httpcore.NetworkStream:
        """Connect to ``host``; every address of it is tried."""
        try:
            sock = _connected(host, port, timeout, _CURRENT.tap)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout from error
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        return TappedStream(sock)


def _connected(host: str, port: int, timeout: float | None, tap: Tap | None) -> socket.socket:
    """Return a connection to the first address of ``host`` that takes one."""
    failure = OSError("the name has no address")
    for family, kind, protocol, _, address in socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM
    ):
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(timeout)
            if tap is not None:
                tap.attach(sock)
            sock.connect(address)
            if tap is not None:
                tap.attach(sock)
                tap.connections += 1
        except OSError as error:
            sock.close()
            failure = error
        except Interrupted:
            sock.close()
            raise
        else:
            return sock
    raise failure


def _is_readable(sock: socket.socket | NestedTls) -> bool:
    if sock.fileno() < 0:
        return True
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(0))


def _shut_down(sock: socket.socket) -> None:
    """Wake whoever reads, and have the other side told by a reset once the socket is closed.

    Without it, one that is blocked by a full window may not notice for half a minute or longer:
    it is told that nobody sends any more, and not that nobody reads.
    """
    with contextlib.suppress(OSError):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGERING)
    # not the TLS socket's own method, which would take its session from under a reader
    with contextlib.suppress(OSError):
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
