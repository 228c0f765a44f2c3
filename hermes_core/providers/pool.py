"""The credentials of one provider in order of use, and those that rest after a refusal.

A resting credential is used again when its time is over, or at once if there is no other.
Nothing is ever taken from another provider's pool.
"""

import re
import secrets
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hermes_core.ground.secrets import REDACTOR, Secret
from hermes_core.providers.auth_store import Data, section
from hermes_core.providers.grants import fingerprint, moment, text

Outcome = Literal["good", "unauthorized", "rate_limited", "quota", "dead"]
"""How a credential was received. ``dead``: it will never serve again."""

RESTS: Mapping[str, float] = {"unauthorized": 300.0, "rate_limited": 3600.0, "quota": 3600.0}
"""Seconds that a refused credential rests, where the provider does not say."""

POOL = "credential_pool"
STATE = (
    "last_status",
    "last_status_at",
    "last_error_code",
    "last_error_reason",
    "last_error_message",
    "last_error_reset_at",
)

_CODES = {"unauthorized": 401, "rate_limited": 429, "quota": 402, "dead": 401}
_ID = re.compile(r"(?P<provider>.+?)(?P<slot>#[^#]+|:oauth|:claude-code|:env:\w+)")
_TURNS: dict[tuple[Path, str], int] = {}
_TURNS_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class Rest:
    """Whether a credential is dead, or until when (unix seconds) it rests.

    refused: whether what a dead login has left, a token that has not ended yet, was refused too.
    """

    dead: bool = False
    refused: bool = False
    until: float = 0.0


def parts(credential_id: str) -> tuple[str, str]:
    """Return the provider and the slot that a credential's id is made of; the slot may be empty."""
    found = _ID.fullmatch(credential_id)
    return (found["provider"], found["slot"]) if found else (credential_id, "")


def entries(data: Data, provider: str) -> list[dict[str, Any]]:
    """Return the provider's pool, most preferred entry first; what has no shape is left out."""
    pool = data.get(POOL)
    found = pool.get(provider) if isinstance(pool, Mapping) else None
    if not isinstance(found, list):
        return []
    usable = [entry for entry in found if isinstance(entry, dict) and text(entry, "id")]
    return sorted(usable, key=_priority)


def keys(data: Data, provider: str) -> Iterator[tuple[dict[str, Any], Secret]]:
    """Return the pool's entries that hold a token of their own, registered for redaction.

    Entries that mirror a variable are left out: the variable itself counts.
    """
    for entry in entries(data, provider):
        token = Secret(text(entry, "access_token"))
        REDACTOR.register(token)
        REDACTOR.register(Secret(text(entry, "refresh_token")))
        if token and not text(entry, "source").startswith("env:"):
            yield entry, token


def add_key(data: Data, provider: str, key: Secret, label: str) -> str:
    """Add a pasted key; return the id of its credential. A key that is there stays the only one."""
    for entry, token in keys(data, provider):
        if token == key:
            _clear(entry)
            return f"{provider}#{entry['id']}"
    pool = _list(data, provider)
    places = [_priority(entry) for entry in pool if isinstance(entry, dict)]
    new = {
        "id": secrets.token_hex(3),
        "label": label,
        "auth_type": "api_key",
        "priority": max(places, default=-1) + 1,
        "source": "manual",
        "access_token": key.reveal(),
    }
    pool.append(new)
    return f"{provider}#{new['id']}"


def rest_of(data: Data, credential_id: str, secret: Secret) -> Rest:
    """Return how a credential stands; ``secret`` tells whether a note is about the same one."""
    provider, slot = parts(credential_id)
    entry = _entry(data, provider, slot)
    if entry is None or not _is_about(entry, slot, secret):
        return Rest()
    status = text(entry, "last_status")
    if status == "dead":
        return Rest(dead=True, refused=text(entry, "last_error_reason") != "dead")
    if status != "exhausted":
        return Rest()
    until = moment(entry.get("last_error_reset_at"))
    since = moment(entry.get("last_status_at")) or 0.0
    span = RESTS["unauthorized" if entry.get("last_error_code") == 401 else "rate_limited"]
    return Rest(until=until if until is not None else since + span)


def note(
    data: Data,
    credential_id: str,
    secret: Secret,
    outcome: Outcome,
    *,
    now: float,
    until: float | None = None,
) -> None:
    """Write down how a credential was received. No token is written, a fingerprint at most."""
    provider, slot = parts(credential_id)
    entry = _entry(data, provider, slot)
    if outcome == "good":
        if entry is not None:
            _clear(entry)
        return
    if entry is None:
        if slot.startswith("#"):
            return
        name = slot.lstrip(":")
        entry = {"id": name, "source": name, "auth_type": "note"}
        _list(data, provider).append(entry)
    if text(entry, "last_status") == "dead" and _is_about(entry, slot, secret):
        entry["last_error_reason"] = outcome
        return
    if not slot.startswith("#"):
        entry["fingerprint"] = fingerprint(secret)
    entry["last_status"] = "dead" if outcome == "dead" else "exhausted"
    entry["last_status_at"] = now
    entry["last_error_code"] = _CODES[outcome]
    entry["last_error_reason"] = outcome
    entry["last_error_reset_at"] = None if outcome == "dead" else until or now + RESTS[outcome]


def noted_variables(data: Data, provider: str) -> list[str]:
    """Return the names of the variables about whose keys something was written down."""
    names = (str(entry["id"]) for entry in entries(data, provider))
    return [name.removeprefix("env:") for name in names if name.startswith("env:")]


def forget_notes(data: Data, provider: str, slot: str) -> None:
    """Take back what was written down about a credential that is no pool entry of its own."""
    pool = _list(data, provider)
    pool[:] = [entry for entry in pool if not _is_note(entry, slot)]
    if not pool:
        section(data, POOL).pop(provider, None)


def turn(home: Path, provider: str, length: int, *, take: bool) -> int:
    """Return whose turn it is among ``length`` credentials; one that is taken moves it on."""
    with _TURNS_LOCK:
        number = _TURNS.get((home, provider), 0)
        _TURNS[home, provider] = number + take
    return number % length


def _entry(data: Data, provider: str, slot: str) -> dict[str, Any] | None:
    wanted = slot.lstrip("#:")
    return next((e for e in entries(data, provider) if e["id"] == wanted), None) if slot else None


def _is_about(entry: Mapping[str, Any], slot: str, secret: Secret) -> bool:
    if slot.startswith("#"):
        return True
    account_rests = not slot.startswith(":env:") and text(entry, "last_status") == "exhausted"
    return account_rests or entry.get("fingerprint") == fingerprint(secret)


def _is_note(entry: object, slot: str) -> bool:
    return (
        isinstance(entry, dict)
        and entry.get("auth_type") == "note"
        and entry.get("id") == slot.lstrip(":")
    )


def _list(data: Data, provider: str) -> list[Any]:
    pool = section(data, POOL)
    found = pool.get(provider)
    if not isinstance(found, list):
        found = pool[provider] = []
    return found


def _clear(entry: dict[str, Any]) -> None:
    for name in STATE:
        if entry.get(name) is not None:
            entry[name] = None


def _priority(entry: Mapping[str, Any]) -> float:
    value = entry.get("priority")
    return float(value) if isinstance(value, (int, float)) else 0.0
