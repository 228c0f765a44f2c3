"""The carrier for Messages: the anthropic SDK makes the request, ``sdk`` carries it."""

import contextlib
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import SplitResult, parse_qsl, urlsplit

import anthropic
import httpx2

from hermes_core.transport.call import Call
from hermes_core.transport.json_body import encoded
from hermes_core.transport.sdk import PLACEHOLDER, carried, quieten
from hermes_core.wire.sse import decode

quieten("anthropic")

VERSION: Final = "2023-06-01"
"""The API version of the wire format; a header of the runtime's may name another."""

_PATH: Final = "/v1/messages"
LAST: Final = ("message_stop",)


@contextlib.contextmanager
def carry(call: Call, body: dict[str, Any]) -> Iterator[Iterator[dict[str, Any]]]:
    """Send ``body`` to ``/v1/messages`` and yield the events of the answer."""
    address = urlsplit(call.runtime.base_url)

    def post(client: httpx2.Client) -> None:
        sdk = anthropic.Anthropic(
            api_key=PLACEHOLDER,
            base_url=_root(address),
            default_headers={"anthropic-version": VERSION},
            default_query=dict(parse_qsl(address.query)),
            max_retries=0,
            http_client=client,
            open_telemetry=False,
        )
        sdk.post(
            _PATH,
            cast_to=httpx2.Response,
            content=encoded(body),
            stream=True,
            stream_cls=anthropic.Stream[Any],
        )

    taken = ("anthropic-version",)
    with carried(call, post, taken=taken, last=LAST, decode=decode) as chunks:
        yield chunks


def _root(address: SplitResult) -> str:
    """Return ``address`` without what the SDK adds to it."""
    return address._replace(query="").geturl().rstrip("/").removesuffix("/v1")
