"""Any endpoint that speaks one of the formats, at an address that the user gives."""

from dataclasses import replace

from hermes_core.ground.runtime import Compat
from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import EFFORT_FIELD

register_provider(
    ProviderProfile(
        name="custom",
        display_name="Any compatible endpoint",
        base_url_env="CUSTOM_BASE_URL",
        base_url_env_also=("OPENAI_BASE_URL",),
        key_envs=("OPENAI_API_KEY",),
        key_optional=True,
        aliases=("openai-compatible", "local", "vllm", "llamacpp", "llama.cpp", "llama-cpp"),
        compat=Compat(
            reasoning=replace(EFFORT_FIELD, off={"reasoning_effort": "none", "think": False})
        ),
        auto=0,
    )
)
