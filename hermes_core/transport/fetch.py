"""One small request and its JSON answer: tokens, model lists, prices. Not for model calls."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple
from urllib.parse import urlencode

from hermes_core.ground.errors import (
    BadRequest,
    ConnectionFailed,
    ContextOverflow,
    MalformedResponse,
    ModelNotFound,
    ProviderError,
)
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import REDACTOR, Secret
from hermes_core.ground.version import __version__
from hermes_core.transport import failures, guard
from hermes_core.transport.apart import OutOfTime, run_apart
from hermes_core.transport.error_bodies import said_in
from hermes_core.transport.headers import merged
from hermes_core.transport.network import Network

if TYPE_CHECKING:
    from hermes_core.transport.sockets import Tap

MAX_BODY: Final = 16 * 1024 * 1024
"""Bytes that an answer may have."""

Scheme = Literal["bearer", "x-api-key", "token", "none"]
"""How the key is shown: two headers, GitHub's word for the first of them, or not at all."""

_SCHEMES: Final[Mapping[str, tuple[str, str]]] = {
    "bearer": ("Authorization", "Bearer "),
    "token": ("Authorization", "token "),
    "x-api-key": ("x-api-key", ""),
}


@dataclass(frozen=True, slots=True)
class Binding:
    """Who asks, with which key, and where that may go.

    provider: whom errors name. hosts: the ``host:port`` pairs that the key, or what is sent as a
    body, may travel to. plain_http: whether the user chose an endpoint without TLS.
    """

    provider: str
    key: Secret = field(default_factory=lambda: Secret(""))
    hosts: frozenset[str] = frozenset()
    auth: Scheme = "bearer"
    headers: tuple[tuple[str, str], ...] = ()
    plain_http: bool = False


class Fetched(NamedTuple):
    """An answer. headers: names in lower case. data: None if the body is no JSON."""

    status: int
    headers: Mapping[str, str]
    data: Any


def binding_of(runtime: Runtime) -> Binding:
    """Return the binding under which ``runtime`` makes its model calls."""
    auth: Scheme = runtime.auth if runtime.auth in ("bearer", "x-api-key") else "none"
    return Binding(
        runtime.provider,
        runtime.api_key,
        runtime.hosts,
        auth,
        runtime.headers,
        runtime.plain_http,
    )


def fetch_json(
    url: str,
    *,
    binding: Binding | Runtime,
    method: Literal["GET", "POST"] = "GET",
    data: Mapping[str, Any] | None = None,
    form: bool = False,
    accept: Collection[int] = (),
    network: Network | None = None,
    timeout: float = 20.0,
    interrupt: Interrupt | None = None,
) -> Fetched:
    """Send one request and return its JSON answer.

    data: sent as JSON, or with ``form`` as a form; what it holds counts as secret, so that it goes
        to the binding's hosts alone. accept: statuses besides 200 to 299 that are returned, with
        whatever JSON they bear, rather than raised.
    timeout: seconds for all of it, from looking up the name to the last byte.

    A POST reaches the server once at most, for tokens that serve once. Redirects are not followed.

    Raises ``ConfigError`` if the request may not go there, a ``ProviderError`` of the class that
    fits, and ``Interrupted`` within moments of ``interrupt``.
    """
    bound = binding if isinstance(binding, Binding) else binding_of(binding)
    runtime = _as_runtime(bound, url)
    guard.check(runtime, url)
    if data is not None:
        guard.check(replace(runtime, api_key=Secret("body")), url)
    REDACTOR.register(bound.key)
    interrupt = interrupt or Interrupt()
    call = _Call(runtime, _request(url, bound, method, data, form=form), accept, network)
    try:
        return run_apart(call.fetch, interrupt, timeout, "fetch")
    except OutOfTime:
        raise ConnectionFailed(
            f"{guard.host_of(url)} did not answer within {timeout:g} s.", provider=runtime.provider
        ) from None


class _Call:
    """One request and how its answer is read."""

    def __init__(
        self,
        runtime: Runtime,
        request: tuple[str, str, list[tuple[str, str]], bytes],
        accept: Collection[int],
        network: Network | None,
    ) -> None:
        self._runtime = runtime
        self._request = request
        self._accept = accept
        self._network = network or Network()

    def fetch(self, tap: "Tap") -> Fetched:
        """Send the request and return its answer."""
        from hermes_core.transport.answers import body_of, error_body, headers_of
        from hermes_core.transport.breakages import explained
        from hermes_core.transport.connections import Outgoing, send

        with explained(self._runtime, self._network, tap):
            outgoing = Outgoing(*self._request)
            response = send(outgoing, self._network, tap, once=outgoing.method != "GET")
            try:
                status, headers = response.status, headers_of(response)
                if 200 <= status < 300:
                    return Fetched(status, headers, self._read(body_of(response)))
                body = error_body(response, tap)
            finally:
                response.close()
        if status in self._accept:
            return Fetched(status, headers, _parse(body))
        raise _refusal(self._runtime, status, headers, body)

    def _read(self, chunks: Any) -> Any:
        body = bytearray()
        try:
            for chunk in chunks:
                body += chunk
                if len(body) > MAX_BODY:
                    raise MalformedResponse(f"more than {MAX_BODY} bytes")
        except MalformedResponse as error:
            raise failures.malformed(self._runtime, str(error)) from None
        data = _parse(body)
        if data is None and bytes(body).strip():
            raise failures.malformed(self._runtime, body.decode("utf-8", "replace"))
        return data


def _as_runtime(binding: Binding, url: str) -> Runtime:
    """Return ``binding`` in the form that the guard and the errors know."""
    return Runtime(
        provider=binding.provider,
        model="",
        api_mode="chat_completions",
        base_url=url,
        api_key=binding.key,
        hosts=binding.hosts,
        plain_http=binding.plain_http,
    )


def _request(
    url: str, binding: Binding, method: str, data: Mapping[str, Any] | None, *, form: bool
) -> tuple[str, str, list[tuple[str, str]], bytes]:
    headers = [
        ("User-Agent", f"hermes-editor-agent/{__version__}"),
        ("Accept", "application/json"),
    ]
    headers = [*merged(headers, binding.headers), ("Accept-Encoding", "gzip")]
    content = b""
    if data is not None:
        kind = "application/x-www-form-urlencoded" if form else "application/json"
        headers.append(("Content-Type", kind))
        content = (urlencode(data) if form else json.dumps(data)).encode()
    if binding.key and binding.auth != "none":
        name, prefix = _SCHEMES[binding.auth]
        headers = merged(headers, [(name, prefix + binding.key.reveal())])
    return method, url, headers, content


def _refusal(
    runtime: Runtime, status: int, headers: Mapping[str, str], body: bytes
) -> ProviderError:
    error = failures.from_status(runtime, status, headers, body)
    if not isinstance(error, (ContextOverflow, ModelNotFound)):
        return error
    said, _ = said_in(body)
    reason = f": {said.rstrip('.')}" if said else ""
    return BadRequest(
        f"{runtime.provider} refused {runtime.base_url} ({status}){reason}.",
        provider=runtime.provider,
        status=status,
    )


def _parse(body: bytes | bytearray) -> Any:
    try:
        return json.loads(body.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
