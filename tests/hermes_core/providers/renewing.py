"""What the tests of renewed logins share."""

from typing import Any

from hermes_core.local.config import Config
from hermes_core.providers.auth_store import AuthStore
from hermes_core.providers.credentials import Credential, load_credentials

NOW = 1_800_000_000.0


def now() -> float:
    return NOW


def stored(config: Config, provider: str, **state: Any) -> Credential:
    login = {"access_token": "canary-old", "refresh_token": "canary-r", "expires_at": NOW + 60}
    store = AuthStore(config.home)
    with store.locked():
        store.write({**store.read(), "providers": {provider: {**login, **state}}})
    (credential,) = load_credentials(config, clock=now)[provider]
    return credential


def state_of(config: Config, provider: str = "nous") -> dict[str, Any]:
    found: dict[str, Any] = AuthStore(config.home).read()["providers"][provider]
    return found
