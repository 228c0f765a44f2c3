"""One way to open a model's stream, whatever carries it. Loads no HTTP library by itself."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from hermes_core.ground.errors import ConfigError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.transport import guard
from hermes_core.transport.headers import headers_for
from hermes_core.transport.network import Network

_PATHS = {
    "chat_completions": "/chat/completions",
    "codex_responses": "/responses",
    "anthropic_messages": "/v1/messages",
}
_CARRIERS = {
    "chat_completions": "http",
    "codex_responses": "responses",
    "anthropic_messages": "messages",
}


class Stream:
    """An open answer: iterate once over its JSON objects. ``abort`` ends it from any thread."""

    def __init__(self, chunks: Iterator[dict[str, Any]], abort: Callable[[], None]) -> None:
        self.abort = abort
        self._chunks = chunks

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self._chunks


@contextlib.contextmanager
def open_stream(
    runtime: Runtime,
    request: dict[str, Any],
    *,
    interrupt: Interrupt,
    network: Network | None = None,
    before_wait: Callable[[], None] | None = None,
) -> Iterator[Stream]:
    """Send ``request`` to the runtime's endpoint and yield its answer.

    ``before_wait`` is called on this thread each time all that has arrived was handed on and more
    must be waited for. Setting ``interrupt`` ends whatever this thread waits for, name look-up,
    connecting and the first load of a carrier aside, by ``Interrupted``.

    Raises ``ConfigError`` if the request may not go there, else a ``ProviderError``; both also
    while the stream is read.
    """
    interrupt.raise_if_set()
    network = network or Network()
    if runtime.timeout is not None:
        network = replace(network, idle_timeout=runtime.timeout)
    carrier = _carrier_of(runtime)
    if runtime.auth == "process":
        with carrier.converse(runtime, request, network, interrupt, before_wait) as (chunks, abort):
            yield Stream(chunks, abort)
        return
    from hermes_core.transport.call import Call
    from hermes_core.transport.sockets import Tap

    runtime = _located(runtime)
    url = endpoint(runtime)
    guard.check(runtime, url)
    tap = Tap(before_wait)
    call = Call(runtime, url, headers_for(runtime), network, tap, interrupt)
    with carrier.carry(call, request) as chunks:
        yield Stream(chunks, tap.cut)


def warm(runtime: Runtime, network: Network | None = None) -> None:
    """Load what ``open_stream`` will need for ``runtime``; nothing is opened."""
    _carrier_of(runtime)
    if runtime.auth == "process" or _is_scripted(runtime):
        return
    from hermes_core.transport.connections import pool_for

    pool_for(endpoint(runtime), network or Network())


def endpoint(runtime: Runtime) -> str:
    """Return the address that requests go to."""
    address = urlsplit(runtime.base_url)
    path = address.path.rstrip("/")
    if runtime.api_mode == "anthropic_messages":
        path = path.removesuffix("/v1")
    return address._replace(path=path + _PATHS[runtime.api_mode]).geturl()


def _carrier_of(runtime: Runtime) -> Any:
    """Return the module that carries calls of ``runtime``, loaded."""
    name = _CARRIERS[runtime.api_mode]
    signed = runtime.auth == "aws"
    if runtime.auth == "process":
        name = "copilot_acp"
    elif runtime.api_mode == "anthropic_messages" and (signed or runtime.option("region")):
        name = "bedrock"
    elif signed:
        raise ConfigError(
            f"{runtime.provider} serves {runtime.model} to a Bedrock API key alone. Set it as "
            "AWS_BEARER_TOKEN_BEDROCK."
        )
    return import_module(f"hermes_core.transport.{name}")


def _located(runtime: Runtime) -> Runtime:
    """Return ``runtime`` with an address; the scripted model gets one when it is started."""
    if not _is_scripted(runtime):
        return runtime
    from hermes_core.transport.scripted import scripted_url

    return replace(runtime, base_url=scripted_url())


def _is_scripted(runtime: Runtime) -> bool:
    return runtime.base_url.startswith("scripted:")
