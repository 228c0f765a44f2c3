"""The Qwen portal's login, whose free tier has ended."""

from dataclasses import replace

from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import PLAIN

register_provider(
    ProviderProfile(
        name="qwen-oauth",
        display_name="Qwen (portal login)",
        base_url="https://portal.qwen.ai/v1",
        base_url_env="HERMES_QWEN_BASE_URL",
        key_envs=("QWEN_API_KEY",),
        aliases=("qwen-portal", "qwen-cli"),
        auth_kind="oauth",
        headers=(
            ("X-DashScope-CacheControl", "enable"),
            ("X-DashScope-AuthType", "qwen-oauth"),
        ),
        compat=replace(
            PLAIN, default_max_tokens=65_536, extra_body={"vl_high_resolution_images": True}
        ),
        lists_models=False,
        legacy="Qwen's free login ended on 2026-04-15; use `alibaba` with a DASHSCOPE_API_KEY.",
        auto=0,
    )
)
