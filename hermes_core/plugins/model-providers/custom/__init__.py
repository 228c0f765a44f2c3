"""Any endpoint that speaks chat completions, at an address that the user gives."""

from hermes_core.providers import ProviderProfile, register_provider

register_provider(
    ProviderProfile(
        name="custom",
        display_name="Any OpenAI-compatible endpoint",
        base_url_env="OPENAI_BASE_URL",
        key_envs=("OPENAI_API_KEY",),
        key_optional=True,
        aliases=("openai-compatible", "local"),
    )
)
