"""What is asked for at another speed, and of whom it can be asked."""

from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.ground.speeds import SPEEDS
from hermes_core.local.config import Config
from hermes_core.providers.registry import BUNDLED, Catalogue
from hermes_core.providers.resolution import Request, resolve
from hermes_core.wire.formats import format_for

ALL = Catalogue(BUNDLED).all()
BETA = ("anthropic-beta", "fast-mode-2026-02-01")


def runtime(provider: str, model: str, speed: str | None) -> Runtime:
    config = Config(home=Path("/home/someone/.hermes"), speed=speed)
    request = Request(provider=provider, model=model, api_key=Secret("sk-x"))
    return resolve(request, config, ALL, {})


def sent(found: Runtime) -> dict[str, Any]:
    """Return what a request says of speed."""
    wire = format_for(found.api_mode)
    body = wire.to_request([{"role": "user", "content": "go"}], [], found)
    return {name: body[name] for name in ("service_tier", "speed") if name in body}


@pytest.mark.parametrize(
    ("provider", "model", "speed", "fields"),
    [
        ("openai-api", "gpt-5.6-sol", "fast", {"service_tier": "priority"}),
        ("openai-api", "gpt-5.6-sol", "flex", {"service_tier": "flex"}),
        ("openai-api", "gpt-5.6-sol", None, {}),
        ("openai-api", "gpt-4.1", "flex", {}),
        ("openrouter", "openai/gpt-5.4", "flex", {"service_tier": "flex"}),
        ("openrouter", "google/gemini-3-flash-preview", "fast", {"service_tier": "priority"}),
        ("openrouter", "anthropic/claude-opus-5", "fast", {"service_tier": "fast"}),
        ("openrouter", "anthropic/claude-opus-5", "flex", {}),
        ("openrouter", "qwen/qwen3-plus", "fast", {}),
        ("ai-gateway", "openai/gpt-5.4", "fast", {"service_tier": "priority"}),
        ("anthropic", "claude-opus-5-5", "fast", {"speed": "fast"}),
        ("anthropic", "claude-opus-5", "fast", {"speed": "fast"}),
        ("anthropic", "claude-fable-5-2", "fast", {"speed": "fast"}),
        ("anthropic", "claude-fable-5", "fast", {}),
        ("anthropic", "claude-opus-4-8", "fast", {}),
        ("xai", "grok-5", "fast", {}),
    ],
)
def test_a_request_says_it_where_the_model_is_served_so(
    provider: str, model: str, speed: str | None, fields: dict[str, str]
) -> None:
    found = runtime(provider, model, speed)
    assert sent(found) == fields
    assert (found.speed is not None) is bool(fields)


@pytest.mark.parametrize(("model", "told"), [("claude-opus-5", True), ("claude-opus-5-5", False)])
def test_a_preview_is_asked_for_by_its_header(model: str, told: bool) -> None:
    assert (BETA in runtime("anthropic", model, "fast").headers) is told
    assert BETA not in runtime("anthropic", model, None).headers


def test_another_format_than_the_usual_one_knows_no_speeds() -> None:
    request = Request(
        "openai-api", "gpt-5.6-sol", api_key=Secret("sk-x"), api_mode="chat_completions"
    )
    config = Config(home=Path("/home/someone/.hermes"), speed="fast")
    found = resolve(request, config, ALL, {})
    assert (found.speeds, found.speed) == ((), None)


def test_every_speed_has_a_name_that_can_be_set() -> None:
    rules = [rule for profile in ALL for rule in profile.speed_rules]
    assert rules
    for _, speeds in rules:
        assert {speed.word for speed in speeds} <= set(SPEEDS)
        assert len({speed.word for speed in speeds}) == len(speeds)
