"""What went wrong, said once: statuses and error bodies to our error tree.

The texts say what happened and why. What to do next depends on what was tried already: the model
room adds it (``model.recovery``).
"""

import json
import time
from collections.abc import Mapping
from typing import Any

from hermes_core.ground.errors import (
    AuthFailed,
    BadRequest,
    ConnectionFailed,
    ContextOverflow,
    MalformedResponse,
    ModelNotFound,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Refused,
    ServerError,
    StaleReasoning,
    TokenExpired,
    UpstreamLimited,
)
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import REDACTOR
from hermes_core.transport.error_bodies import UPSTREAM, said_in

_OVERFLOW = (
    "context length",
    "context_length",
    "context window",
    "context size",
    "maximum context",
    "prompt is too long",
    "input is too long",
    "too many tokens",
    "exceeds the maximum number of tokens",
    "exceed_context",
    "reduce the length of the messages",
)
_QUOTA = (
    "insufficient_quota",
    "insufficient quota",
    "exceeded your current quota",
    "usage_limit_reached",
    "insufficient balance",
    "insufficient credit",
    "out of credit",
    "billing",
    "payment required",
)
_STALE = (
    "invalid_encrypted_content",
    "thought_signature",
    "thought signature",
    "signature in thinking",
    "thinking block",
)
_REFUSED = ("content_policy", "content policy", "content_filter", "moderation", "flagged")
_UNKNOWN_MODEL = (
    "model_not_found",
    "model not found",
    "not a valid model",
    "no such model",
    "unknown model",
)

_BY_STATUS: dict[int, type[ProviderError]] = {
    401: AuthFailed,
    402: QuotaExhausted,
    403: AuthFailed,
    404: ModelNotFound,
    408: ConnectionFailed,
    409: ServerError,
    413: ContextOverflow,
    425: ServerError,
    429: RateLimited,
}

_UNSAID = 0
"""In place of a status, where an error in the middle of a stream does not tell one."""

_REQUEST_IDS = ("x-request-id", "request-id", "x-amzn-requestid")

_SENTENCES: dict[type[ProviderError], str] = {
    AuthFailed: "{provider} refused the credential",
    BadRequest: "{provider} refused the request",
    ConnectionFailed: "{provider} gave up waiting",
    ContextOverflow: "The conversation is longer than {model} takes",
    ModelNotFound: "{provider} does not serve {model} at {url}",
    QuotaExhausted: "The credit or quota at {provider} is used up",
    RateLimited: "{provider} takes no more requests now",
    Refused: "{provider} declined to answer",
    ServerError: "{provider} failed",
    StaleReasoning: "{provider} no longer takes its earlier reasoning",
    TokenExpired: "{provider} says that the login has ended",
    UpstreamLimited: "Who serves {model} behind {provider} takes no more requests now",
}

_OWN_AUTH = ("aws", "process")
_WITHOUT_KEY = "{provider} wants a key, and none was sent"
_NO_KEY = "Put its key into .env, or set model.api_key beside model.base_url in config.yaml."
_WITHHELD = "If you trust the address, put it into .env or config.yaml (model.base_url) yourself."


def from_status(
    runtime: Runtime, status: int, headers: Mapping[str, str], body: bytes
) -> ProviderError:
    """Return the error for an answer that is not a success; header names are in lower case."""
    if 300 <= status < 400:
        place = REDACTOR.redact(headers.get("location", "elsewhere"))
        return BadRequest(
            f"{runtime.provider} redirects to {place!r:.200}, which "
            "is not followed, for the key's sake. Set model.base_url to the final address.",
            provider=runtime.provider,
            model=runtime.model,
            status=status,
        )
    said, codes = said_in(body)
    if status == 403 and body.lstrip()[:1] == b"<":
        return _blocked(runtime, said)
    wait = _retry_after(headers)
    return _error(
        runtime,
        _classify(status, f"{codes} {said}".lower()),
        said,
        status=status,
        retry_after=_resets_in(body) if wait is None else wait,
        request_id=next((headers[name] for name in _REQUEST_IDS if headers.get(name)), None),
    )


def _blocked(runtime: Runtime, title: str) -> BadRequest:
    """Return the error for a page in place of the provider's refusal: the key is not at fault."""
    return BadRequest(
        f"{runtime.base_url} answered with a web page ({title}) and status 403: a firewall or a "
        "proxy before it blocks the request.",
        provider=runtime.provider,
        model=runtime.model,
        status=403,
        advice="Try another network or another provider; the key was not judged.",
    )


def from_chunk(runtime: Runtime, chunk: Mapping[str, Any]) -> ProviderError | None:
    """Return the error that ``chunk`` tells in the middle of a stream, if it does."""
    if chunk.get("type") == "response.failed" and isinstance(chunk.get("response"), Mapping):
        chunk = chunk["response"]
    elif not chunk.get("error") and ("choices" in chunk or not _is_error(chunk)):
        return None
    said, codes = said_in(chunk)
    return _error(runtime, _classify(_status_in(codes), f"{codes} {said}".lower()), said)


def malformed(runtime: Runtime, text: str) -> MalformedResponse:
    """Return the error for a body, given as ``text``, that is no answer."""
    said, _ = said_in(text[:65536].encode("utf-8", "replace"))
    if not text.strip():
        what = f"{runtime.provider} sent an empty answer."
    elif text.lstrip()[:1] == "<":
        what = f"{runtime.base_url} answered with a web page ({said}) in place of an answer."
    else:
        what = f"{runtime.provider} sent something that is no answer: {said.rstrip('.')}."
    return MalformedResponse(what, provider=runtime.provider, model=runtime.model)


def _error(
    runtime: Runtime,
    kind: type[ProviderError],
    said: str,
    *,
    status: int | None = None,
    retry_after: float | None = None,
    request_id: str | None = None,
) -> ProviderError:
    keyless = kind is AuthFailed and not runtime.api_key and runtime.auth not in _OWN_AUTH
    sentence = _WITHOUT_KEY if keyless else _SENTENCES[kind]
    what = sentence.format(provider=runtime.provider, model=runtime.model, url=runtime.base_url)
    number = "" if status is None else f" ({status})"
    reason = f": {said.rstrip('.')}" if said else ""
    withheld = f" {runtime.withheld}." if keyless and runtime.withheld else ""
    advice = (_WITHHELD if withheld else _NO_KEY) if keyless else ""
    return kind(
        f"{what}{number}{reason}.{withheld}",
        provider=runtime.provider,
        model=runtime.model,
        status=status,
        request_id=request_id,
        retry_after=retry_after,
        advice=advice,
    )


def _classify(status: int, text: str) -> type[ProviderError]:
    """Return the class for a status and what was said, in lower case."""
    if any(words in text for words in _OVERFLOW) and status not in (401, 403, 429):
        return ContextOverflow
    if any(words in text for words in _STALE) and status in (400, 401, 422, _UNSAID):
        return StaleReasoning
    if status == 401 and "token_expired" in text:
        return TokenExpired
    if status == 429 and UPSTREAM in text:
        return UpstreamLimited
    if any(words in text for words in _QUOTA) and status in (400, 403, 429, _UNSAID):
        return QuotaExhausted
    if any(words in text for words in _REFUSED) and status in (400, 403, 451, _UNSAID):
        return Refused
    if any(words in text for words in _UNKNOWN_MODEL) and status in (400, 422, _UNSAID):
        return ModelNotFound
    failed = status >= 500 or status == _UNSAID
    return _BY_STATUS.get(status) or (ServerError if failed else BadRequest)


def _is_error(chunk: Mapping[str, Any]) -> bool:
    return chunk.get("object") == "error" or "detail" in chunk or {"code", "message"} <= set(chunk)


_WORDS_TO_STATUS = (
    ("rate_limit", 429),
    ("throttling", 429),
    ("overloaded", 529),
    ("quota", 402),
    ("billing", 402),
    ("authentication", 401),
    ("permission", 403),
    ("accessdenied", 403),
    ("not_found", 404),
    ("too_large", 413),
    ("invalid_request", 400),
    ("bad_request", 400),
    ("invalid_prompt", 400),
    ("validationexception", 400),
    ("context_length", 400),
)


def _status_in(codes: str) -> int:
    """Return the HTTP status that an error inside a stream stands for, ``_UNSAID`` for none."""
    for word in codes.split():
        if word.isdecimal() and 400 <= int(word) <= 599:
            return int(word)
    lowered = codes.lower()
    return next((status for words, status in _WORDS_TO_STATUS if words in lowered), _UNSAID)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait (RFC 9110, 10.2.3); None if there is no telling."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None or not value:
        return seconds
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, moment.timestamp() - time.time())


def _resets_in(body: bytes) -> float | None:
    """Return the seconds until a plan's limit ends, for those who tell it in the body."""
    if b"resets_in_seconds" not in body:
        return None
    try:
        seconds = json.loads(body)["error"]["resets_in_seconds"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return _number(str(seconds))


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if 0 <= number < 1e9 else None
