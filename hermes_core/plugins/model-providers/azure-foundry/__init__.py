"""Azure AI Foundry: a resource of the user's own, with deployments that the user names."""

from dataclasses import replace

from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import CLAUDE, CLAUDE_RULES, GPT_RULES, PLAIN

_CHAT = replace(PLAIN, max_tokens_key="max_completion_tokens")

register_provider(
    ProviderProfile(
        name="azure-foundry",
        display_name="Azure AI Foundry",
        base_url_env="AZURE_FOUNDRY_BASE_URL",
        key_envs=("AZURE_FOUNDRY_API_KEY",),
        aliases=("azure", "azure-ai-foundry", "azure-ai"),
        mode_rules=tuple(
            (pattern, "codex_responses") for pattern in ("gpt-5*", "*codex*", "o1*", "o3*", "o4*")
        ),
        compat=_CHAT,
        compat_rules=(
            *CLAUDE_RULES,
            *((pattern, compat) for pattern, compat in GPT_RULES if pattern.startswith("*gpt-5")),
            *(
                (pattern, GPT_RULES[-1][1])
                for pattern in ("gpt-5*", "*codex*", "o1*", "o3*", "o4*")
            ),
        ),
        mode_compats=(("anthropic_messages", CLAUDE), ("codex_responses", GPT_RULES[-1][1])),
        messages_auth="bearer",
        lists_models=False,
        auto=0,
        signup_url="https://ai.azure.com",
    )
)
