"""NVIDIA NIM: the cloud, or a server of one's own."""

from dataclasses import replace

from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import PLAIN

register_provider(
    ProviderProfile(
        name="nvidia",
        display_name="NVIDIA NIM",
        base_url="https://integrate.api.nvidia.com/v1",
        base_url_env="NVIDIA_BASE_URL",
        key_envs=("NVIDIA_API_KEY",),
        aliases=("nvidia-nim", "nim", "build-nvidia", "nemotron"),
        default_model="nvidia/nemotron-3-ultra-550b-a55b",
        fallback_models=(
            "nvidia/llama-3.1-nemotron-70b-instruct",
            "nvidia/llama-3.3-70b-instruct",
        ),
        compat=replace(PLAIN, default_max_tokens=16_384),
        signup_url="https://build.nvidia.com",
    )
)
