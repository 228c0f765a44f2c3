"""Anthropic's own API, through Messages."""

from hermes_core.providers import ProviderProfile, register_provider, tiers
from hermes_core.providers.families import CLAUDE, CLAUDE_RULES

register_provider(
    ProviderProfile(
        name="anthropic",
        display_name="Anthropic",
        api_mode="anthropic_messages",
        base_url="https://api.anthropic.com",
        base_url_env="ANTHROPIC_BASE_URL",
        key_envs=("ANTHROPIC_API_KEY", "ANTHROPIC_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
        aliases=("claude", "claude-oauth", "claude-code"),
        auth="x-api-key",
        key_auth=(
            ("sk-ant-api*", "x-api-key"),
            ("sk-ant-*", "bearer"),
            ("eyj*", "bearer"),
            ("cc-*", "bearer"),
        ),
        default_model="claude-fable-5",
        aux_model="claude-haiku-4-5-20251001",
        fallback_models=(
            "claude-fable-5",
            "claude-sonnet-5",
            "claude-opus-4-8",
            "claude-sonnet-4-6",
            "claude-haiku-4-5-20251001",
        ),
        models_url="https://api.anthropic.com/v1/models",
        compat=CLAUDE,
        compat_rules=CLAUDE_RULES,
        speed_rules=tiers.CLAUDE,
        auto=20,
        signup_url="https://console.anthropic.com/settings/keys",
    )
)
