"""GMI Cloud: many vendors' models."""

from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import PLAIN

register_provider(
    ProviderProfile(
        name="gmi",
        display_name="GMI Cloud",
        base_url="https://api.gmi-serving.com/v1",
        base_url_env="GMI_BASE_URL",
        key_envs=("GMI_API_KEY",),
        aliases=("gmi-cloud", "gmicloud"),
        default_model="zai-org/GLM-5.1-FP8",
        aux_model="google/gemini-3.1-flash-lite-preview",
        fallback_models=(
            "zai-org/GLM-5.1-FP8",
            "deepseek-ai/DeepSeek-V3.2",
            "moonshotai/Kimi-K2.5",
            "google/gemini-3.1-flash-lite-preview",
            "anthropic/claude-sonnet-5",
            "anthropic/claude-sonnet-4.6",
            "openai/gpt-5.4",
        ),
        compat=PLAIN,
        signup_url="https://console.gmicloud.ai",
    )
)
