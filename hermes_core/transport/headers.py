"""The headers of a model call."""

from collections.abc import Iterable

from hermes_core.ground.runtime import Runtime
from hermes_core.ground.version import __version__

Headers = list[tuple[str, str]]


def headers_for(runtime: Runtime) -> Headers:
    """Return what a call of ``runtime`` is sent with, its key included.

    The runtime's own headers take the place of ours, but never that of the key.
    """
    ours = [
        ("User-Agent", f"hermes-editor-agent/{__version__}"),
        ("Accept", "text/event-stream"),
        ("Accept-Encoding", "identity"),
        ("Content-Type", "application/json"),
    ]
    return merged(ours, merged(runtime.headers, key_headers(runtime)))


def key_headers(runtime: Runtime) -> Headers:
    """Return the header that shows the key, if there is one to show."""
    if not runtime.api_key or runtime.auth not in ("bearer", "x-api-key"):
        return []
    key = runtime.api_key.reveal()
    if runtime.auth == "x-api-key":
        return [("x-api-key", key)]
    return [("Authorization", f"Bearer {key}")]


def merged(first: Iterable[tuple[str, str]], last: Iterable[tuple[str, str]]) -> Headers:
    """Return both; where a name stands in both, that of ``last`` alone."""
    over = list(last)
    names = {name.lower() for name, _ in over}
    return [header for header in first if header[0].lower() not in names] + over
