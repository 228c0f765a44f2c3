"""Vercel AI Gateway: many vendors' models behind one key."""

from hermes_core.ground.runtime import Compat
from hermes_core.providers import ProviderProfile, register_provider, tiers
from hermes_core.providers.families import GATEWAY

register_provider(
    ProviderProfile(
        name="ai-gateway",
        display_name="Vercel AI Gateway",
        base_url="https://ai-gateway.vercel.sh/v1",
        base_url_env="AI_GATEWAY_BASE_URL",
        key_envs=("AI_GATEWAY_API_KEY",),
        bound=True,
        aliases=("vercel", "vercel-ai-gateway", "ai_gateway", "aigateway"),
        compat=Compat(echo_details=True, reasoning=GATEWAY),
        aux_model="google/gemini-3-flash",
        speed_rules=tiers.GATEWAY,
        auto=10,
        signup_url="https://vercel.com/ai-gateway",
    )
)
