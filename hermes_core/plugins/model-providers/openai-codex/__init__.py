"""OpenAI Codex: the models of a ChatGPT plan, after a login."""

from dataclasses import replace

from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import GPT_RULES
from hermes_core.providers.tiers import CODEX

register_provider(
    ProviderProfile(
        name="openai-codex",
        display_name="OpenAI Codex (ChatGPT plan)",
        api_mode="codex_responses",
        base_url="https://chatgpt.com/backend-api/codex",
        base_url_env="HERMES_CODEX_BASE_URL",
        bound=True,
        aliases=("codex", "openai_codex"),
        auth_kind="oauth",
        default_model="gpt-5.6-sol",
        fallback_models=(
            "gpt-5.6-sol",
            "gpt-5.6-terra",
            "gpt-5.6-luna",
            "gpt-5.5",
            "gpt-5.4",
            "gpt-5.4-mini",
            "gpt-5.3-codex",
            "gpt-5.3-codex-spark",
        ),
        models_url="https://chatgpt.com/backend-api/codex/models?client_version=1.0.0",
        speed_rules=CODEX,
        compat_rules=tuple((name, replace(c, max_tokens_key=None)) for name, c in GPT_RULES),
    )
)
