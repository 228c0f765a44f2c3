"""Nous Portal: a login, or a key of one's own."""

from dataclasses import replace

from hermes_core.ground.runtime import Compat
from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import GATEWAY

register_provider(
    ProviderProfile(
        name="nous",
        display_name="Nous Portal",
        base_url="https://inference-api.nousresearch.com/v1",
        base_url_env="NOUS_INFERENCE_BASE_URL",
        key_envs=("NOUS_API_KEY",),
        hosts=("*.nousresearch.com:443",),
        aliases=("nous-portal", "nousresearch"),
        auth_kind="oauth",
        default_model="z-ai/glm-5.2",
        aux_model="google/gemini-3-flash-preview",
        fallback_models=("hermes-3-405b", "hermes-3-70b"),
        compat=Compat(echo_details=True, reasoning=replace(GATEWAY, off={})),
        signup_url="https://portal.nousresearch.com",
    )
)
