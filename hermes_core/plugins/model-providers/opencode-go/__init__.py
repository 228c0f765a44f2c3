"""OpenCode Go: the subscription, with open models."""

from dataclasses import replace

from hermes_core.ground.runtime import Compat
from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import (
    BUDGET,
    DEEPSEEK,
    GLM_RULES,
    KIMI,
    KIMI_RULES,
    MIMO,
    PLAIN,
)

register_provider(
    ProviderProfile(
        name="opencode-go",
        display_name="OpenCode Go",
        base_url="https://opencode.ai/zen/go/v1",
        base_url_env="OPENCODE_GO_BASE_URL",
        key_envs=("OPENCODE_GO_API_KEY",),
        aliases=("go", "opencode_go", "opencode-go-sub"),
        mode_rules=(
            ("minimax-*", "anthropic_messages"),
            ("qwen*", "anthropic_messages"),
            ("*", "chat_completions"),
        ),
        compat_rules=(
            ("minimax-*", Compat(reasoning=BUDGET, default_max_tokens=64_000)),
            ("qwen*", replace(PLAIN, default_max_tokens=32_000)),
            ("kimi-k3*", KIMI_RULES[0][1]),
            ("kimi-*", KIMI),
            *GLM_RULES,
            ("deepseek-*", DEEPSEEK),
            ("mimo-v2.5-pro*", replace(MIMO, default_max_tokens=131_072)),
            ("mimo-*", MIMO),
            ("*", PLAIN),
        ),
        default_model="kimi-k3",
        aux_model="glm-5",
        fallback_models=("kimi-k3", "glm-5.2", "mimo-v2.5-pro", "minimax-m3", "deepseek-v4-pro"),
        signup_url="https://opencode.ai/auth",
    )
)
