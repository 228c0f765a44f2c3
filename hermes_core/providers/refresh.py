"""Renewing logins before they end, by one process at a time.

Many refresh tokens serve once. So whoever renews takes the store's lock, reads the login again (it
may have been renewed meanwhile), asks, and writes the new tokens before the lock is given back.
"""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from hermes_core.ground.errors import (
    AuthFailed,
    ConfigError,
    ConnectionFailed,
    ProviderError,
)
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.providers import exchange
from hermes_core.providers.auth_store import AuthStore
from hermes_core.providers.credentials import Clock, Credential, find
from hermes_core.providers.grants import Grant
from hermes_core.providers.logins import Login, allowed_address, login_of
from hermes_core.providers.missing import login_ended
from hermes_core.providers.places import Place, place_of
from hermes_core.providers.pool import note, parts, rest_of
from hermes_core.providers.tokens import Tokens, ask_for_tokens
from hermes_core.transport.guard import host_of

TERMINAL = ("invalid_grant", "refresh_token_reused", "token_revoked", "refresh_token_expired")
"""Error codes after which a refresh token never serves again."""

_Result = TypeVar("_Result")
_LOG = logging.getLogger(__name__)


def is_due(config: Config, credential: Credential, *, clock: Clock = time.time) -> bool:
    """Tell whether ``credential`` ends so soon that it should be renewed before it is used."""
    login = login_of(config, credential.provider)
    if login is None or credential.expires is None:
        return False
    return credential.expires - clock() <= login.skew


def fresh(
    config: Config, credential: Credential, *, interrupt: Interrupt, clock: Clock = time.time
) -> Credential | None:
    """Return ``credential``, renewed if it is due; None if it has ended and cannot be renewed.

    One that still serves for a moment is returned as it is if renewing fails just now. Raises as
    ``renew`` does.
    """
    if not is_due(config, credential, clock=clock):
        return credential
    serves = credential.expires is not None and credential.expires > clock()
    try:
        renewed = renew(config, credential, interrupt=interrupt, clock=clock)
    except ProviderError as error:
        if not serves:
            raise
        _LOG.warning("%s could not be renewed yet: %s", credential.id, error)
        renewed = None
    return renewed or (credential if serves else None)


def prepared(
    config: Config, runtime: Runtime, *, interrupt: Interrupt, clock: Clock = time.time
) -> Runtime:
    """Return ``runtime`` with a credential that serves now: renewed or traded where that is due.

    Raises ``AuthFailed`` if its login has ended and cannot be renewed, and as ``renew`` does.
    """
    credential = find(config, runtime.credential)
    if credential is None:
        return runtime
    ready = fresh(config, credential, interrupt=interrupt, clock=clock)
    if ready is None:
        words = f"The login of {runtime.provider} has ended. {login_ended(credential.id)}"
        raise AuthFailed(words, provider=runtime.provider, model=runtime.model)
    if ready.token == runtime.api_key and not ready.base_url:
        return runtime
    base_url = runtime.base_url
    login = login_of(config, runtime.provider)
    if ready.base_url and login is not None and allowed_address(login, base_url):
        base_url = ready.base_url
    return replace(
        runtime, api_key=ready.token, base_url=base_url, hosts=frozenset({host_of(base_url)})
    )


def renew(
    config: Config, credential: Credential, *, interrupt: Interrupt, clock: Clock = time.time
) -> Credential | None:
    """Return ``credential`` with tokens that another process or the login service has just made.

    None if it is a key, if there is nothing to renew it with, or if the service says that its
    login is over: that is written down, and it is not asked again. Once the service was asked, its
    answer is stored even if nobody waits for it any more: the old token may have served.

    Raises a ``ProviderError`` if the service fails or asks to wait (which does not end the login),
    ``Interrupted``, and ``ConfigError`` if the store cannot be used.
    """
    login = login_of(config, credential.provider)
    if login is None or credential.kind == "api_key":
        return None
    if login.exchange_url:
        return _trade(config, login, credential, interrupt, clock)
    place = place_of(config, credential.id)
    if place is None:
        return None
    renewal = _Renewal(config, login, credential.id, place=place, interrupt=interrupt, clock=clock)

    def work() -> Grant | None:
        with AuthStore(config.home).locked(interrupt):
            interrupt.raise_if_set()
            grant = place.read()
            if grant is None:
                return None
            if grant.access == credential.token or not grant.access or not renewal.serves(grant):
                grant = renewal.run(grant)
            return grant

    grant = _to_its_end(work, interrupt)
    return _with(credential, grant, login) if grant else None


def _to_its_end(work: Callable[[], _Result], interrupt: Interrupt) -> _Result:
    """Return what ``work`` does. ``Interrupted`` ends the wait for it, not the work."""
    future: Future[_Result] = Future()
    done = threading.Event()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)
        finally:
            done.set()

    forget = interrupt.listen(done.set)
    try:
        threading.Thread(target=run, name="renewal", daemon=True).start()
        done.wait()
    finally:
        forget()
    interrupt.raise_if_set()
    return future.result()


class _Renewal:
    """One attempt to renew one login, under the lock."""

    def __init__(
        self,
        config: Config,
        login: Login,
        credential_id: str,
        *,
        place: Place,
        interrupt: Interrupt,
        clock: Clock,
    ) -> None:
        self._config = config
        self._login = login
        self._id = credential_id
        self._place = place
        self._interrupt = interrupt
        self._clock = clock

    def run(self, grant: Grant) -> Grant | None:
        """Return new tokens, stored; None if the login is over."""
        elsewhere = self._place.original(self._interrupt)
        if elsewhere and elsewhere.access != grant.access and self.serves(elsewhere):
            self._place.write(elsewhere)
            return elsewhere
        if self._is_over(grant) or not grant.refresh or not self._login.token_url:
            return None
        tokens = self._ask(grant)
        if tokens.error:
            return self._after_refusal(grant, tokens)
        renewed = replace(
            grant,
            access=tokens.access,
            refresh=tokens.refresh or grant.refresh,
            expires=tokens.expires,
            base_url=tokens.base_url or grant.base_url,
        )
        try:
            self._place.write(renewed)
        except (ConfigError, OSError) as error:
            _LOG.warning("renewed tokens of %s could not be stored: %s", self._id, error)
        return renewed

    def serves(self, grant: Grant) -> bool:
        """Tell whether tokens are good for a while."""
        return grant.expires is None or grant.expires - self._clock() > self._login.skew

    def _after_refusal(self, grant: Grant, tokens: Tokens) -> Grant | None:
        """Return tokens that a program without our lock made meanwhile; else note the end."""
        if tokens.error not in TERMINAL:
            raise AuthFailed(
                f"The login service of {self._login.provider} did not renew the login: "
                f"{tokens.reason.rstrip('.')}. {_advice(self._config, self._login)}",
                provider=self._login.provider,
            )
        again = self._place.read()
        if again and again.refresh != grant.refresh and self.serves(again):
            return again
        store = AuthStore(self._config.home)
        data = store.read()
        note(data, self._id, grant.refresh, "dead", now=self._clock())
        store.write(data)
        _LOG.warning("the login %s is over (%s): log in again", self._id, tokens.error)
        return None

    def _ask(self, grant: Grant) -> Tokens:
        """Ask each address in turn: only one that cannot be reached is passed over."""
        login = self._login
        fields = {"grant_type": "refresh_token"}
        headers: tuple[tuple[str, str], ...] = ()
        client_id = login.client_id or grant.client_id or ""
        if client_id:
            fields["client_id"] = client_id
        if login.client_secret:
            fields["client_secret"] = login.client_secret.reveal()
        if login.refresh_header:
            headers = ((login.refresh_header, grant.refresh.reveal()),)
        else:
            fields["refresh_token"] = grant.refresh.reveal()
        urls = (login.token_url, *login.more_token_urls)
        for url in urls[:-1]:
            with suppress(ConnectionFailed):
                return self._tokens(url, fields, headers)
        return self._tokens(urls[-1], fields, headers)

    def _tokens(
        self, url: str, fields: dict[str, str], headers: tuple[tuple[str, str], ...]
    ) -> Tokens:
        return ask_for_tokens(
            self._config,
            self._login,
            url,
            fields,
            headers=headers,
            interrupt=Interrupt(),
            clock=self._clock,
        )

    def _is_over(self, grant: Grant) -> bool:
        data = AuthStore(self._config.home).read()
        return rest_of(data, self._id, grant.refresh or grant.access).dead


def _trade(
    config: Config, login: Login, credential: Credential, interrupt: Interrupt, clock: Clock
) -> Credential | None:
    """Return the short-lived token that the stored long-lived one is traded for."""
    stored = _long_lived(config, credential)
    if stored is None:
        return None
    exchange.forget(credential)
    try:
        return exchange.trade(config, login, stored, interrupt=interrupt, clock=clock)
    except AuthFailed:
        place = place_of(config, credential.id)
        other = place.original(interrupt) if place else None
        if place is None or other is None or other.access == stored.token:
            raise
        with AuthStore(config.home).locked(interrupt):
            place.write(other)
        stored = replace(stored, token=other.access)
        return exchange.trade(config, login, stored, interrupt=interrupt, clock=clock)


def _long_lived(config: Config, credential: Credential) -> Credential | None:
    _, slot = parts(credential.id)
    if slot.startswith(":env:"):
        value = config.variable(slot.removeprefix(":env:"))
        return replace(credential, token=Secret(value)) if value else None
    place = place_of(config, credential.id)
    grant = place.read() if place else None
    return replace(credential, token=grant.access) if grant and grant.access else None


def _with(credential: Credential, grant: Grant, login: Login) -> Credential:
    base_url = allowed_address(login, grant.base_url) if grant.base_url else None
    return replace(credential, token=grant.access, expires=grant.expires, base_url=base_url)


def _advice(config: Config, login: Login) -> str:
    if login.client_id:
        return f"Check auth.{login.provider} in config.yaml, or log in again."
    return (
        f"It may want a client id: register {login.register}, and set auth.{login.provider}."
        f"client_id in {config.home / 'config.yaml'}. Or start the program that made the login."
    )
