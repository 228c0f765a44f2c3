"""What a provider is, as data."""

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal, TypeVar
from urllib.parse import urlsplit

from hermes_core.ground.runtime import ApiMode, Auth, Compat
from hermes_core.ground.speeds import Speed
from hermes_core.local.provider_settings import NamedProvider
from hermes_core.transport.guard import is_loopback

AuthKind = Literal["key", "oauth", "copilot", "aws", "process", "none"]
"""How a user gets in: a key, a login, GitHub's token exchange, AWS, a program, or not at all."""

NAMED = "custom:"
"""What the identity of an endpoint begins with that the user named."""

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class ProviderProfile:
    """One provider, as its folder declares it. Patterns are those of ``fnmatch``; the first that
    matches decides.

    base_url: None where only the user knows the address; may hold ``{region}``.
    base_url_env: the variable that may hold another address; base_url_env_also: others that may.
    key_envs: variables that may hold the key, in order of preference; never those of addresses.
    key_optional: whether requests make sense without a key.
    default_model: used when no model is set.
    signup_url: where people get a key. legacy: a sentence for people when the service has ended.

    The wire:

    api_mode: the format where no rule says another.
    mode_rules: patterns of model ids; providers that have them let no saved mode overrule them,
        unless the address is the user's to choose.
    url_rules: patterns of ``host/path``. mode_paths: what a mode adds to the address.
    url_endings: endings of addresses that people write, and what is meant.
    unsupported: why a model is refused that no mode rule fits, with ``{model}``.
    compat: what is peculiar; compat_rules: by the model; mode_compats: for another mode than its
        own, where ``mode_rules`` do not choose it.
    speed_rules: the speeds that can be asked for, by the model.

    The key:

    auth_kind: how it is got. auth: how it is shown; messages_auth: the same in
        ``anthropic_messages``; key_auth: patterns of keys that are shown in another way.
    hosts: further ``host:port`` that are the provider's own; ``*`` stands for one label.
    bound: whether the key goes to those hosts alone, even if ``.env`` names another address.
    key_routes: beginnings of keys that belong to another address of the provider.
    login_envs: variables that show that its own login is there.
    auto: its place among those that ``auto`` tries, least first; 0 for never.

    Models:

    model_prefixes: what people write in front of ids, which the provider does not know.
    models_url: where they are listed, if not at ``/models`` below the address.
    lists_models: whether they are listed at all.
    fallback_models: offered to people where no list is had, never used unasked.
    aux_model: a cheap one for titles and summaries.
    default_window: tokens, where nothing tells the model's.
    entry: the user's entry that a named endpoint was made from.
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
    base_url_env_also: tuple[str, ...] = ()
    url_rules: tuple[tuple[str, ApiMode], ...] = ()
    url_endings: tuple[tuple[str, str], ...] = ()
    mode_paths: tuple[tuple[ApiMode, str], ...] = ()
    mode_compats: tuple[tuple[ApiMode, Compat], ...] = ()
    unsupported: str = ""
    messages_auth: Auth = "x-api-key"
    key_auth: tuple[tuple[str, Auth], ...] = ()
    key_routes: tuple[tuple[str, str], ...] = ()
    bound: bool = False
    speed_rules: tuple[tuple[str, tuple[Speed, ...]], ...] = ()
    login_envs: tuple[str, ...] = ()
    auto: int = 50
    model_prefixes: tuple[str, ...] = ()
    entry: NamedProvider | None = None

    @property
    def url_envs(self) -> tuple[str, ...]:
        """The variables that may hold its address, in order of preference."""
        first = (self.base_url_env,) if self.base_url_env else ()
        return (*first, *self.base_url_env_also)

    @property
    def roams(self) -> bool:
        """Whether the address is the user's to choose: unknown, or on the user's own machine."""
        url = self.base_url or ""
        if self.entry is not None or not url:
            return True
        return url.startswith("http") and is_loopback(urlsplit(url).hostname or "")


def first_match(rules: tuple[tuple[str, _Value], ...], text: str) -> _Value | None:
    """Return what belongs to the first pattern that ``text`` matches, in any case of letters."""
    text = text.lower()
    return next((value for pattern, value in rules if fnmatchcase(text, pattern.lower())), None)
