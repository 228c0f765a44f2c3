"""Hugging Face's router to many providers."""

from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import PLAIN

register_provider(
    ProviderProfile(
        name="huggingface",
        display_name="Hugging Face router",
        base_url="https://router.huggingface.co/v1",
        base_url_env="HF_BASE_URL",
        key_envs=("HF_TOKEN",),
        aliases=("hf", "hugging-face", "huggingface-hub"),
        default_model="moonshotai/Kimi-K2.5",
        fallback_models=(
            "moonshotai/Kimi-K2.5",
            "Qwen/Qwen3.5-72B-Instruct",
            "deepseek-ai/DeepSeek-V3.2",
        ),
        compat=PLAIN,
        auto=90,
        signup_url="https://huggingface.co/settings/tokens",
    )
)
