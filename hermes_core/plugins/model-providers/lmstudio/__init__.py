"""LM Studio's server on this machine, or where ``LM_BASE_URL`` says."""

from hermes_core.ground.runtime import Compat
from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import EFFORT_FIELD

register_provider(
    ProviderProfile(
        name="lmstudio",
        display_name="LM Studio",
        base_url="http://127.0.0.1:1234/v1",
        base_url_env="LM_BASE_URL",
        url_endings=(("/api/v1", "/v1"), ("/api", "/v1"), ("", "/v1")),
        key_envs=("LM_API_KEY",),
        key_optional=True,
        aliases=("lm-studio", "lm_studio"),
        compat=Compat(reasoning=EFFORT_FIELD),
        auto=0,
        signup_url="https://lmstudio.ai",
    )
)
