"""Google's Gemini, through its endpoint that speaks chat completions."""

from collections.abc import Mapping
from dataclasses import replace

from hermes_core.ground.reasoning import EFFORT, Reasoning
from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import PLAIN

_PLAIN = replace(
    PLAIN,
    stream_usage=False,
    default_max_tokens=65_535,
    dropped_keywords=frozenset(
        (
            "$schema",
            "additionalProperties",
            "patternProperties",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "const",
            "examples",
        )
    ),
)
_LEVEL = {"thinking_level": EFFORT}


def _thinking(level: Mapping[str, object], *efforts: str) -> Reasoning:
    def fields(more: Mapping[str, object]) -> dict[str, object]:
        config = {"include_thoughts": True, **more}
        return {"extra_body": {"google": {"thinking_config": config}}}

    words = efforts or ("low", "medium", "high")
    return Reasoning(
        on=fields(level), unset=fields({}), efforts=tuple((word, word) for word in words)
    )


register_provider(
    ProviderProfile(
        name="gemini",
        display_name="Google AI Studio",
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        base_url_env="GEMINI_BASE_URL",
        url_endings=(("/v1beta", "/v1beta/openai"),),
        model_prefixes=("google/", "gemini/", "models/"),
        key_envs=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        aliases=("google", "google-gemini", "google-ai-studio"),
        default_model="gemini-3.1-pro-preview",
        aux_model="gemini-3.5-flash",
        fallback_models=(
            "gemini-3.1-pro-preview",
            "gemini-3-pro-preview",
            "gemini-3.5-flash",
            "gemini-3.1-flash-lite-preview",
        ),
        compat=replace(_PLAIN, reasoning=_thinking({})),
        compat_rules=(
            ("*gemma*", _PLAIN),
            ("*gemini-2*", replace(_PLAIN, reasoning=_thinking({}))),
            ("*gemini-*flash*", replace(_PLAIN, reasoning=_thinking(_LEVEL))),
            ("*gemini-*pro*", replace(_PLAIN, reasoning=_thinking(_LEVEL, "low", "high"))),
        ),
        signup_url="https://aistudio.google.com/apikey",
    )
)
