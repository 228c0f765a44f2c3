"""What a provider is used with: a key or a login, and where it came from.

Order within a provider: pasted keys, its own login, a login that another program keeps. Those
that rest after a refusal come last; those that can serve no more are left out. Tokens in variables
belong to resolution, but for those that are traded before use: they come here, those in ``.env``
first, those of the process environment last.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from hermes_core.ground.errors import ConfigError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.secrets import REDACTOR, Secret
from hermes_core.local.config import Config
from hermes_core.providers.auth_store import AuthStore, Data
from hermes_core.providers.grants import Grant, read_grant, text
from hermes_core.providers.imports import claude_code_path, read_claude_code
from hermes_core.providers.logins import LOGINS, allowed_address, login_of
from hermes_core.providers.pool import (
    POOL,
    Outcome,
    Rest,
    keys,
    note,
    noted_variables,
    parts,
    rest_of,
    turn,
)

Clock = Callable[[], float]
"""Unix seconds."""

CLAUDE_CODE = "claude-code"
SUPPRESSED = "suppressed_sources"


@dataclass(frozen=True, slots=True)
class Credential:
    """One credential of one provider.

    provider: its canonical name; source: where it is kept, for people to read.
    id: names the credential without showing it, such as ``openrouter#1f2e3d``; stable across
        processes.
    expires: unix seconds, None where it does not; 0 where it has to be exchanged before use.
    base_url: the address that the login itself names, checked against the provider's hosts.
    auth: the header that carries it.
    ambient: whether nobody gave it to this program: it serves once its provider is chosen, and is
        no reason to choose it.
    last: whether it is the login that was made last, which ``auto`` takes before others.
    """

    provider: str
    kind: Literal["api_key", "oauth"]
    token: Secret
    source: str
    id: str
    expires: float | None = None
    base_url: str | None = None
    auth: Literal["bearer", "x-api-key"] = "bearer"
    ambient: bool = False
    last: bool = False


Credentials = Mapping[str, tuple[Credential, ...]]
"""Canonical provider name to its usable credentials, in order of preference."""


@dataclass(frozen=True, slots=True)
class Held:
    """A credential as it is kept: with what renews it, and whether it rests.

    secret: what a note about it is recognised by.
    """

    credential: Credential
    refresh: Secret
    secret: Secret
    rest: Rest

    def serves(self, now: float) -> bool:
        """Whether it can be used, now or after it was renewed."""
        expires = self.credential.expires
        if self.rest.dead:
            return not self.rest.refused and expires is not None and expires > now
        return expires is None or expires > now or bool(self.refresh)


def load_credentials(
    config: Config, *, take: bool = False, clock: Clock = time.time
) -> Credentials:
    """Return what is stored for each provider, without any network.

    take: whether the first of each is used, so that with ``round_robin`` the next call begins with
    the next one. Raises ``ConfigError`` if ``auth.json`` is a link, somebody else's, or cannot be
    read.
    """
    data, now = AuthStore(config.home).read(), clock()
    found = {
        name: _ordered(config, data, name, now, take=take) for name in providers_in(config, data)
    }
    return {name: credentials for name, credentials in found.items() if credentials}


def resting(config: Config, *, clock: Clock = time.time) -> frozenset[str]:
    """Return the ids of all keys and logins that rest now, those in variables included.

    Raises ``ConfigError`` as ``load_credentials`` does.
    """
    data, now = AuthStore(config.home).read(), clock()
    found: set[str] = set()
    for provider in providers_in(config, data):
        kept = held(config, data, provider)
        found |= {one.credential.id for one in kept if one.rest.until > now}
        for variable in noted_variables(data, provider):
            name, secret = f"{provider}:env:{variable}", config.variable(variable)
            if secret and rest_of(data, name, Secret(secret)).until > now:
                found.add(name)
    return frozenset(found)


def of_variable(credential_id: str, token: Secret) -> Credential | None:
    """Return the key that a variable holds as a credential; None for any other id."""
    provider, slot = parts(credential_id)
    if not slot.startswith(":env:"):
        return None
    variable = slot.removeprefix(":env:")
    return Credential(provider, "api_key", token, f"the variable {variable}", credential_id)


def held(config: Config, data: Data, provider: str) -> Iterator[Held]:
    """Return all that is kept for a provider, in order, the useless included."""
    seen: set[Secret] = set()
    for one in (
        *_variables(config, data, provider, config.user_env),
        *_pasted(config, data, provider),
        *_logins(config, data, provider),
        *_variables(config, data, provider, config.env),
    ):
        if one.secret not in seen:
            seen.add(one.secret)
            yield one


def providers_in(config: Config, data: Data) -> list[str]:
    """Return the names of the providers that something is stored for, or that a login is for."""
    names: dict[str, None] = {}
    for part in ("providers", POOL):
        if isinstance(data.get(part), Mapping):
            names.update(dict.fromkeys(map(str, data[part])))
    if claude_code_path(config).exists():
        names["anthropic"] = None
    for login in LOGINS.values():
        if any(map(config.variable, login.token_envs)):
            names[login.provider] = None
    return list(names)


def find(config: Config, credential_id: str) -> Credential | None:
    """Return the stored credential of that id, as it is now; None if it is gone."""
    provider, _ = parts(credential_id)
    data = AuthStore(config.home).read()
    every = (one.credential for one in held(config, data, provider))
    return next((c for c in every if c.id == credential_id), None)


def report(
    config: Config,
    credential_id: str,
    outcome: Outcome,
    until: float | None = None,
    *,
    clock: Clock = time.time,
) -> None:
    """Write down how a credential was received, so that a refused one rests in every process.

    until: unix seconds, where the provider says so; else 5 minutes after ``unauthorized``, an hour
    after ``rate_limited`` and ``quota``. ``good`` ends a rest. Raises ``ConfigError``.
    """
    provider, slot = parts(credential_id)
    store = AuthStore(config.home)
    secret = _secret(config, store.read(), provider, credential_id)
    if not slot or secret is None:
        return
    if outcome == "good" and rest_of(store.read(), credential_id, secret) == Rest():
        return
    with store.locked():
        data = store.read()
        note(data, credential_id, secret, outcome, now=clock(), until=until)
        store.write(data)


def rotate(config: Config, credential_id: str, *, clock: Clock = time.time) -> Credential | None:
    """Return the same provider's next stored credential that does not rest; None without one."""
    provider, _ = parts(credential_id)
    data, now = AuthStore(config.home).read(), clock()
    able = [one for one in held(config, data, provider) if one.serves(now)]
    names = [one.credential.id for one in able]
    start = names.index(credential_id) + 1 if credential_id in names else 0
    for one in (*able[start:], *able[:start]):
        if one.credential.id != credential_id and one.rest.until <= now:
            return one.credential
    return None


def refresh(config: Config, credential: Credential, *, interrupt: Interrupt) -> Credential | None:
    """Return ``credential`` renewed, by network; None if it cannot be.

    Raises as ``refresh.renew`` does.
    """
    from hermes_core.providers.refresh import renew

    return renew(config, credential, interrupt=interrupt)


def is_login(credential_id: str) -> bool:
    """Tell whether an id is that of a login, whose tokens change while it stays the same."""
    return parts(credential_id)[1] in (":oauth", f":{CLAUDE_CODE}")


def shown_by(provider: str, token: Secret) -> Literal["bearer", "x-api-key"]:
    """Return the header that carries a token: Anthropic's keys have one of their own."""
    return "x-api-key" if provider == "anthropic" and not is_login_token(token) else "bearer"


def is_login_token(token: Secret) -> bool:
    """Tell whether a token in Anthropic's place is a login's rather than a key, by its shape."""
    value = token.reveal()
    if value.startswith("sk-ant-"):
        return not value.startswith("sk-ant-api")
    return value.startswith(("eyJ", "cc-"))


def _ordered(
    config: Config, data: Data, provider: str, now: float, *, take: bool
) -> tuple[Credential, ...]:
    able = [one for one in held(config, data, provider) if one.serves(now)]
    ready = [one for one in able if one.rest.until <= now]
    resting = sorted((one for one in able if one.rest.until > now), key=lambda o: o.rest.until)
    strategy = config.credential_pool_strategies.get(provider.lower(), "fill_first")
    if strategy == "round_robin" and len(ready) > 1:
        first = turn(config.home, provider, len(ready), take=take)
        ready = ready[first:] + ready[:first]
    return tuple(one.credential for one in (*ready, *resting))


def _pasted(config: Config, data: Data, provider: str) -> Iterator[Held]:
    for number, (entry, token) in enumerate(keys(data, provider), start=1):
        name = f"{provider}#{entry['id']}"
        grant = read_grant(entry) if text(entry, "auth_type") == "oauth" else None
        label = text(entry, "label") or f"key {number}"
        source = f"{label} in auth.json"
        if grant is None:
            auth = shown_by(provider, token)
            credential = Credential(provider, "api_key", token, source, name, auth=auth)
            yield Held(credential, Secret(""), token, rest_of(data, name, token))
        else:
            yield _login(config, data, grant, Credential(provider, "oauth", token, source, name))


def _logins(config: Config, data: Data, provider: str) -> Iterator[Held]:
    stored = data.get("providers")
    grant = read_grant(stored.get(provider)) if isinstance(stored, Mapping) else None
    if grant is not None:
        empty = Credential(provider, "oauth", grant.access, "login in auth.json", "")
        last = text(data, "active_provider") == provider
        yield _login(config, data, grant, replace(empty, id=f"{provider}:oauth", last=last))
    if provider == "anthropic" and uses_claude_code(config, data):
        path = claude_code_path(config)
        try:
            grant = read_claude_code(path)
        except ConfigError:
            grant = None
        if grant is not None:
            name = f"{provider}:{CLAUDE_CODE}"
            empty = Credential(provider, "oauth", grant.access, f"Claude Code's {path}", name)
            ambient = not _is_imported(data)
            yield _login(config, data, grant, replace(empty, ambient=ambient))


def _variables(
    config: Config, data: Data, provider: str, variables: Mapping[str, str]
) -> Iterator[Held]:
    """Return tokens in variables that are traded before use."""
    login = LOGINS.get(provider)
    place = ".env" if variables is config.user_env else "the environment"
    for name in login.token_envs if login else ():
        token = Secret(variables.get(name, "").strip())
        if token:
            REDACTOR.register(token)
            source, credential_id = f"{name} in {place}", f"{provider}:env:{name}"
            empty = Credential(provider, "oauth", token, source, credential_id)
            ambient = variables is config.env
            yield _login(config, data, Grant(token, Secret("")), replace(empty, ambient=ambient))


def uses_claude_code(config: Config, data: Data) -> bool:
    """Tell whether Claude Code's login serves here.

    It does unless the user has logged out of it. A key exported as ``ANTHROPIC_API_KEY`` was chosen
    on purpose and counts before it, until ``hermes auth import anthropic`` says otherwise.
    """
    suppressed = data.get(SUPPRESSED)
    ours = suppressed.get("anthropic") if isinstance(suppressed, Mapping) else None
    if isinstance(ours, list) and CLAUDE_CODE in ours:
        return False
    exported = Secret(config.env.get("ANTHROPIC_API_KEY", ""))
    return _is_imported(data) or not exported or is_login_token(exported)


def _is_imported(data: Data) -> bool:
    """Tell whether the user has asked for Claude Code's login."""
    stored = data.get("providers")
    login = stored.get("anthropic") if isinstance(stored, Mapping) else None
    return isinstance(login, Mapping) and login.get("source") == CLAUDE_CODE


def _login(config: Config, data: Data, grant: Grant, empty: Credential) -> Held:
    login = login_of(config, empty.provider)
    base_url = allowed_address(login, grant.base_url) if login and grant.base_url else None
    exchanged = bool(login and login.exchange_url)
    credential = replace(empty, expires=0.0 if exchanged else grant.expires, base_url=base_url)
    if exchanged:
        from hermes_core.providers.exchange import known

        credential = known(credential) or credential
    renews = grant.access if exchanged else grant.refresh
    secret = grant.refresh or grant.access
    return Held(credential, renews, secret, rest_of(data, empty.id, secret))


def _secret(config: Config, data: Data, provider: str, credential_id: str) -> Secret | None:
    _, slot = parts(credential_id)
    if slot.startswith(":env:"):
        value = config.variable(slot.removeprefix(":env:"))
        return Secret(value) if value else None
    every = (one for one in held(config, data, provider) if one.credential.id == credential_id)
    return next((one.secret for one in every), None)
