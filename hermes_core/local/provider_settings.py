"""What the user set about providers, as values that never change."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hermes_core.ground.runtime import ApiMode
from hermes_core.ground.secrets import Secret

NO_KEY = Secret("")


@dataclass(frozen=True, slots=True)
class NamedProvider:
    """An endpoint of the user's own: an entry of ``providers`` or ``custom_providers``.

    Its identity is ``custom:NAME``. base_url: may hold ``${NAME}`` of a variable in ``.env``.
    key_env: the variable that holds its key. models: ids with their windows in tokens, where told.
    timeout: seconds without a byte. extra_body: further fields of every request.
    """

    name: str
    display_name: str | None = None
    base_url: str | None = None
    api_key: Secret = NO_KEY
    key_env: str | None = None
    api_mode: ApiMode | None = None
    model: str | None = None
    models: tuple[tuple[str, int | None], ...] = ()
    context_window: int | None = None
    max_tokens: int | None = None
    timeout: float | None = None
    discover_models: bool = True
    enabled: bool = True
    extra_body: Mapping[str, object] = field(default_factory=dict)
    extra_headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Choice:
    """A provider with a model and, where it needs them, an address and a key of its own."""

    provider: str
    model: str
    base_url: str | None = None
    api_key: Secret = NO_KEY
    key_env: str | None = None
    api_mode: ApiMode | None = None


@dataclass(frozen=True, slots=True)
class AuxiliaryTask:
    """Which model does one kind of work beside the chat.

    provider: ``auto``, ``main`` (exactly the chat's) or a name. timeout: seconds.
    fallback_chain: what is tried next, in order.
    """

    provider: str = "auto"
    model: str | None = None
    base_url: str | None = None
    api_key: Secret = NO_KEY
    key_env: str | None = None
    api_mode: ApiMode | None = None
    timeout: float | None = None
    reasoning_effort: str | None = None
    extra_body: Mapping[str, object] = field(default_factory=dict)
    fallback_chain: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class LoginSettings:
    """How a provider's login service is reached, where the provider's own values are not meant.

    client_id, client_secret: what the service gave the user for this program.
    """

    client_id: str = ""
    client_secret: Secret = NO_KEY
    device_url: str = ""
    token_url: str = ""
    exchange_url: str = ""
    scope: str = ""
