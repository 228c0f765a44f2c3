"""What a provider is, as data."""

from dataclasses import dataclass, field

from hermes_core.ground.runtime import ApiMode, Compat


@dataclass(frozen=True, slots=True)
class ProviderProfile:
    """One provider, as its folder declares it.

    base_url: None where only the user knows the address.
    base_url_env: the variable that may hold another address.
    key_envs: variables that may hold the key, in order of preference; they go to this provider's
        own host alone.
    key_optional: whether requests make sense without a key.
    default_model: used when no model is set.
    """

    name: str
    display_name: str
    api_mode: ApiMode = "chat_completions"
    base_url: str | None = None
    base_url_env: str | None = None
    key_envs: tuple[str, ...] = ()
    key_optional: bool = False
    aliases: tuple[str, ...] = ()
    default_model: str | None = None
    compat: Compat = field(default_factory=Compat)
    headers: tuple[tuple[str, str], ...] = ()
    signup_url: str = ""
