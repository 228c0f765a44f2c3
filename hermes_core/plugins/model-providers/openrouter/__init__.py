"""OpenRouter: many models behind one key."""

from dataclasses import replace

from hermes_core.ground.reasoning import EFFORT, Reasoning
from hermes_core.ground.runtime import Compat
from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import GATEWAY
from hermes_core.providers.tiers import OPENROUTER

_MANY = Compat(echo_details=True, reasoning=GATEWAY)
_CLAUDE = replace(_MANY, cache_markers=True)

register_provider(
    ProviderProfile(
        name="openrouter",
        display_name="OpenRouter",
        base_url="https://openrouter.ai/api/v1",
        base_url_env="OPENROUTER_BASE_URL",
        key_envs=("OPENROUTER_API_KEY",),
        bound=True,
        aliases=("or", "open-router"),
        default_model="z-ai/glm-5.2",
        aux_model="google/gemini-3-flash-preview",
        fallback_models=(
            "anthropic/claude-sonnet-4.6",
            "openai/gpt-5.4",
            "deepseek/deepseek-chat",
            "google/gemini-3-flash-preview",
            "qwen/qwen3-plus",
        ),
        models_url="https://openrouter.ai/api/v1/models",
        compat=_MANY,
        compat_rules=(
            ("anthropic/claude-*-4.[0-5]*", _CLAUDE),
            ("anthropic/claude-3*", _CLAUDE),
            ("anthropic/claude-*", replace(_CLAUDE, reasoning=Reasoning(on={"verbosity": EFFORT}))),
        ),
        speed_rules=OPENROUTER,
        auto=1,
        signup_url="https://openrouter.ai/keys",
    )
)
