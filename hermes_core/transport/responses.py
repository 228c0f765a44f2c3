"""The carrier for Responses: the openai SDK makes the request, ``sdk`` carries it."""

import contextlib
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import httpx2
import openai

from hermes_core.transport.call import Call
from hermes_core.transport.json_body import encoded
from hermes_core.transport.sdk import PLACEHOLDER, carried, quieten
from hermes_core.wire.sse import decode

quieten("openai")

_LAST: Final = ("response.completed", "response.incomplete", "response.done")
"""Events after which nothing follows; a failed response is raised as an error."""


@contextlib.contextmanager
def carry(call: Call, body: dict[str, Any]) -> Iterator[Iterator[dict[str, Any]]]:
    """Send ``body`` to ``/responses`` and yield the events of the answer."""
    address = urlsplit(call.runtime.base_url)

    def post(client: httpx2.Client) -> None:
        sdk = openai.OpenAI(
            api_key=PLACEHOLDER,
            organization="",
            project="",
            base_url=address._replace(query="").geturl(),
            default_query=dict(parse_qsl(address.query)),
            max_retries=0,
            http_client=client,
        )
        sdk.post(
            "/responses",
            cast_to=httpx2.Response,
            content=encoded(body),
            stream=True,
            stream_cls=openai.Stream[Any],
        )

    with carried(call, post, taken=(), last=_LAST, decode=decode) as chunks:
        yield chunks
