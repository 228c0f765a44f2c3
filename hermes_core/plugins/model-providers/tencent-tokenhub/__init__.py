"""Tencent TokenHub."""

from dataclasses import replace

from hermes_core.ground.runtime import Compat
from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import EFFORT_FIELD

register_provider(
    ProviderProfile(
        name="tencent-tokenhub",
        display_name="Tencent TokenHub",
        base_url="https://tokenhub.tencentmaas.com/v1",
        base_url_env="TOKENHUB_BASE_URL",
        key_envs=("TOKENHUB_API_KEY",),
        aliases=("tencent", "tokenhub", "tencent-cloud", "tencentmaas"),
        default_model="hy3-preview",
        aux_model="hy3-preview",
        fallback_models=("hy3-preview",),
        compat=Compat(reasoning=replace(EFFORT_FIELD, off={}, unset={"reasoning_effort": "high"})),
        signup_url="https://console.tencentcloud.com",
    )
)
