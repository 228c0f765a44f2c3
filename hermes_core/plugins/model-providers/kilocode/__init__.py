"""Kilo Code's gateway to many vendors' models."""

from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import PLAIN

register_provider(
    ProviderProfile(
        name="kilocode",
        display_name="Kilo Code",
        base_url="https://api.kilo.ai/api/gateway",
        base_url_env="KILOCODE_BASE_URL",
        key_envs=("KILOCODE_API_KEY",),
        aliases=("kilo", "kilo-code", "kilo-gateway"),
        default_model="anthropic/claude-opus-4.6",
        aux_model="google/gemini-3-flash-preview",
        fallback_models=(
            "anthropic/claude-sonnet-4.6",
            "openai/gpt-5.4",
            "google/gemini-3-flash-preview",
        ),
        compat=PLAIN,
        signup_url="https://app.kilo.ai",
    )
)
