"""Failures that an answer tells in its own format, in the middle of a stream."""

from typing import Any, Final

from hermes_core.ground.errors import (
    AuthFailed,
    BadRequest,
    ContextOverflow,
    ModelNotFound,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Refused,
    ServerError,
    StaleReasoning,
)

_KINDS: Final[tuple[tuple[str, type[ProviderError]], ...]] = (
    ("context_length", ContextOverflow),
    ("prompt is too long", ContextOverflow),
    ("encrypted_content", StaleReasoning),
    ("signature", StaleReasoning),
    ("quota", QuotaExhausted),
    ("billing", QuotaExhausted),
    ("rate_limit", RateLimited),
    ("authentication", AuthFailed),
    ("permission", AuthFailed),
    ("not_found", ModelNotFound),
    ("policy", Refused),
    ("invalid", BadRequest),
)


def failure(error: Any) -> ProviderError:
    """Return the failure that ``error``, an object with a code or type and a message, tells."""
    said = error if isinstance(error, dict) else {"message": error}
    words = [str(said[key]) for key in ("code", "type", "message") if said.get(key)]
    text = " ".join(words).lower()
    kind = next((kind for mark, kind in _KINDS if mark in text), ServerError)
    reason = f": {words[-1].strip().rstrip('.')}" if words else ""
    return kind(f"The provider gave up in the middle of the answer{reason}.")
