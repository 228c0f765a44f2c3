"""One way to open a model's stream, whatever carries it. Loads no HTTP library by itself."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from hermes_core.ground.errors import ConfigError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.version import __version__
from hermes_core.transport import guard
from hermes_core.transport.network import Network

_PATHS = {"chat_completions": "/chat/completions"}


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
    must be waited for. Setting ``interrupt`` ends whatever this thread waits for, name look-up and
    connecting aside, by ``Interrupted``.

    Raises ``ConfigError`` if the request may not go there, else a ``ProviderError``; both also
    while the stream is read.
    """
    from hermes_core.transport.http import post
    from hermes_core.transport.sockets import Tap

    interrupt.raise_if_set()
    runtime = _located(runtime)
    url = endpoint(runtime)
    guard.check(runtime, url)
    tap = Tap(before_wait)
    with post(
        runtime,
        url,
        request,
        headers=_headers(runtime),
        network=network or Network(),
        tap=tap,
        interrupt=interrupt,
    ) as chunks:
        yield Stream(chunks, tap.cut)


def warm(runtime: Runtime, network: Network | None = None) -> None:
    """Load what ``open_stream`` will need for ``runtime``; nothing is opened."""
    from hermes_core.transport.http import prepare

    if not _is_scripted(runtime):
        prepare(endpoint(runtime), network or Network())


def endpoint(runtime: Runtime) -> str:
    """Return the address that requests go to."""
    path = _PATHS.get(runtime.api_mode)
    if path is None:
        raise ConfigError(f"The API mode {runtime.api_mode} is not supported yet.")
    return runtime.base_url.rstrip("/") + path


def _located(runtime: Runtime) -> Runtime:
    """Return ``runtime`` with an address; the scripted model gets one when it is started."""
    if not _is_scripted(runtime):
        return runtime
    from dataclasses import replace

    from hermes_core.transport.scripted import scripted_url

    return replace(runtime, base_url=scripted_url())


def _is_scripted(runtime: Runtime) -> bool:
    return runtime.base_url.startswith("scripted:")


def _headers(runtime: Runtime) -> list[tuple[str, str]]:
    headers = [
        ("User-Agent", f"hermes-editor-agent/{__version__}"),
        ("Accept", "text/event-stream"),
        ("Accept-Encoding", "identity"),
        ("Content-Type", "application/json"),
        *runtime.headers,
    ]
    if runtime.api_key:
        headers.append(("Authorization", f"Bearer {runtime.api_key.reveal()}"))
    return headers
