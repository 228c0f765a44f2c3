"""The carrier for chat completions: one POST, its answer as a stream of JSON objects."""

import contextlib
from collections.abc import Iterator
from typing import Any

from hermes_core.transport.answers import body_of, events, refusal
from hermes_core.transport.breakages import explained
from hermes_core.transport.call import Call
from hermes_core.transport.connections import Outgoing, send
from hermes_core.transport.json_body import encoded
from hermes_core.transport.sockets import using


@contextlib.contextmanager
def carry(call: Call, body: dict[str, Any]) -> Iterator[Iterator[dict[str, Any]]]:
    """Send ``body`` as JSON and yield the answer's objects, ``END`` last where the server said so.

    Raises a ``ProviderError`` of the class that fits, ``Interrupted`` if the call was cut, and
    ``ConfigError`` for a certificate that is not trusted.
    """
    outgoing = Outgoing("POST", call.url, call.headers, encoded(body))
    forget = call.interrupt.listen(call.tap.cut)
    try:
        with using(call.tap), explained(call.runtime, call.network, call.tap) as progress:
            response = send(outgoing, call.network, call.tap)
            try:
                if response.status != 200:
                    raise refusal(call.runtime, response, call.tap)
                progress.append(response.status)
                yield events(call.runtime, body_of(response), call.tap)
            finally:
                response.close()
    finally:
        forget()
