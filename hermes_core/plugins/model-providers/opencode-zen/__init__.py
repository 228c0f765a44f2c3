"""OpenCode Zen: each model in the format of its vendor."""

from dataclasses import replace

from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import (
    CLAUDE_RULES,
    GLM_RULES,
    GPT_RULES,
    KIMI,
    KIMI_RULES,
    PLAIN,
)

register_provider(
    ProviderProfile(
        name="opencode-zen",
        display_name="OpenCode Zen",
        base_url="https://opencode.ai/zen/v1",
        base_url_env="OPENCODE_ZEN_BASE_URL",
        key_envs=("OPENCODE_ZEN_API_KEY",),
        aliases=("opencode", "opencode_zen", "zen"),
        mode_rules=(
            ("claude-*", "anthropic_messages"),
            ("qwen*", "anthropic_messages"),
            ("gpt-*", "codex_responses"),
            ("*", "chat_completions"),
        ),
        compat_rules=(
            *CLAUDE_RULES,
            ("qwen*", replace(PLAIN, default_max_tokens=32_000)),
            *((pattern, compat) for pattern, compat in GPT_RULES if pattern != "*"),
            ("gpt-*", GPT_RULES[-1][1]),
            ("kimi-k3*", KIMI_RULES[0][1]),
            ("kimi-*", KIMI),
            *GLM_RULES,
            ("*", PLAIN),
        ),
        default_model="kimi-k2.5",
        aux_model="gemini-3-flash",
        fallback_models=("kimi-k2.6", "gpt-5.5", "claude-sonnet-5", "gemini-3.5-flash", "glm-5.2"),
        signup_url="https://opencode.ai/auth",
    )
)
