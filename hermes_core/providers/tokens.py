"""One request to a login service's token endpoint, and its answer in whatever form it comes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hermes_core.ground.errors import MalformedResponse
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.secrets import REDACTOR, Secret
from hermes_core.local.config import Config
from hermes_core.providers.grants import claims, moment, text
from hermes_core.providers.logins import Login
from hermes_core.transport.fetch import Binding, fetch_json
from hermes_core.transport.guard import host_of
from hermes_core.transport.network import network_for

REFUSALS = (400, 401, 403)
"""Statuses whose body says what is wrong with the request, and not with the service."""

_NOTHING = Secret("")
_ONCE = ("Connection", "close")
"""On a connection that was kept, a request may be sent twice; many of these tokens serve once."""

_SECRETS = ("access_token", "refresh_token", "id_token", "device_code", "code_verifier")


@dataclass(frozen=True, slots=True)
class Tokens:
    """What the endpoint said: tokens, or an ``error`` code with the ``reason`` for people.

    expires: unix seconds. data: the answer itself.
    """

    access: Secret = _NOTHING
    refresh: Secret = _NOTHING
    expires: float | None = None
    base_url: str | None = None
    error: str = ""
    reason: str = ""
    data: Mapping[str, Any] = field(default_factory=dict, repr=False)


def ask(
    config: Config,
    login: Login,
    url: str,
    fields: Mapping[str, str],
    *,
    interrupt: Interrupt,
    headers: tuple[tuple[str, str], ...] = (),
    form: bool | None = None,
    accept: tuple[int, ...] = REFUSALS,
) -> tuple[int, Mapping[str, Any]]:
    """Send ``fields`` to ``url``; return the status and the object that came back.

    Every secret in the answer is registered for redaction. Raises as ``fetch_json`` does.
    """
    for _, value in headers:
        REDACTOR.register(Secret(value))
    answer = fetch_json(
        url,
        binding=Binding(login.provider, hosts=frozenset({host_of(url)}), headers=(*headers, _ONCE)),
        method="POST",
        data=fields,
        form=login.form if form is None else form,
        accept=accept,
        network=network_for(config, url),
        interrupt=interrupt,
    )
    data = answer.data if isinstance(answer.data, dict) else {}
    for name in _SECRETS:
        REDACTOR.register(Secret(text(data, name)))
    return answer.status, data


def ask_for_tokens(
    config: Config,
    login: Login,
    url: str,
    fields: Mapping[str, str],
    *,
    interrupt: Interrupt,
    clock: Callable[[], float],
    headers: tuple[tuple[str, str], ...] = (),
    form: bool | None = None,
) -> Tokens:
    """Send a token request and return what came of it.

    Raises ``MalformedResponse`` for an answer with neither tokens nor an error, and as
    ``fetch_json`` does: ``RateLimited``, ``ServerError``, ``ConnectionFailed``, ``Interrupted``.
    """
    status, data = ask(config, login, url, fields, interrupt=interrupt, headers=headers, form=form)
    access = Secret(text(data, "access_token"))
    if not access:
        return _refused(login, url, status, data)
    return Tokens(
        access,
        Secret(text(data, "refresh_token")),
        expires=_end(data, clock()) or moment(claims(access.reveal()).get("exp")),
        base_url=text(data, "inference_base_url") or text(data, "resource_url") or None,
        data=data,
    )


def ending(value: object, now: float) -> float | None:
    """Return when something ends that is given as a time or as the seconds left."""
    found = moment(value)
    if found is None:
        return None
    return found if found > 1e9 else now + found


def _end(data: Mapping[str, Any], now: float) -> float | None:
    for name in ("expires_at", "expired_in", "expires_in"):
        found = ending(data.get(name), now)
        if found is not None:
            return found
    return None


def _refused(login: Login, url: str, status: int, data: Mapping[str, Any]) -> Tokens:
    error = data.get("error")
    inner = error if isinstance(error, Mapping) else {}
    code = error if isinstance(error, str) else text(inner, "code") or text(inner, "type")
    said = text(data, "error_description") or text(inner, "message") or text(data, "message")
    if not code and status < 300 and text(data, "status") in ("", "success"):
        raise MalformedResponse(
            f"{host_of(url)} answered without tokens.", provider=login.provider, status=status
        )
    code = code or text(data, "status") or f"status {status}"
    return Tokens(error=code, reason=REDACTOR.redact(" ".join((said or code).split())), data=data)
