"""Xiaomi: the MiMo models."""

from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import MIMO

register_provider(
    ProviderProfile(
        name="xiaomi",
        display_name="Xiaomi MiMo",
        base_url="https://api.xiaomimimo.com/v1",
        base_url_env="XIAOMI_BASE_URL",
        key_envs=("XIAOMI_API_KEY",),
        aliases=("mimo", "xiaomi-mimo"),
        default_model="mimo-v2.5-pro",
        fallback_models=("mimo-v2.5-pro", "mimo-v2.5", "mimo-v2-flash"),
        lists_models=False,
        compat=MIMO,
        signup_url="https://platform.xiaomimimo.com",
    )
)
