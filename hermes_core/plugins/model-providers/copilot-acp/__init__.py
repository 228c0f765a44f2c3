"""GitHub Copilot's own program, driven as an agent (``copilot --acp``)."""

from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import PLAIN

register_provider(
    ProviderProfile(
        name="copilot-acp",
        display_name="GitHub Copilot (its own program)",
        base_url="acp://copilot",
        base_url_env="COPILOT_ACP_BASE_URL",
        key_optional=True,
        aliases=("github-copilot-acp", "copilot-acp-agent"),
        auth="process",
        auth_kind="process",
        default_model="copilot-acp",
        lists_models=False,
        compat=PLAIN,
        auto=0,
    )
)
