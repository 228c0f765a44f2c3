"""The body of an answer: unpacked, read as events, or read as a refusal."""

import contextlib
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Final

import httpcore

from hermes_core.ground.errors import MalformedResponse, ProviderError
from hermes_core.ground.runtime import Runtime
from hermes_core.transport import failures
from hermes_core.transport.breakages import BROKEN
from hermes_core.transport.sockets import Tap
from hermes_core.wire import sse

Decode = Callable[[Iterable[bytes]], Iterator[dict[str, Any]]]
"""Takes a body apart into JSON objects."""

_ERROR_BODY: Final = 64 * 1024
_ERROR_SECONDS: Final = 5.0
_LINGER_SECONDS: Final = 0.02
"""How long the end of a finished answer is waited for, so that its connection can be used again."""


def headers_of(response: httpcore.Response) -> dict[str, str]:
    """Return the headers of ``response``, names in lower case."""
    return {
        name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers
    }


def body_of(response: httpcore.Response) -> Iterator[bytes]:
    """Yield the body of ``response``, unpacked. Raises ``MalformedResponse``."""
    coding = headers_of(response).get("content-encoding", "").strip().lower()
    if coding in ("", "identity"):
        yield from response.iter_stream()
        return
    if coding not in ("gzip", "deflate"):
        raise MalformedResponse(f"a body in the coding {coding!r}")
    inflater = zlib.decompressobj(wbits=47 if coding == "gzip" else zlib.MAX_WBITS)
    try:
        for data in response.iter_stream():
            yield inflater.decompress(data)
    except zlib.error:
        raise MalformedResponse("a compressed body that is damaged") from None


def events(
    runtime: Runtime,
    body: Iterator[bytes],
    tap: Tap,
    last: Collection[str] = (),
    decode: Decode = sse.decode,
) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of ``body``, up to ``END`` or one whose type is in ``last``.

    An object that tells an error is raised as a ``ProviderError``; so is a body that is no answer.
    """
    try:
        for event in decode(body):
            if event is sse.END:
                _drain(body, tap)
            elif "choices" not in event or event.get("error"):
                failure = failures.from_chunk(runtime, event)
                if failure is not None:
                    raise failure
                if event.get("type") in last:
                    _drain(body, tap)
                    yield event
                    return
            yield event
    except MalformedResponse as error:
        raise failures.malformed(runtime, str(error)) from None


def refusal(runtime: Runtime, response: httpcore.Response, tap: Tap) -> ProviderError:
    """Return the error for ``response`` that is not a success."""
    body = error_body(response, tap)
    return failures.from_status(runtime, response.status, headers_of(response), body)


def error_body(response: httpcore.Response, tap: Tap) -> bytes:
    """Return the beginning of the body of a refusal; what does not come soon is left out."""
    tap.limit = _ERROR_SECONDS
    body = b""
    with contextlib.suppress(MalformedResponse, *BROKEN):
        for data in body_of(response):
            body += data
            if len(body) >= _ERROR_BODY:
                break
    return body[:_ERROR_BODY]


def _drain(body: Iterator[bytes], tap: Tap) -> None:
    """Read to the end of a body that has nothing more to say."""
    tap.limit = _LINGER_SECONDS
    with contextlib.suppress(MalformedResponse, *BROKEN):
        for _ in zip(range(8), body, strict=False):
            pass
