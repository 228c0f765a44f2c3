"""GitHub Copilot: a GitHub token, exchanged for a short-lived one."""

from dataclasses import replace

from hermes_core.ground.runtime import Compat
from hermes_core.ground.version import __version__
from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import PLAIN

_CHAT = replace(PLAIN, max_tokens_key="max_completion_tokens")

register_provider(
    ProviderProfile(
        name="copilot",
        display_name="GitHub Copilot",
        base_url="https://api.githubcopilot.com",
        base_url_env="COPILOT_API_BASE_URL",
        key_envs=("COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"),
        hosts=("*.githubcopilot.com:443", "*.*.githubcopilot.com:443"),
        bound=True,
        aliases=("github", "github-copilot", "github-models", "github-model"),
        auth_kind="copilot",
        mode_rules=(
            ("gpt-5-mini*", "chat_completions"),
            ("gpt-[5-9]*", "codex_responses"),
            ("*", "chat_completions"),
        ),
        compat_rules=(
            ("gpt-5-mini*", _CHAT),
            ("gpt-[5-9]*", Compat(encrypted_reasoning=False)),
            ("*", _CHAT),
        ),
        headers=(
            ("Editor-Version", f"hermes-editor-agent/{__version__}"),
            ("Openai-Intent", "conversation-edits"),
        ),
        messages_auth="bearer",
        default_model="gpt-5.4",
        fallback_models=(
            "gpt-5.4",
            "gpt-5.4-mini",
            "gpt-5-mini",
            "gpt-5.3-codex",
            "claude-sonnet-4.6",
            "gemini-3.1-pro-preview",
        ),
        auto=0,
        signup_url="https://github.com/features/copilot",
    )
)
