"""What a child has from its parent: which provider, which settings, which tools."""

from dataclasses import replace
from typing import Any

import pytest

from hermes_core.agent.engine import Engine
from hermes_core.agent.heritage import Heritage, config_for_child, request_of
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.local.provider_settings import Choice
from hermes_core.providers.resolution import Request


@pytest.fixture
def engine(config: Config) -> Engine:
    key = Secret("key-of-the-session")
    return Engine(Request("custom", "big", "http://localhost:9/v1", key), config)


def test_a_child_asks_what_its_parent_asks(engine: Engine) -> None:
    assert request_of(engine) == engine.request


def test_another_model_of_the_same_provider(engine: Engine, config: Config) -> None:
    engine.configure(replace(config, delegation_model="small"))
    assert request_of(engine) == replace(engine.request, model="small")


def test_another_provider_gets_nothing_of_the_parents(engine: Engine, config: Config) -> None:
    other = replace(config, delegation_provider="openrouter", delegation_model="small")
    engine.configure(other)
    assert request_of(engine) == Request("openrouter", "small")


def test_the_fallback_that_serves_is_asked_with_its_own_request(
    engine: Engine, config: Config
) -> None:
    choice = Choice(provider="custom", model="second", base_url="http://localhost:8/v1")
    engine.configure(replace(config, fallback_providers=(choice,)))
    request = Request("custom", "second", "http://localhost:8/v1")
    serving = Engine(request, engine.config)
    serving.request = engine.request
    serving._model = Engine(request, engine.config).model()
    found = request_of(serving)
    assert (found.model, found.base_url, found.main) == ("second", "http://localhost:8/v1", False)


def test_a_childs_settings(engine: Engine, config: Config) -> None:
    chain = (Choice(provider="custom", model="second"),)
    engine.config = replace(config, max_turns=500, fallback_providers=chain)
    made = config_for_child(engine, 2)
    assert (made.max_turns, made.fallback_providers, made.max_cost) == (50, (), None)


def test_money_that_is_left_is_shared(engine: Engine, config: Config) -> None:
    engine.config = replace(config, max_cost=2.0)
    assert config_for_child(engine, 4).max_cost == 0.5
    engine.model().turn_bill.resume(1.0)
    assert config_for_child(engine, 4).max_cost == 0.25
    engine.model().turn_bill.resume(5.0)
    assert config_for_child(engine, 4).max_cost == 0.0


def test_tools_that_are_the_parents_alone() -> None:
    anything: Any = None
    tools: dict[str, Any] = {"memory": 1, "clarify": 2, "read_file": 3, "delegate_task": 4}
    allowed = Heritage(anything, anything, 1).allowed(tools)
    assert allowed == {"read_file": 3, "delegate_task": 4}
