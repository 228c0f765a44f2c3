"""Ollama's cloud. Its key goes nowhere else, whatever OLLAMA_BASE_URL says."""

from dataclasses import replace

from hermes_core.ground.runtime import Compat
from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import EFFORT_FIELD

register_provider(
    ProviderProfile(
        name="ollama-cloud",
        display_name="Ollama Cloud",
        base_url="https://ollama.com/v1",
        base_url_env="OLLAMA_BASE_URL",
        key_envs=("OLLAMA_API_KEY",),
        bound=True,
        aliases=("ollama_cloud",),
        aux_model="nemotron-3-nano:30b",
        compat=Compat(
            reasoning=replace(EFFORT_FIELD, efforts=(*EFFORT_FIELD.efforts, ("max", "max")))
        ),
        signup_url="https://ollama.com/settings/keys",
    )
)
