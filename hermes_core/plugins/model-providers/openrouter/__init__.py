"""OpenRouter: many models behind one key."""

from hermes_core.ground.runtime import Compat
from hermes_core.providers import ProviderProfile, register_provider

register_provider(
    ProviderProfile(
        name="openrouter",
        display_name="OpenRouter",
        base_url="https://openrouter.ai/api/v1",
        key_envs=("OPENROUTER_API_KEY",),
        aliases=("or", "open-router"),
        compat=Compat(echo_details=True),
        signup_url="https://openrouter.ai/keys",
    )
)
