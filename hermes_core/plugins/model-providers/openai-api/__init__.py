"""OpenAI's own API, through Responses."""

from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import GPT_RULES
from hermes_core.providers.tiers import OPENAI

register_provider(
    ProviderProfile(
        name="openai-api",
        display_name="OpenAI API",
        api_mode="codex_responses",
        base_url="https://api.openai.com/v1",
        base_url_env="OPENAI_BASE_URL",
        key_envs=("OPENAI_API_KEY",),
        bound=True,
        aliases=("openai",),
        default_model="gpt-5.6-sol",
        fallback_models=(
            "gpt-5.6-sol",
            "gpt-5.5",
            "gpt-5.4",
            "gpt-5.4-mini",
            "gpt-5-mini",
            "gpt-4.1",
        ),
        compat_rules=GPT_RULES,
        speed_rules=OPENAI,
        auto=99,
        signup_url="https://platform.openai.com/api-keys",
    )
)
