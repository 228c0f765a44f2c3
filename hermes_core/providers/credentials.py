"""What a provider is used with: a key or a login, and where it came from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config


@dataclass(frozen=True, slots=True)
class Credential:
    """One credential of one provider.

    provider: its canonical name; source: where it is kept, for people to read.
    id: names the credential without showing it, such as ``openrouter#2``; stable across processes.
    expires: unix seconds, None where it does not.
    base_url: the address that the login itself names, checked against the provider's hosts.
    auth: the header that carries it.
    """

    provider: str
    kind: Literal["api_key", "oauth"]
    token: Secret
    source: str
    id: str
    expires: float | None = None
    base_url: str | None = None
    auth: Literal["bearer", "x-api-key"] = "bearer"


Credentials = Mapping[str, tuple[Credential, ...]]
"""Canonical provider name to its usable credentials, in order of preference."""


def load_credentials(config: Config) -> Credentials:
    """Return what is stored; no network is used."""
    del config
    return {}
