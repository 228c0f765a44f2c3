"""Trading a long-lived token for the short-lived one that model calls take (GitHub Copilot).

What comes back lives in memory alone. Its address is used if it lies on the service's own hosts.
"""

import logging
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from hermes_core.ground.errors import MalformedResponse
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.secrets import REDACTOR, Secret
from hermes_core.local.config import Config
from hermes_core.providers.grants import fingerprint, moment, text
from hermes_core.providers.logins import Login, allowed_address
from hermes_core.transport.fetch import Binding, fetch_json
from hermes_core.transport.guard import host_of
from hermes_core.transport.network import network_for

if TYPE_CHECKING:
    from hermes_core.providers.credentials import Clock, Credential

_KNOWN: dict[str, "Credential"] = {}
_LOCK = threading.Lock()
_LOG = logging.getLogger(__name__)


def known(credential: "Credential") -> "Credential | None":
    """Return what this process has last traded ``credential`` for."""
    with _LOCK:
        return _KNOWN.get(_name(credential))


def trade(
    config: Config,
    login: Login,
    credential: "Credential",
    *,
    interrupt: Interrupt,
    clock: "Clock" = time.time,
) -> "Credential":
    """Return ``credential`` with the short-lived token in place of its own.

    Raises ``AuthFailed`` if the long-lived token is refused, another ``ProviderError`` if the
    service fails, and ``Interrupted``.
    """
    url = login.exchange_url
    binding = Binding(
        credential.provider, credential.token, frozenset({host_of(url)}), "token", plain_http=False
    )
    answer = fetch_json(url, binding=binding, network=network_for(config, url), interrupt=interrupt)
    data = answer.data if isinstance(answer.data, dict) else {}
    token, expires = Secret(text(data, "token")), moment(data.get("expires_at"))
    REDACTOR.register(token)
    if not token:
        raise MalformedResponse(
            f"{host_of(url)} answered without a token.", provider=credential.provider
        )
    traded = replace(
        credential,
        token=token,
        expires=expires if expires is not None else clock() + 600,
        base_url=_address(login, data, token),
    )
    with _LOCK:
        _KNOWN[_name(credential)] = traded
    return traded


def forget(credential: "Credential") -> None:
    """Forget what ``credential`` was traded for: it was refused."""
    with _LOCK:
        for name, traded in list(_KNOWN.items()):
            if traded.id == credential.id:
                del _KNOWN[name]


def _name(credential: "Credential") -> str:
    return f"{credential.id} {fingerprint(credential.token)}"


def _address(login: Login, data: dict[str, object], token: Secret) -> str | None:
    endpoints = data.get("endpoints")
    named = text(endpoints, "api") if isinstance(endpoints, dict) else ""
    if not named:
        named = _proxy_of(token)
    if not named:
        return None
    allowed = allowed_address(login, named)
    if allowed is None:
        _LOG.warning("%s named an address of another host; it is not used", login.provider)
    return allowed


def _proxy_of(token: Secret) -> str:
    """Return the address that a token of the form ``a=b;proxy-ep=proxy.HOST;…`` tells."""
    fields = dict(part.partition("=")[::2] for part in token.reveal().split(";"))
    host = fields.get("proxy-ep", "")
    return f"https://api.{host.removeprefix('proxy.')}" if host else ""
