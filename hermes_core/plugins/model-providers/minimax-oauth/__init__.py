"""MiniMax, after a login."""

from hermes_core.ground.runtime import Compat
from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import BUDGET

register_provider(
    ProviderProfile(
        name="minimax-oauth",
        display_name="MiniMax (login)",
        api_mode="anthropic_messages",
        base_url="https://api.minimax.io/anthropic",
        hosts=("api.minimaxi.com:443",),
        aliases=("minimax-portal", "minimax-global", "minimax_oauth", "minimax-oauth-io"),
        auth_kind="oauth",
        default_model="MiniMax-M3",
        aux_model="MiniMax-M2.7",
        fallback_models=("MiniMax-M3", "MiniMax-M2.7", "MiniMax-M2.7-highspeed"),
        lists_models=False,
        compat=Compat(reasoning=BUDGET, default_max_tokens=64_000),
        messages_auth="bearer",
    )
)
