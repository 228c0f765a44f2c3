"""What a provider is, as data."""

from dataclasses import dataclass, field
from typing import Literal

from hermes_core.ground.runtime import ApiMode, Auth, Compat

AuthKind = Literal["key", "oauth", "copilot", "aws", "process", "none"]
"""How a user gets in: a key, a login, GitHub's token exchange, AWS, a program, or not at all."""


@dataclass(frozen=True, slots=True)
class ProviderProfile:
    """One provider, as its folder declares it.

    api_mode: the wire format, where ``mode_rules`` have no pattern for the model.
    base_url: None where only the user knows the address.
    base_url_env: the variable that may hold another address.
    key_envs: variables that may hold the key, in order of preference; they go to this provider's
        own host alone.
    key_optional: whether requests make sense without a key.
    default_model: used when no model is set.
    mode_rules: patterns of model ids (as in ``fnmatch``), the first that matches decides.
    compat_rules: the same, for what is peculiar to some models.
    auth: how the key is shown; auth_kind: how it is got.
    models_url: where models are listed, if not at ``/models`` below the base address.
    lists_models: whether they are listed at all.
    fallback_models: offered when a fallback is set up, never used unasked.
    aux_model: a cheap model for titles and summaries.
    legacy: a sentence for people when the service has ended.
    default_window: tokens, where nothing tells the model's.
    hosts: further hosts (``name:port``) that the key may go to.
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
    mode_rules: tuple[tuple[str, ApiMode], ...] = ()
    compat_rules: tuple[tuple[str, Compat], ...] = ()
    auth: Auth = "bearer"
    auth_kind: AuthKind = "key"
    models_url: str | None = None
    lists_models: bool = True
    fallback_models: tuple[str, ...] = ()
    aux_model: str | None = None
    legacy: str = ""
    default_window: int | None = None
    hosts: tuple[str, ...] = ()
