"""MiniMax, through its Messages endpoint; an address without /anthropic is chat."""

from hermes_core.ground.reasoning import Reasoning
from hermes_core.ground.runtime import Compat
from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import BUDGET

_MESSAGES = Compat(reasoning=BUDGET, default_max_tokens=64_000)
_CHAT = Compat(
    reasoning=Reasoning(
        on={"thinking": {"type": "adaptive"}},
        off={"thinking": {"type": "disabled"}},
    ),
    extra_body={"reasoning_split": True},
)

register_provider(
    ProviderProfile(
        name="minimax",
        display_name="MiniMax",
        api_mode="anthropic_messages",
        base_url="https://api.minimax.io/anthropic",
        base_url_env="MINIMAX_BASE_URL",
        url_rules=(("*/anthropic*", "anthropic_messages"), ("*", "chat_completions")),
        key_envs=("MINIMAX_API_KEY",),
        aliases=("mini-max",),
        default_model="MiniMax-M3",
        aux_model="MiniMax-M3",
        fallback_models=("MiniMax-M3", "MiniMax-M2.7", "MiniMax-M2.5"),
        lists_models=False,
        mode_compats=(("chat_completions", _CHAT),),
        compat=_MESSAGES,
        messages_auth="bearer",
        signup_url="https://platform.minimax.io",
    )
)
