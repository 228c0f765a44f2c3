"""What the two SDKs have in common here: they shape a request, and ours is what carries it.

An SDK client is given an ``httpx2`` client whose transport is the ``Bridge``. It takes over the
SDK's path, body and API version (and signature), sends them as every other request is sent, with
our headers, guard, pool, proxy, certificates and hold on the socket, and keeps the answer, so that
the events are read from underneath the SDK. Nothing that the SDK finds in the environment goes
out: of its headers, only those that are named are taken.
"""

import contextlib
import logging
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final

import httpcore
import httpx2

from hermes_core.ground.errors import ConfigError, HermesError
from hermes_core.transport import guard
from hermes_core.transport.answers import Decode, body_of, events, refusal
from hermes_core.transport.breakages import explained
from hermes_core.transport.call import Call
from hermes_core.transport.connections import Outgoing, send
from hermes_core.transport.headers import merged
from hermes_core.transport.sockets import using

PLACEHOLDER: Final = "sent-by-hermes"
"""What an SDK is told for a key: it has no use for the real one."""


def quieten(sdk: str) -> None:
    """Keep an SDK, just loaded, from logging what is said, whatever its own variable tells it."""
    for name in (sdk, "httpx2"):
        logging.getLogger(name).setLevel(logging.WARNING)


class Bridge(httpx2.BaseTransport):
    """Carries one request of an SDK. ``response`` is the answer, once there is one.

    taken: the SDK's headers that are sent on, in lower case; ours win over them.
    """

    def __init__(self, call: Call, taken: Collection[str]) -> None:
        self.response: httpcore.Response | None = None
        self.error: Exception | None = None
        self._call = call
        self._taken = frozenset(taken)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send ``request``; the SDK sees an empty success, and every failure as it was raised."""
        try:
            self.response = self._send(request)
        except Exception as error:
            self.error = error
            raise
        return httpx2.Response(200, request=request)

    def _send(self, request: httpx2.Request) -> httpcore.Response:
        call, url = self._call, str(request.url)
        guard.check(call.runtime, url)
        if guard.origin(url) != guard.origin(call.runtime.base_url):
            raise ConfigError(f"A request for {call.runtime.base_url} was about to go to {url}.")
        theirs = [(name, value) for name, value in request.headers.items() if name in self._taken]
        outgoing = Outgoing(request.method, url, merged(theirs, call.headers), request.read())
        response = send(outgoing, call.network, call.tap)
        if response.status == 200:
            return response
        try:
            raise refusal(call.runtime, response, call.tap)
        finally:
            response.close()


@contextlib.contextmanager
def carried(
    call: Call,
    post: Callable[[httpx2.Client], Any],
    *,
    taken: Collection[str],
    last: Collection[str],
    decode: Decode,
) -> Iterator[Iterator[dict[str, Any]]]:
    """Let ``post`` make an SDK send its request, and yield the objects of the answer.

    ``post`` is given the client to send with. last: types of the event that ends an answer.
    Raises what every carrier raises.
    """
    bridge = Bridge(call, taken)
    forget = call.interrupt.listen(call.tap.cut)
    try:
        with using(call.tap), explained(call.runtime, call.network, call.tap) as progress:
            response = _posted(call, bridge, post)
            try:
                progress.append(response.status)
                yield events(call.runtime, body_of(response), call.tap, last, decode)
            finally:
                response.close()
    finally:
        forget()


def _posted(call: Call, bridge: Bridge, post: Callable[[httpx2.Client], Any]) -> httpcore.Response:
    failure: Exception | None
    client = httpx2.Client(transport=bridge, trust_env=False, timeout=None)
    try:
        post(client)
    except HermesError:
        raise
    except Exception as error:
        failure = bridge.error or ConfigError(
            f"The request to {call.runtime.provider} could not be made: {error}. Check the model, "
            "the address and the variables that its SDK reads."
        )
    else:
        failure = bridge.error
    if failure is not None:
        raise failure
    if bridge.response is None:
        raise ConfigError(f"The SDK for {call.runtime.provider} sent no request.")
    return bridge.response
