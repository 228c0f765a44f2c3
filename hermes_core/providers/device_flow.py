"""Logging in with a code that the person types on a web page, in three forms of the idea."""

import base64
import hashlib
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from hermes_core.ground.errors import (
    AuthFailed,
    ConfigError,
    ConnectionFailed,
    MalformedResponse,
    RateLimited,
    ServerError,
    StreamCut,
)
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.pages import page_refusal
from hermes_core.ground.secrets import REDACTOR, Secret
from hermes_core.local.config import Config
from hermes_core.providers.grants import Grant, text
from hermes_core.providers.logins import Login
from hermes_core.providers.tokens import Tokens, ask, ask_for_tokens, ending

LIFE = 900.0
"""Seconds that a code is taken to live, where the service does not say."""

_INTERVAL = 5.0
_SLOWER = 5.0
_DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
_USER_CODE = "urn:ietf:params:oauth:grant-type:user_code"
_PENDING = ("authorization_pending", "pending")

Wait = Callable[[float], bool]
"""Waits some seconds; returns whether the wait was broken off."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """What the person has to do: open ``url`` and type ``code``.

    direct_url: leads there with the code already typed, where the service has one.
    expires: unix seconds. interval: seconds between two questions to the service.
    secret: what proves that we are who began; never shown.
    """

    url: str
    code: str
    direct_url: str | None
    expires: float
    interval: float
    secret: Secret
    verifier: Secret


class DeviceLogin:
    """One login of one provider: ``begin``, show the invitation, then ``finish``."""

    def __init__(
        self,
        config: Config,
        login: Login,
        *,
        interrupt: Interrupt,
        wait: Wait | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._config = config
        self._login = login
        self._interrupt = interrupt
        self._wait = wait or interrupt.wait
        self._clock = clock

    def begin(self) -> Invitation:
        """Ask for a code.

        Raises ``ConfigError`` without a client id, saying what has to be registered, ``AuthFailed``
        if the service refuses it, and as ``fetch_json`` does.
        """
        login = self._login
        if not login.device_url or not login.token_url:
            raise ConfigError(
                f"{login.provider} has no login with a code. Paste a key: "
                f"`hermes auth login {login.provider} --key`."
            )
        if not login.client_id:
            raise ConfigError(missing_client_id(self._config, login))
        verifier = Secret(secrets.token_urlsafe(64))
        REDACTOR.register(verifier)
        status, data = ask(
            self._config,
            login,
            login.device_url,
            self._opening(verifier),
            interrupt=self._interrupt,
            form=login.flow != "code_exchange",
        )
        if status >= 300 or data.get("error"):
            said = text(data, "error_description") or text(data, "error") or f"status {status}"
            raise AuthFailed(
                f"The login service of {login.provider} gave no code: {REDACTOR.redact(said)}.\n"
                f"Check the client id auth.{login.provider}.client_id in config.yaml.",
                provider=login.provider,
            )
        return self._invitation(data, verifier)

    def finish(self, invitation: Invitation) -> Grant:
        """Ask until the person has agreed, and return the tokens.

        Raises ``AuthFailed`` if he declined or the code ran out, and ``Interrupted``.
        """
        interval = invitation.interval
        while True:
            if self._clock() >= invitation.expires:
                raise self._failed("the code has run out")
            if self._wait(interval):
                self._interrupt.raise_if_set()
            try:
                tokens = self._poll(invitation)
            except (ConnectionFailed, StreamCut, ServerError, RateLimited):
                interval += _SLOWER
                continue
            if tokens.access:
                return self._grant(tokens)
            if tokens.error == "slow_down":
                interval += _SLOWER
            elif tokens.error not in _PENDING:
                raise self._failed(_WORDS.get(tokens.error, tokens.reason))

    def _opening(self, verifier: Secret) -> dict[str, str]:
        login = self._login
        fields = {"client_id": login.client_id}
        if login.scope and login.flow != "code_exchange":
            fields["scope"] = login.scope
        if login.flow == "user_code":
            digest = hashlib.sha256(verifier.reveal().encode()).digest()
            fields["response_type"] = "code"
            fields["code_challenge"] = base64.urlsafe_b64encode(digest).decode().rstrip("=")
            fields["code_challenge_method"] = "S256"
            fields["state"] = secrets.token_urlsafe(16)
        return fields

    def _invitation(self, data: Mapping[str, Any], verifier: Secret) -> Invitation:
        login, now = self._login, self._clock()
        code = text(data, "user_code") or text(data, "usercode")
        url = text(data, "verification_uri") or text(data, "verification_url")
        secret = text(data, "device_code") or text(data, "device_auth_id")
        if login.flow == "code_exchange":
            url = url or _beside(login.token_url, "/codex/device")
        if not code or not url or not (secret or login.flow == "user_code"):
            raise MalformedResponse(
                f"The login service of {login.provider} gave no code.", provider=login.provider
            )
        REDACTOR.register(Secret(secret))
        direct = text(data, "verification_uri_complete")
        expires = ending(data.get("expires_in"), now) or ending(data.get("expired_in"), now)
        return Invitation(
            self._page(url),
            code,
            self._page(direct) if direct else None,
            expires or now + LIFE,
            _interval(data.get("interval")),
            Secret(secret),
            verifier,
        )

    def _page(self, url: str) -> str:
        """Return an address to be shown, if it is one that a person can safely be sent to."""
        refusal = page_refusal(url)
        if not refusal:
            return url
        raise MalformedResponse(
            f"The login service of {self._login.provider} named a page that is not to be opened: "
            f"{refusal}.",
            provider=self._login.provider,
        )

    def _poll(self, invitation: Invitation) -> Tokens:
        login = self._login
        if login.flow == "code_exchange":
            return self._poll_code(invitation)
        fields = {"client_id": login.client_id}
        if login.flow == "device":
            fields |= {"grant_type": _DEVICE, "device_code": invitation.secret.reveal()}
        else:
            fields |= {"grant_type": _USER_CODE, "user_code": invitation.code}
            fields["code_verifier"] = invitation.verifier.reveal()
        return self._tokens(fields)

    def _poll_code(self, invitation: Invitation) -> Tokens:
        """Ask for the authorization code, and trade it for tokens once it is there."""
        login = self._login
        status, data = ask(
            self._config,
            login,
            f"{login.device_url.rpartition('/')[0]}/token",
            {"device_auth_id": invitation.secret.reveal(), "user_code": invitation.code},
            interrupt=self._interrupt,
            form=False,
            accept=(400, 401, 403, 404),
        )
        if status in (403, 404):
            return Tokens(error="authorization_pending")
        code = Secret(text(data, "authorization_code"))
        REDACTOR.register(code)
        if not code:
            said = text(data, "error") or f"status {status}"
            return Tokens(error=said, reason=said)
        return self._tokens(
            {
                "grant_type": "authorization_code",
                "client_id": login.client_id,
                "code": code.reveal(),
                "code_verifier": text(data, "code_verifier"),
                "redirect_uri": _beside(login.token_url, "/deviceauth/callback"),
            }
        )

    def _tokens(self, fields: dict[str, str]) -> Tokens:
        login = self._login
        if login.client_secret:
            fields = {**fields, "client_secret": login.client_secret.reveal()}
        return ask_for_tokens(
            self._config,
            replace(login, form=True),
            login.token_url,
            fields,
            interrupt=self._interrupt,
            clock=self._clock,
        )

    def _grant(self, tokens: Tokens) -> Grant:
        return Grant(
            tokens.access,
            tokens.refresh,
            expires=tokens.expires,
            base_url=tokens.base_url,
            client_id=self._login.client_id,
            scope=text(tokens.data, "scope") or self._login.scope or None,
        )

    def _failed(self, reason: str) -> AuthFailed:
        provider = self._login.provider
        return AuthFailed(
            f"The login with {provider} failed: {reason}. Run `hermes auth login {provider}` "
            "again.",
            provider=provider,
        )


_WORDS = {
    "access_denied": "it was declined",
    "authorization_declined": "it was declined",
    "expired_token": "the code has run out",
}


def missing_client_id(config: Config, login: Login) -> str:
    """Return what the user has to register before a login with a code can begin."""
    provider = login.provider
    return (
        f"A login with {provider} needs a client id of your own. Register "
        f"{login.register}, and set auth.{provider}.client_id in {config.home / 'config.yaml'}."
    )


def _interval(value: object) -> float:
    """Return the seconds between two questions; some services give milliseconds."""
    try:
        seconds = float(str(value)) if value is not None else _INTERVAL
    except ValueError:
        seconds = _INTERVAL
    return min(max(seconds / 1000 if seconds > 100 else seconds, 1.0), 60.0)


def _beside(url: str, path: str) -> str:
    """Return the address of ``path`` on the host of ``url``."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{path}"
