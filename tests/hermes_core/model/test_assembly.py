"""Models made from the settings: keys that rotate and logins that renew, from the user's store."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_core.commands.auth import store_key
from hermes_core.commands.auth_imports import write_login
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import user_message
from hermes_core.ground.secrets import Secret
from hermes_core.ground.usage import Usage
from hermes_core.local.config import Config
from hermes_core.model.assembly import model_for, runtime_for
from hermes_core.model.prices import estimate
from hermes_core.model.respond import Model
from hermes_core.providers.auth_store import AuthStore
from hermes_core.providers.credentials import load_credentials
from hermes_core.providers.grants import Grant
from hermes_core.providers.resolution import Request
from tests.fakes.logins import LoginService, config_for
from tests.fakes.provider import FakeProvider, fail, say
from tests.hermes_core.model.conftest import Shown

PLUGIN = """
from hermes_core.providers import ProviderProfile, register_provider
register_provider(
    ProviderProfile("nous", "Mine", base_url={url!r}, key_envs=("MINE_KEY",), default_model="m")
)
"""
KEYS = ("canary-key-one", "canary-key-two", "canary-key-three")


@pytest.fixture
def service() -> Iterator[LoginService]:
    with LoginService() as service:
        yield service


@pytest.fixture
def config(tmp_path: Path, provider: FakeProvider, service: LoginService) -> Config:
    """A home whose ``nous`` is the user's own provider, at the fake one."""
    home = tmp_path / "home"
    folder = home / "plugins" / "model-providers" / "nous"
    folder.mkdir(parents=True)
    (folder / "plugin.yaml").write_text("api: 1\n")
    (folder / "__init__.py").write_text(PLUGIN.format(url=provider.base_url))
    for path in (folder, *folder.iterdir()):
        path.chmod(0o700)
    return config_for(home, "nous", service)


def ask(model: Model, shown: Shown) -> object:
    model.begin_turn(shown)
    return model.respond([user_message("hi")], [], shown, Interrupt())["content"]


def keys_sent(provider: FakeProvider) -> list[str]:
    return [r.headers["authorization"].removeprefix("Bearer ") for r in provider.requests]


def test_stored_keys_rotate_and_the_refused_ones_rest(
    config: Config, provider: FakeProvider, shown: Shown
) -> None:
    for key in KEYS:
        store_key(config, "nous", key)
    provider.script(
        fail(429, "slow", retry_after="3600"), fail(402, "no credit"), say("here"), say("again")
    )
    model = model_for(Request(provider="nous"), config)
    assert ask(model, shown) == "here"
    assert keys_sent(provider) == list(KEYS)
    assert runtime_for(Request(provider="nous"), config).api_key == Secret(KEYS[2])
    assert ask(model_for(Request(provider="nous"), config), shown) == "again"
    assert keys_sent(provider)[-1] == KEYS[2]
    assert not any(key in text for text in shown.statuses for key in KEYS)


def test_a_stored_login_is_renewed_after_a_refusal(
    config: Config, provider: FakeProvider, service: LoginService, shown: Shown
) -> None:
    service.accept("canary-refresh-0")
    grant = Grant(Secret("canary-access-0"), Secret("canary-refresh-0"))
    write_login(config, "nous", grant, "a test")
    provider.script(fail(401, "expired"), say("here"), say("again"))
    model = model_for(Request(provider="nous"), config)
    assert ask(model, shown) == "here"
    assert ask(model, shown) == "again"
    assert keys_sent(provider) == ["canary-access-0", "canary-access-1", "canary-access-1"]
    (renewed,) = load_credentials(config)["nous"]
    assert renewed.token == Secret("canary-access-1")
    assert service.reused == 0
    assert "canary-access-0" not in str(AuthStore(config.home).read())


def test_the_users_prices_win_and_are_for_the_saved_model(tmp_path: Path) -> None:
    config = Config(
        tmp_path,
        model="m",
        base_url="https://models.example/v1",
        input_price=2.0,
        output_price=8.0,
    )
    saved = runtime_for(Request(), config)
    assert estimate(saved, Usage(input=1_000_000, output=500_000, cached=10)) == pytest.approx(6.0)
    assert runtime_for(Request(model="other"), config).prices is None
    half = replace(config, output_price=None)
    assert runtime_for(Request(), half).prices is None
