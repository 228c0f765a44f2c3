"""Arcee AI: the Trinity models."""

from dataclasses import replace

from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import PLAIN

register_provider(
    ProviderProfile(
        name="arcee",
        display_name="Arcee AI",
        base_url="https://api.arcee.ai/api/v1",
        base_url_env="ARCEE_BASE_URL",
        key_envs=("ARCEEAI_API_KEY",),
        aliases=("arcee-ai", "arceeai"),
        default_model="trinity-large-thinking",
        fallback_models=("trinity-large-thinking", "trinity-large-preview", "trinity-mini"),
        compat=PLAIN,
        compat_rules=(("trinity-large-thinking*", replace(PLAIN, temperature=0.5)),),
        signup_url="https://chat.arcee.ai",
    )
)
