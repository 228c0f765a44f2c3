"""A login as it is stored: its tokens, in the shapes that programs write them."""

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from hermes_core.ground.secrets import REDACTOR, Secret

_MILLISECONDS = 1e11
"""Numbers above are unix milliseconds: in seconds they would lie some 3000 years ahead."""


@dataclass(frozen=True, slots=True)
class Grant:
    """The tokens of one login.

    refresh: empty where there is none. expires: unix seconds of ``access``, None if unknown.
    base_url: the address for model calls that came with the tokens.
    client_id: the registration that the tokens were issued to, where that was our own.
    """

    access: Secret
    refresh: Secret
    expires: float | None = None
    base_url: str | None = None
    client_id: str | None = None
    scope: str | None = None


def moment(value: object) -> float | None:
    """Return a time in unix seconds from seconds, milliseconds or ISO 8601; else None."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        try:
            return moment(float(value))
        except ValueError:
            return _from_iso(value)
    if not isinstance(value, (int, float)) or not 0 < value < 1e14:
        return None
    return value / 1000 if value > _MILLISECONDS else float(value)


def claims(token: str) -> Mapping[str, Any]:
    """Return what a JSON web token says, unverified; nothing for other tokens."""
    parts = token.split(".")
    if len(parts) != 3:
        return {}
    try:
        body = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def fingerprint(secret: Secret) -> str:
    """Return a name for ``secret`` that does not tell it and is the same in every process."""
    return hashlib.sha256(secret.reveal().encode(errors="surrogatepass")).hexdigest()[:16]


def read_grant(state: object) -> Grant | None:
    """Return the tokens that stand in ``state``, or under ``tokens`` in it; None without any.

    Both are registered for redaction.
    """
    if not isinstance(state, Mapping):
        return None
    inner = state.get("tokens")
    tokens: Mapping[str, Any] = inner if isinstance(inner, Mapping) else state
    access = Secret(text(tokens, "access_token"))
    refresh = Secret(text(tokens, "refresh_token"))
    for secret in (access, refresh, Secret(text(tokens, "id_token"))):
        REDACTOR.register(secret)
    if not access and not refresh:
        return None
    base_url = text(state, "base_url") or text(state, "inference_base_url")
    return Grant(
        access,
        refresh,
        expires=_expiry(tokens) or _expiry(state) or moment(claims(access.reveal()).get("exp")),
        base_url=base_url or None,
        client_id=text(state, "client_id") or None,
        scope=text(state, "scope") or None,
    )


def write_grant(state: dict[str, Any], grant: Grant) -> None:
    """Put the tokens of ``grant`` where ``state`` keeps them; other fields stay."""
    inner = state.get("tokens")
    tokens = inner if isinstance(inner, dict) else state
    tokens["access_token"] = grant.access.reveal()
    tokens["refresh_token"] = grant.refresh.reveal()
    for name in ("expires_at", "expires_at_ms", "expires_in", "obtained_at"):
        tokens.pop(name, None)
        state.pop(name, None)
    if grant.expires is not None:
        tokens["expires_at"] = datetime.fromtimestamp(grant.expires, UTC).isoformat()
    named = "inference_base_url" if "inference_base_url" in state else "base_url"
    more = {named: grant.base_url, "client_id": grant.client_id, "scope": grant.scope}
    state.update({name: value for name, value in more.items() if value})


def text(data: Mapping[str, Any], name: str) -> str:
    """Return a field's text without surrounding space; empty if it is missing or no text."""
    value = data.get(name)
    return value.strip() if isinstance(value, str) else ""


def _expiry(data: Mapping[str, Any]) -> float | None:
    for name in ("expires_at_ms", "expires_at", "expiresAt", "expiry_date"):
        found = moment(data.get(name))
        if found is not None:
            return found
    start, span = moment(data.get("obtained_at")), data.get("expires_in")
    if start is not None and isinstance(span, (int, float)):
        return start + span
    return None


def _from_iso(value: str) -> float | None:
    try:
        found = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    if found.tzinfo is None:
        return None
    return found.timestamp()
