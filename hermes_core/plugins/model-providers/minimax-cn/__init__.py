"""MiniMax in China."""

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
        name="minimax-cn",
        display_name="MiniMax (China)",
        api_mode="anthropic_messages",
        base_url="https://api.minimaxi.com/anthropic",
        base_url_env="MINIMAX_CN_BASE_URL",
        url_rules=(("*/anthropic*", "anthropic_messages"), ("*", "chat_completions")),
        key_envs=("MINIMAX_CN_API_KEY",),
        aliases=("minimax-china", "minimax_cn"),
        default_model="MiniMax-M3",
        aux_model="MiniMax-M3",
        fallback_models=("MiniMax-M3", "MiniMax-M2.7"),
        lists_models=False,
        mode_compats=(("chat_completions", _CHAT),),
        compat=_MESSAGES,
        messages_auth="bearer",
        signup_url="https://platform.minimaxi.com",
    )
)
