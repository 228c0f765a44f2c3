"""DeepSeek's own API."""

from dataclasses import replace

from hermes_core.ground.reasoning import NO_REASONING
from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import DEEPSEEK

register_provider(
    ProviderProfile(
        name="deepseek",
        display_name="DeepSeek",
        base_url="https://api.deepseek.com/v1",
        base_url_env="DEEPSEEK_BASE_URL",
        key_envs=("DEEPSEEK_API_KEY",),
        aliases=("deepseek-chat", "deep-seek"),
        default_model="deepseek-v4-pro",
        aux_model="deepseek-chat",
        fallback_models=("deepseek-chat", "deepseek-reasoner"),
        compat=DEEPSEEK,
        compat_rules=(("deepseek-chat*", replace(DEEPSEEK, reasoning=NO_REASONING)),),
        signup_url="https://platform.deepseek.com/api_keys",
    )
)
