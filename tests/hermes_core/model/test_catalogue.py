"""The endpoint's own list: read, filtered, kept for an hour, asked for with its own key alone."""

import dataclasses
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.errors import AuthFailed, ConfigError
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.model.assembly import with_facts
from hermes_core.model.catalogue import CACHE, ModelInfo, kept_model, list_models, read_list
from tests.fakes.canaries import canary
from tests.fakes.provider import FakeProvider, Reply, fail
from tests.hermes_core.model.candidates import Clock
from tests.hermes_core.model.conftest import runtime_at

KEY = canary("custom")
SHAPES: dict[str, tuple[Any, list[ModelInfo]]] = {
    "openrouter": (
        {
            "data": [
                {"id": "a", "name": "A", "context_length": 9, "supported_parameters": ["tools"]},
                {"id": "b", "context_length": 9, "supported_parameters": ["temperature"]},
            ]
        },
        [ModelInfo("a", "A", 9)],
    ),
    "ai gateway": (
        {
            "data": [
                {"id": "a", "type": "language", "tags": ["tool-use"], "context_window": 7},
                {"id": "b", "type": "language", "tags": ["vision"]},
                {"id": "c", "type": "embedding", "tags": []},
            ]
        },
        [ModelInfo("a", "", 7)],
    ),
    "copilot": (
        {
            "data": [
                {
                    "id": "a",
                    "capabilities": {
                        "type": "chat",
                        "supports": {"tool_calls": True},
                        "limits": {"max_prompt_tokens": 5, "max_context_window_tokens": 8},
                    },
                },
                {"id": "b", "capabilities": {"type": "embeddings"}},
                {"id": "c", "capabilities": {"type": "chat", "supports": {"tool_calls": False}}},
            ]
        },
        [ModelInfo("a", "", 5)],
    ),
    "lm studio": (
        {
            "models": [
                {"key": "a", "type": "llm", "max_context_length": 4096},
                {"key": "b", "type": "embedding"},
            ]
        },
        [ModelInfo("a", "", 4096)],
    ),
    "gemini": (
        {"models": [{"name": "models/a", "inputTokenLimit": 10}]},
        [ModelInfo("a", "models/a", 10)],
    ),
    "openrouter's prices": (
        [
            {"id": "a", "pricing": {"prompt": "0.01", "completion": "0.02"}},
            {"id": "b", "pricing": {"prompt": "0", "completion": "0", "input_cache_read": "0"}},
            {"id": "c", "pricing": {"prompt": "-1", "completion": "-1"}},
            {"id": "d", "pricing": {"prompt": "0.01"}},
            {"id": "e", "pricing": {"prompt": "nan", "completion": "dear"}},
        ],
        [
            ModelInfo("a", prices=(0.01, 0.02, 0.01)),
            ModelInfo("b", prices=(0.0, 0.0, 0.0)),
            *map(ModelInfo, "cde"),
        ],
    ),
    "the gateway's prices": (
        [{"id": "a", "pricing": {"input": "0.03", "output": "0.05", "input_cache_read": 0.01}}],
        [ModelInfo("a", prices=(0.03, 0.05, 0.01))],
    ),
    "vllm": ({"data": [{"id": "a", "max_model_len": 3}]}, [ModelInfo("a", "", 3)]),
    "llama.cpp": ({"data": [{"id": "a", "meta": {"n_ctx": 6}}]}, [ModelInfo("a", "", 6)]),
    "names": (["a", "b"], [ModelInfo("a"), ModelInfo("b")]),
    "odd": (
        {"data": [None, 3, {}, {"id": 7}, {"id": "a", "context_length": "many"}]},
        [ModelInfo("a")],
    ),
    "no list": ({"error": "none"}, []),
    "nothing": (None, []),
}


@pytest.mark.parametrize(("data", "models"), SHAPES.values(), ids=SHAPES)
def test_lists_are_read_in_the_shapes_they_come_in(data: Any, models: list[ModelInfo]) -> None:
    assert list(read_list(data)) == models


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return Config(home=tmp_path)


def body(*names: str, **more: Any) -> Reply:
    return Reply(body=json.dumps({"data": [{"id": name, **more} for name in names]}))


def test_a_list_is_asked_for_with_the_endpoints_own_key(
    provider: FakeProvider, config: Config
) -> None:
    provider.script(body("a"))
    assert list_models(runtime_at(provider.base_url), config) == (ModelInfo("a"),)
    (request,) = provider.requests
    assert (request.method, request.path) == ("GET", "/v1/models")
    assert request.headers["authorization"] == f"Bearer {KEY}"


def test_a_messages_endpoint_is_asked_in_its_way(provider: FakeProvider, config: Config) -> None:
    runtime = dataclasses.replace(
        runtime_at(provider.base_url), api_mode="anthropic_messages", auth="x-api-key"
    )
    provider.script(body("a"))
    list_models(runtime, config)
    (request,) = provider.requests
    assert request.path == "/v1/models?limit=1000"  # a page holds 20 unasked
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert request.headers["x-api-key"] == KEY
    assert "authorization" not in request.headers


def test_a_key_goes_to_no_host_but_its_own(provider: FakeProvider, config: Config) -> None:
    runtime = dataclasses.replace(
        runtime_at(provider.base_url), hosts=frozenset({"api.example.org:443"})
    )
    with pytest.raises(ConfigError):
        list_models(runtime, config)
    assert provider.requests == []


def test_a_list_is_kept_for_an_hour_and_for_one_key(provider: FakeProvider, config: Config) -> None:
    clock = Clock()
    runtime = runtime_at(provider.base_url)
    other = dataclasses.replace(runtime, api_key=Secret("another-key-another-key"))
    provider.script(body("a"), body("of the other"), body("b"), body("c"))

    def names(of: Runtime, **more: Any) -> list[str]:
        return [model.id for model in list_models(of, config, clock=clock, **more)]

    assert names(runtime) == ["a"]
    clock.now += 3599
    assert names(runtime) == ["a"]
    assert names(other) == ["of the other"]
    clock.now += 1
    assert names(runtime) == ["b"]
    assert names(runtime, refresh=True) == ["c"]
    kept = config.home / CACHE
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert KEY not in kept.read_text()
    assert "another-key" not in kept.read_text()


def test_an_empty_list_and_a_failure_are_not_kept(provider: FakeProvider, config: Config) -> None:
    runtime = runtime_at(provider.base_url)
    provider.script(body(), fail(401, "bad key"), body("a"))
    assert list_models(runtime, config) == ()
    with pytest.raises(AuthFailed):
        list_models(runtime, config)
    assert list_models(runtime, config) == (ModelInfo("a"),)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"lists": []}', '{"lists": {"x": 1}}'])
def test_a_damaged_file_counts_as_none(text: str, provider: FakeProvider, config: Config) -> None:
    (config.home / CACHE).parent.mkdir()
    (config.home / CACHE).write_text(text)
    provider.script(body("a"))
    assert list_models(runtime_at(provider.base_url), config) == (ModelInfo("a"),)


def test_a_provider_without_a_list_says_so(config: Config) -> None:
    runtime = dataclasses.replace(runtime_at("https://x.example/v1"), auth="process")
    with pytest.raises(ConfigError, match="does not list its models"):
        list_models(runtime, config)


def test_the_prices_of_the_list_go_with_the_model_whatever_its_window_is(
    provider: FakeProvider, config: Config
) -> None:
    config = dataclasses.replace(config, model="m", context_window=9000)
    runtime = dataclasses.replace(runtime_at(provider.base_url), model="m", context_window=9000)
    provider.script(body("m", pricing={"prompt": "0.25", "completion": "0.5"}))
    list_models(runtime, config)
    assert with_facts(runtime, config).prices == (0.25, 0.5, 0.25)


@pytest.mark.parametrize(
    ("entry", "audio"),
    [
        ({"architecture": {"input_modalities": ["text", "audio"]}}, True),
        ({"architecture": {"input_modalities": ["text", "image"]}}, False),
        ({"input_modalities": ["text", "audio"]}, True),
        ({"architecture": {"input_modalities": "audio"}}, None),
        ({}, None),
    ],
)
def test_a_list_may_say_what_takes_sounds(
    entry: Any, audio: bool | None, provider: FakeProvider, config: Config
) -> None:
    runtime = dataclasses.replace(runtime_at(provider.base_url), model="m")
    provider.script(body("m", **entry))
    assert list_models(runtime, config)[0].audio is audio
    assert with_facts(runtime, config).compat.audio is bool(audio)
    mine = dataclasses.replace(config, model="m", audio=not audio)
    assert with_facts(runtime, mine).compat.audio is not bool(audio)
    other = dataclasses.replace(runtime, api_mode="codex_responses")
    assert not with_facts(other, mine).compat.audio


def test_the_table_says_it_where_the_list_does_not(config: Config) -> None:
    runtime = dataclasses.replace(runtime_at("https://x.example/v1"), provider="gemini")
    heard = dataclasses.replace(runtime, model="gemini-3.5-flash")
    assert with_facts(heard, config).compat.audio
    assert not with_facts(dataclasses.replace(runtime, model="new"), config).compat.audio


def test_the_list_wins_over_the_table_and_the_user_over_both(
    provider: FakeProvider, config: Config
) -> None:
    runtime = dataclasses.replace(runtime_at(provider.base_url), model="m")
    assert with_facts(runtime, config).context_window == 128_000
    provider.script(body("m", context_length=4242))
    list_models(runtime, config)
    assert kept_model(runtime, config) == ModelInfo("m", "", 4242)
    known = with_facts(runtime, config)
    assert known.context_window == 4242
    assert known.source[-1] == "window 4242: the provider's own list"
    mine = dataclasses.replace(config, model="m", context_window=9000)
    runtime = dataclasses.replace(runtime, context_window=9000)
    assert with_facts(runtime, mine).context_window == 9000
