"""``hermes auth``: logging in, logging out, and what is stored."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from hermes_core.commands.auth_imports import store_long_lived, write_login
from hermes_core.ground.errors import ConfigError
from hermes_core.ground.secrets import REDACTOR, Secret
from hermes_core.ground.typed import quoted
from hermes_core.local.config import Config
from hermes_core.providers import exchange
from hermes_core.providers.auth_store import AuthStore, Data, section
from hermes_core.providers.credentials import (
    CLAUDE_CODE,
    SUPPRESSED,
    Held,
    held,
    providers_in,
)
from hermes_core.providers.grants import Grant
from hermes_core.providers.logins import LOGINS, Login, login_of
from hermes_core.providers.named import find_provider
from hermes_core.providers.pool import POOL, add_key, parts
from hermes_core.providers.profile import ProviderProfile
from hermes_core.providers.registry import get_provider_profile

SHORTEST_KEY = 8
_KEY = re.compile(r"(?![A-Z][A-Z0-9_]*=[^=])[!#-&(-~]+")
"""One word, not quoted, and no line of ``.env``."""

_NO_KEYS = {
    "aws": "AWS's own credentials: a profile, variables or a role. Nothing is stored here",
    "process": "a program that has a login of its own. Log in with that program",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One stored credential, as ``hermes auth status`` tells of it; never the key itself."""

    provider: str
    name: str
    source: str
    state: str
    usable: bool


def provider_named(config: Config, name: str) -> str:
    """Return the canonical name of the provider that ``name`` means.

    Raises ``ConfigError`` if there is none.
    """
    wanted = name.strip()
    profile = find_provider(wanted, config)
    if profile is not None:
        return profile.name
    if wanted.lower() in LOGINS or wanted.lower() in config.auth:
        return wanted.lower()
    raise ConfigError(
        f"There is no provider {quoted(wanted)}. `hermes providers` lists those there are."
    )


def way_in(config: Config, provider: str) -> Login | None:
    """Return the login that ``hermes auth login`` begins by itself; None where a key is pasted."""
    login = login_of(config, provider)
    return login if login is not None and login.default and login.device_url else None


def key_refusal(config: Config, provider: str) -> str | None:
    """Return why no key can be pasted for a provider; None where one can."""
    profile = find_provider(provider, config)
    if profile is None:
        return None
    keyless = profile.entry is None and profile.key_optional and not profile.key_envs
    if profile.auth_kind == "none" or keyless:
        return f"{provider} takes no key."
    if profile.auth_kind in _NO_KEYS:
        return f"{provider} uses {_NO_KEYS[profile.auth_kind]}."
    if profile.auth_kind == "oauth" and not profile.key_envs:
        return f"{provider} takes a login, not a key. Run `hermes auth login {provider}`."
    return None


def store_key(config: Config, provider: str, key: str, label: str = "") -> str:
    """Store a pasted key and return what to tell. Raises ``ConfigError``."""
    refusal = key_refusal(config, provider)
    if refusal:
        raise ConfigError(refusal)
    secret = Secret(key.strip())
    REDACTOR.register(secret)
    value = secret.reveal()
    if len(value) < SHORTEST_KEY or not value.isascii() or not _KEY.fullmatch(value):
        raise ConfigError(
            f"That is no key for {provider}: a key is one word of {SHORTEST_KEY} characters or "
            "more. Copy it again, whole and alone, without quotes and without a variable's name."
        )
    login = login_of(config, provider)
    if login is not None and login.exchange_url:
        return store_long_lived(config, login, secret, "pasted")
    store = AuthStore(config.home)
    with store.locked():
        data = store.read()
        name = add_key(data, provider, secret, " ".join(label.split()) or "pasted")
        store.write(data)
    return f"The key for {provider} is stored as {name} in {store.path}."


def store_login(config: Config, provider: str, grant: Grant) -> str:
    """Store what a login brought and return what to tell. Raises ``ConfigError``."""
    write_login(config, provider, grant, "device_code")
    return f"You are logged in with {provider}. The login is stored in {_path(config)}."


def log_out(config: Config, provider: str) -> list[str]:
    """Forget all that is stored for a provider; return what to tell, line by line."""
    store = AuthStore(config.home)
    with store.locked():
        data = store.read()
        every = list(held(config, data, provider))
        claude = any(_slot(one) == f":{CLAUDE_CODE}" for one in every)
        ours = [one for one in every if _slot(one) == ":oauth" or _slot(one).startswith("#")]
        noted = [section(data, part).pop(provider, None) for part in ("providers", POOL)]
        if data.get("active_provider") == provider:
            data["active_provider"] = None
        if claude:
            _suppress(data, provider)
        if claude or any(noted):
            store.write(data)
    for one in every:
        exchange.forget(one.credential)
    lines = [f"Forgotten: {one.credential.source}." for one in ours]
    if any(one.credential.kind == "oauth" for one in ours):
        lines.append(
            f"{provider} is not told: its tokens serve until they end. To end them now, take the "
            "access back on its own page."
        )
    if claude:
        lines.append("Claude Code's login is left alone there, and no longer used here.")
    if not lines:
        lines.append(f"Nothing is stored for {provider}.")
    lines.extend(_still_set(config, provider))
    if ours and store.original.exists():
        lines.append(f"{store.original}, the file as another program left it, may still hold it.")
    return lines


def status(config: Config, clock: Callable[[], float] = time.time) -> tuple[list[Row], list[str]]:
    """Return what is stored, and what was found wrong with the file. Raises ``ConfigError``."""
    store = AuthStore(config.home)
    data, now = store.read(), clock()
    rows = [
        _row(config, one, now)
        for provider in sorted(providers_in(config, data))
        for one in held(config, data, provider)
    ]
    return rows, store.notices


def _row(config: Config, one: Held, now: float) -> Row:
    credential = one.credential
    return Row(
        credential.provider,
        credential.id,
        credential.source,
        _state(config, one, now),
        one.serves(now) and one.rest.until <= now,
    )


def _state(config: Config, one: Held, now: float) -> str:
    expires = one.credential.expires
    login = login_of(config, one.credential.provider)
    if one.rest.dead:
        return "over, log in again"
    if one.rest.until > now:
        return f"rests until {_at(one.rest.until)}"
    if login is not None and login.exchange_url:
        return "traded for a short-lived token before use"
    if expires is None:
        return "does not expire" if one.credential.kind == "api_key" else "expiry unknown"
    renewed = ", then it is renewed" if one.refresh else ""
    if expires > now:
        return f"expires {_at(expires)}{renewed}"
    return "renewed at the next use" if one.refresh else f"expired {_at(expires)}"


def _at(moment: float) -> str:
    return datetime.fromtimestamp(moment).astimezone().strftime("%Y-%m-%d %H:%M")


def _suppress(data: Data, provider: str) -> None:
    suppressed = section(data, SUPPRESSED)
    ours = suppressed.get(provider)
    listed = ours if isinstance(ours, list) else []
    suppressed[provider] = [*(source for source in listed if source != CLAUDE_CODE), CLAUDE_CODE]


def _still_set(config: Config, provider: str) -> list[str]:
    profile = _profile(config, provider)
    lines = []
    for name in profile.key_envs if profile else ():
        if config.user_env.get(name):
            lines.append(f"{name} is still set in {config.home / '.env'}.")
        elif config.env.get(name):
            lines.append(f"{name} is still set in the environment.")
    return lines


def _slot(one: Held) -> str:
    return parts(one.credential.id)[1]


def _profile(config: Config, provider: str) -> ProviderProfile | None:
    return get_provider_profile(provider, config.home)


def _path(config: Config) -> str:
    return str(AuthStore(config.home).path)
