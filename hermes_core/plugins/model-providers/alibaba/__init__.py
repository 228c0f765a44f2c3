"""Alibaba Cloud Model Studio (DashScope)."""

from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import PLAIN, QWEN

register_provider(
    ProviderProfile(
        name="alibaba",
        display_name="Alibaba / DashScope (Qwen Cloud)",
        base_url="https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        base_url_env="DASHSCOPE_BASE_URL",
        hosts=("dashscope.aliyuncs.com:443",),
        key_envs=("DASHSCOPE_API_KEY",),
        aliases=("dashscope", "alibaba-cloud", "qwen-dashscope", "aliyun", "qwen"),
        default_model="qwen3.7-max",
        fallback_models=(
            "qwen3.7-max",
            "qwen3.7-plus",
            "qwen3.6-plus",
            "qwen3-coder-plus",
            "glm-5",
        ),
        compat=PLAIN,
        compat_rules=(("qwen3-coder*", PLAIN), ("qwen3*", QWEN)),
        signup_url="https://modelstudio.console.alibabacloud.com",
    )
)
