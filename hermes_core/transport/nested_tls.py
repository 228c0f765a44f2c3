"""TLS inside TLS: an endpoint behind a proxy that is itself reached by TLS."""

import ssl
from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

_PIECE: Final = 65_536
_T = TypeVar("_T")


class NestedTls:
    """A TLS connection over ``outer``, with what is used of a socket."""

    def __init__(self, outer: ssl.SSLSocket, context: ssl.SSLContext, name: str | None) -> None:
        self._outer = outer
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=name)

    def do_handshake(self) -> None:
        """Agree with the other side. Raises as a socket does."""
        self._run(self._tls.do_handshake)

    def recv(self, size: int) -> bytes:
        """Return what has arrived; b"" at the end."""
        try:
            return self._run(lambda: self._tls.read(size))
        except ssl.SSLZeroReturnError:
            return b""

    def sendall(self, data: bytes) -> None:
        """Send all of ``data``."""
        view = memoryview(data)
        while view:
            sent = self._run(partial(self._tls.write, view))
            view = view[sent:]

    def settimeout(self, seconds: float | None) -> None:
        """Limit the time of every wait."""
        self._outer.settimeout(seconds)

    def gettimeout(self) -> float | None:
        """Return that limit."""
        return self._outer.gettimeout()

    def fileno(self) -> int:
        """Return the file descriptor, negative once closed."""
        return self._outer.fileno()

    def close(self) -> None:
        """Close the connection."""
        self._outer.close()

    def _run(self, act: Callable[[], _T]) -> _T:
        while True:
            try:
                result = act()
            except ssl.SSLWantReadError:
                self._send()
                data = self._outer.recv(_PIECE)
                if data:
                    self._incoming.write(data)
                else:
                    self._incoming.write_eof()
            else:
                self._send()
                return result

    def _send(self) -> None:
        if self._outgoing.pending:
            self._outer.sendall(self._outgoing.read())
