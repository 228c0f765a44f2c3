"""The models to choose from: what is set up, what is stored, and nobody is asked."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_core.commands.choices import LONGEST, Choices, model_choices, refresh_lists
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.local.config import Config, load_config
from hermes_core.local.provider_settings import NamedProvider
from hermes_core.model.assembly import runtime_for
from hermes_core.providers.resolution import Request
from tests.fakes.provider import FakeProvider, Reply


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as provider:
        yield provider


def settings(home: Path, **variables: str) -> Config:
    (home / ".env").write_text("".join(f"{k}={v}\n" for k, v in variables.items()))
    return load_config({"HERMES_HOME": str(home), "HOME": str(home), "PATH": "/usr/bin:/bin"})


def with_lab(home: Path, provider: FakeProvider) -> tuple[Config, Runtime]:
    entry = NamedProvider("lab", base_url=provider.base_url)
    config = replace(settings(home), providers=(entry,))
    return config, runtime_for(Request(provider="custom:lab", model="big"), config)


def listing(*models: str) -> Reply:
    entries = [{"id": one, "context_length": 9_000, "pricing": PRICING} for one in models]
    return Reply(body=json.dumps({"data": entries}))


PRICING = {"prompt": "0.000003", "completion": "0.000015"}


def names(found: list[Choices]) -> list[str]:
    return [group.provider for group in found]


def test_without_anything_set_up_there_is_nothing(tmp_path: Path) -> None:
    assert model_choices(settings(tmp_path)) == []


def test_a_provider_with_a_key_offers_what_its_profile_names(tmp_path: Path) -> None:
    config = settings(tmp_path, ANTHROPIC_API_KEY="sk-ant-0123456789abcdef")
    (group,) = model_choices(config)
    assert group.provider == "anthropic"
    assert group.models
    assert all(choice.window and choice.window > 1_000 for choice in group.models)


def test_a_server_without_a_key_is_offered_once_it_was_asked(
    tmp_path: Path, provider: FakeProvider
) -> None:
    config, runtime = with_lab(tmp_path, provider)
    assert names(model_choices(config)) == []
    provider.script(listing("big", "small"))
    assert refresh_lists(config, runtime, Interrupt())
    (group,) = model_choices(config)
    assert group.provider == "custom:lab"
    assert [(one.model, one.window, one.prices) for one in group.models] == [
        ("big", 9_000, (3.0, 15.0)),
        ("small", 9_000, (3.0, 15.0)),
    ]


def test_what_is_in_use_comes_first_and_is_in_the_list(
    tmp_path: Path, provider: FakeProvider
) -> None:
    config, runtime = with_lab(tmp_path, provider)
    keyed = settings(tmp_path, ANTHROPIC_API_KEY="sk-ant-0123456789abcdef")
    config = replace(keyed, providers=config.providers)
    found = model_choices(config, runtime)
    assert names(found) == ["custom:lab", "anthropic"]
    assert [one.model for one in found[0].models] == ["big"]
    assert provider.requests == []


def test_a_list_is_asked_for_once_an_hour_and_a_long_one_is_cut(
    tmp_path: Path, provider: FakeProvider
) -> None:
    config, runtime = with_lab(tmp_path, provider)
    provider.script(listing(*(f"model-{number}" for number in range(LONGEST + 50))))
    assert refresh_lists(config, runtime, Interrupt())
    assert not refresh_lists(config, runtime, Interrupt())
    (group,) = model_choices(config, runtime)
    assert len(group.models) == LONGEST + 1
    assert group.models[0].model == "big"


def test_only_lists_of_what_is_in_use_or_stored_are_asked_for(
    tmp_path: Path, provider: FakeProvider
) -> None:
    config, _ = with_lab(tmp_path, provider)
    assert not refresh_lists(config, None, Interrupt())
    assert provider.requests == []


def test_a_provider_that_cannot_be_asked_keeps_what_there_is(
    tmp_path: Path, provider: FakeProvider
) -> None:
    config, runtime = with_lab(tmp_path, provider)
    provider.script(Reply(status=500))
    assert not refresh_lists(config, runtime, Interrupt())
    assert names(model_choices(config, runtime)) == ["custom:lab"]
