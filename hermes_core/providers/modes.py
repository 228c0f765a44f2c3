"""Which wire format an endpoint speaks for a model, and what is peculiar about it there."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from hermes_core.ground.errors import ConfigError
from hermes_core.ground.runtime import ApiMode, Compat
from hermes_core.ground.speeds import Speed
from hermes_core.providers.profile import ProviderProfile, first_match

URL_RULES: tuple[tuple[str, ApiMode], ...] = (
    ("api.openai.com", "codex_responses"),
    ("api.openai.com/*", "codex_responses"),
    ("api.x.ai", "codex_responses"),
    ("api.x.ai/*", "codex_responses"),
    ("api.anthropic.com", "anthropic_messages"),
    ("api.anthropic.com/*", "anthropic_messages"),
    ("api.kimi.com/coding", "anthropic_messages"),
    ("api.kimi.com/coding/*", "anthropic_messages"),
    ("*/anthropic", "anthropic_messages"),
    ("*/anthropic/v1", "anthropic_messages"),
)
"""Patterns of a whole ``host/path``, so that a host is never mistaken for part of another."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address with the provider that was chosen and the one whose dialect is spoken there.

    They differ where a known provider's address is used under another name, such as ``custom``.
    """

    profile: ProviderProfile
    dialect: ProviderProfile
    url: str

    @property
    def place(self) -> str:
        """The address as ``host/path``."""
        parts = urlsplit(self.url)
        return f"{parts.hostname or ''}{parts.path.rstrip('/')}"


def mode_of(
    endpoint: Endpoint, model: str, asked: ApiMode | None, saved: ApiMode | None
) -> tuple[ApiMode, str]:
    """Return the format and why.

    Order: asked for, saved with the address, the provider's rule for the model, the rule for the
    host and path, the provider's usual one. A provider with rules by model lets a saved mode
    overrule them only where the user names the models and the address: what was saved for one
    model is wrong for the next.

    Raises ``ConfigError`` for a model that the provider serves in no format that is spoken here.
    """
    profile, dialect = endpoint.profile, endpoint.dialect
    if asked:
        return asked, "asked for"
    if profile.entry is not None and profile.entry.api_mode:
        return profile.entry.api_mode, f"saved with {profile.name}"
    if saved and (profile.roams or not profile.mode_rules):
        return saved, "model.api_mode in config.yaml"
    mode = first_match(dialect.mode_rules, model)
    if mode:
        return mode, f"what {dialect.name} serves {model} in"
    if dialect.unsupported:
        raise ConfigError(dialect.unsupported.format(model=model))
    mode = first_match((*dialect.url_rules, *URL_RULES), endpoint.place)
    if mode:
        return mode, f"what {endpoint.place} speaks"
    return dialect.api_mode, f"{dialect.name}'s"


def speeds_of(endpoint: Endpoint, model: str, mode: ApiMode) -> tuple[Speed, ...]:
    """Return the speeds that ``model`` is served at there beside the usual one."""
    dialect = endpoint.dialect
    if mode != (first_match(dialect.mode_rules, model) or dialect.api_mode):
        return ()
    return first_match(dialect.speed_rules, model) or ()


def compat_of(endpoint: Endpoint, model: str, mode: ApiMode) -> Compat:
    """Return what is peculiar about ``model`` there, in the format ``mode``."""
    dialect = endpoint.dialect
    expected = first_match(dialect.mode_rules, model) or dialect.api_mode
    if mode == expected:
        by_model = first_match(dialect.compat_rules, model)
        if by_model is not None:
            return by_model
    if mode == dialect.api_mode:
        return dialect.compat
    return dict(dialect.mode_compats).get(mode, Compat())
