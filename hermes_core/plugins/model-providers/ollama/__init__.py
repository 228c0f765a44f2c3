"""Ollama on this machine, or where ``model.base_url`` says."""

from hermes_core.ground.runtime import Compat
from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import EFFORT_FIELD

register_provider(
    ProviderProfile(
        name="ollama",
        display_name="Ollama (local)",
        base_url="http://127.0.0.1:11434/v1",
        key_optional=True,
        aliases=("ollama-local", "local-ollama"),
        compat=Compat(reasoning=EFFORT_FIELD),
        auto=0,
        signup_url="https://ollama.com",
    )
)
