"""Kimi on Moonshot's platform in China."""

from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import KIMI_RULES

register_provider(
    ProviderProfile(
        name="kimi-coding-cn",
        display_name="Kimi / Moonshot (China)",
        base_url="https://api.moonshot.cn/v1",
        key_envs=("KIMI_CN_API_KEY",),
        aliases=("kimi-cn", "moonshot-cn"),
        default_model="kimi-k3",
        aux_model="kimi-k2-turbo-preview",
        fallback_models=("kimi-k3", "kimi-k2.7-code", "kimi-k2.6", "kimi-k2.5"),
        compat_rules=KIMI_RULES,
        signup_url="https://platform.moonshot.cn/console/api-keys",
    )
)
