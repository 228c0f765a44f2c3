"""Kimi: Moonshot's platform, or the coding plan for keys that begin with sk-kimi-."""

from dataclasses import replace

from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import KIMI_RULES, PLAIN

register_provider(
    ProviderProfile(
        name="kimi-coding",
        display_name="Kimi / Moonshot",
        base_url="https://api.moonshot.ai/v1",
        base_url_env="KIMI_BASE_URL",
        hosts=("api.kimi.com:443",),
        key_envs=("KIMI_API_KEY", "KIMI_CODING_API_KEY"),
        key_routes=(("sk-kimi-", "https://api.kimi.com/coding"),),
        url_rules=(("*/coding", "anthropic_messages"), ("*/coding/v1", "anthropic_messages")),
        messages_auth="bearer",
        aliases=("kimi", "moonshot", "kimi-for-coding"),
        default_model="kimi-k3",
        aux_model="kimi-k2-turbo-preview",
        fallback_models=("kimi-k3", "kimi-k2.7-code", "kimi-k2.6", "kimi-k2.5", "kimi-k2-thinking"),
        compat_rules=KIMI_RULES,
        mode_compats=(("anthropic_messages", replace(PLAIN, default_max_tokens=32_000)),),
        signup_url="https://platform.moonshot.ai/console/api-keys",
    )
)
