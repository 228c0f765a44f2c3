"""xAI: Grok, through Responses."""

from dataclasses import replace

from hermes_core.ground.reasoning import EFFORT, Reasoning
from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import PLAIN

_PLAIN = replace(PLAIN, dropped_keywords=frozenset(("pattern", "format")), slashes_in_enums=False)
_THINKING = replace(_PLAIN, reasoning=Reasoning(on={"reasoning": {"effort": EFFORT}}))

register_provider(
    ProviderProfile(
        name="xai",
        display_name="xAI (Grok)",
        api_mode="codex_responses",
        base_url="https://api.x.ai/v1",
        base_url_env="XAI_BASE_URL",
        key_envs=("XAI_API_KEY",),
        aliases=("grok", "x-ai", "x.ai"),
        default_model="grok-build-0.1",
        fallback_models=("grok-build-0.1", "grok-4.5", "grok-4.3", "grok-4.20-0309-reasoning"),
        compat=_PLAIN,
        compat_rules=tuple(
            (pattern, _THINKING)
            for pattern in ("grok-3-mini*", "grok-4.20-multi-agent*", "grok-4.3*", "grok-4.5*")
        ),
        signup_url="https://console.x.ai",
    )
)
