"""LM Studio's server on this machine, or where ``LM_BASE_URL`` says."""

from hermes_core.providers import ProviderProfile, register_provider

register_provider(
    ProviderProfile(
        name="lmstudio",
        display_name="LM Studio",
        base_url="http://127.0.0.1:1234/v1",
        base_url_env="LM_BASE_URL",
        key_envs=("LM_API_KEY",),
        key_optional=True,
        aliases=("lm-studio",),
        signup_url="https://lmstudio.ai",
    )
)
