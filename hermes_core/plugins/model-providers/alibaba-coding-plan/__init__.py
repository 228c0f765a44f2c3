"""Alibaba Cloud's coding plan: its own address and key."""

from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import PLAIN, QWEN

register_provider(
    ProviderProfile(
        name="alibaba-coding-plan",
        display_name="Alibaba Cloud (Coding Plan)",
        base_url="https://coding-intl.dashscope.aliyuncs.com/v1",
        base_url_env="ALIBABA_CODING_PLAN_BASE_URL",
        hosts=("coding.dashscope.aliyuncs.com:443",),
        key_envs=("ALIBABA_CODING_PLAN_API_KEY", "DASHSCOPE_API_KEY"),
        aliases=("alibaba_coding", "alibaba-coding", "alibaba_coding_plan", "dashscope-coding"),
        default_model="qwen3.7-plus",
        fallback_models=("qwen3.7-plus", "qwen3.6-plus", "qwen3-coder-plus", "kimi-k2.5", "glm-5"),
        compat=PLAIN,
        compat_rules=(("qwen3-coder*", PLAIN), ("qwen3*", QWEN)),
        signup_url="https://modelstudio.console.alibabacloud.com",
    )
)
