"""The HTTP carrier: one POST, its answer as a stream of JSON objects."""

import contextlib
import json
from collections.abc import Iterator
from typing import Any

from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.transport.answers import body_of, events, refusal
from hermes_core.transport.breakages import explained
from hermes_core.transport.connections import Outgoing, pool_for, send
from hermes_core.transport.network import Network
from hermes_core.transport.sockets import Tap, using


def prepare(url: str, network: Network) -> None:
    """Load what ``post`` needs for ``url``; nothing is opened."""
    pool_for(url, network)


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
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    outgoing = Outgoing("POST", url, headers, content)
    forget = interrupt.listen(tap.cut)
    try:
        with using(tap), explained(runtime, network, tap) as progress:
            response = send(outgoing, network, tap)
            try:
                if response.status != 200:
                    raise refusal(runtime, response, tap)
                progress.append(response.status)
                yield events(runtime, body_of(response), tap)
            finally:
                response.close()
    finally:
        forget()
