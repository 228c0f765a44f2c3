"""Stored logins and keys under real model calls: renewed, traded, and taken in turns."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes_core.agent.agent import AIAgent
from hermes_core.local.config import Config, load_config
from hermes_core.model.assembly import runtime_for
from hermes_core.model.catalogue import list_models
from hermes_core.providers.auth_store import AuthStore
from hermes_core.providers.resolution import Request
from tests.fakes.logins import LoginService, refused
from tests.fakes.provider import FakeProvider, Recorded
from tests.fakes.replies import Reply, fail, say

PAST, FAR = 1_000_000_000, 4_000_000_000


@pytest.fixture
def service() -> Iterator[LoginService]:
    with LoginService() as service:
        yield service


class Guarded:
    """A provider that lets only certain keys in."""

    def __init__(self, *keys: str, otherwise: Reply | None = None) -> None:
        self.keys = {f"Bearer {key}" for key in keys}
        self.otherwise = otherwise or fail(401, "who are you")
        self.seen: list[str] = []

    def __call__(self, request: Recorded) -> Reply:
        shown = request.headers.get("authorization", "")
        self.seen.append(shown.removeprefix("Bearer "))
        return say("Welcome.") if shown in self.keys else self.otherwise


PLUGIN = """
from hermes_core.providers import ProviderProfile, register_provider

register_provider(
    ProviderProfile(
        "mine", "Mine", base_url={url!r}, auth_kind="oauth", key_envs=("MINE_KEY", "MINE_KEY_2")
    )
)
"""


def home(tmp_path: Path, provider: FakeProvider, service: LoginService, auth: Any) -> Config:
    """Return the settings of a user who has added the provider ``mine`` as a folder."""
    folder = tmp_path / ".hermes"
    plugin = folder / "plugins" / "model-providers" / "mine"
    plugin.mkdir(parents=True)
    (plugin / "plugin.yaml").write_text("api: 1\n")
    (plugin / "__init__.py").write_text(PLUGIN.format(url=provider.base_url))
    for path in (plugin, *plugin.iterdir()):
        path.chmod(0o700)
    settings = {
        "model": {"provider": "mine", "default": "m"},
        "auth": {"mine": {"token_url": f"{service.url}/token", "client_id": "me"}},
        "agent": {"api_max_retries": 0},
    }
    (folder / "config.yaml").write_text(json.dumps(settings))
    (folder / "auth.json").write_text(json.dumps(auth))
    (folder / "auth.json").chmod(0o600)
    return load_config({"HERMES_HOME": str(folder), "HOME": str(tmp_path)})


def chat(tmp_path: Path, config: Config) -> str:
    return AIAgent(cwd=tmp_path, config=config).chat("hello")


def login(**more: Any) -> Any:
    state = {"access_token": "canary-old", "refresh_token": "canary-r", **more}
    return {"providers": {"mine": state}}


def keys(*tokens: str) -> Any:
    entries = [
        {"id": f"k{number}", "source": "manual", "auth_type": "api_key", "access_token": token}
        for number, token in enumerate(tokens)
    ]
    return {"credential_pool": {"mine": entries}}


def test_a_login_that_has_ended_is_renewed_before_the_call(
    tmp_path: Path, service: LoginService
) -> None:
    service.accept("canary-r")
    door = Guarded("canary-access-1")
    with FakeProvider(door) as provider:
        config = home(tmp_path, provider, service, login(expires_at=PAST))
        assert chat(tmp_path, config) == "Welcome."
    assert door.seen == ["canary-access-1"]


def test_a_refused_login_is_renewed_once_and_the_call_sent_again(
    tmp_path: Path, service: LoginService
) -> None:
    service.accept("canary-r")
    door = Guarded("canary-access-1")
    with FakeProvider(door) as provider:
        config = home(tmp_path, provider, service, login(expires_at=FAR))
        assert chat(tmp_path, config) == "Welcome."
    assert door.seen == ["canary-old", "canary-access-1"]
    assert len(service.requests) == 1
    stored = AuthStore(config.home).read()["providers"]["mine"]
    assert stored["refresh_token"] == "canary-refresh-1"


def test_a_login_that_is_over_is_asked_for_once(tmp_path: Path, service: LoginService) -> None:
    service.refreshing = lambda fields: refused("invalid_grant")
    door = Guarded()
    with FakeProvider(door) as provider:
        config = home(tmp_path, provider, service, login(expires_at=FAR))
        for _ in range(2):
            assert "refused" in chat(tmp_path, config)
    assert len(service.requests) == 1


def test_a_limited_key_gives_way_to_the_next_in_this_and_later_sessions(
    tmp_path: Path, service: LoginService
) -> None:
    door = Guarded("canary-second", otherwise=fail(429, "slow down", retry_after="900"))
    with FakeProvider(door) as provider:
        config = home(tmp_path, provider, service, keys("canary-first", "canary-second"))
        assert chat(tmp_path, config) == "Welcome."
        assert chat(tmp_path, config) == "Welcome."
    assert door.seen == ["canary-first", "canary-second", "canary-second"]


def test_a_refused_key_gives_way_to_the_next(tmp_path: Path, service: LoginService) -> None:
    door = Guarded("canary-second")
    with FakeProvider(door) as provider:
        config = home(tmp_path, provider, service, keys("canary-first", "canary-second"))
        assert chat(tmp_path, config) == "Welcome."
    assert door.seen == ["canary-first", "canary-second"]


def variables(config: Config, exported: str = "", **of_file: str) -> Config:
    """Return the settings anew, with variables in ``.env`` and one in the environment."""
    (config.home / ".env").write_text("".join(f"{k}={v}\n" for k, v in of_file.items()))
    environment = {"HERMES_HOME": str(config.home), "HOME": str(config.home.parent)}
    return load_config({**environment, **({"MINE_KEY": exported} if exported else {})})


def test_a_key_in_a_variable_gives_way_to_a_stored_one_in_this_and_later_sessions(
    tmp_path: Path, service: LoginService
) -> None:
    door = Guarded("canary-stored")
    with FakeProvider(door) as provider:
        config = home(tmp_path, provider, service, keys("canary-stored"))
        config = variables(config, MINE_KEY="canary-of-file")
        assert chat(tmp_path, config) == "Welcome."
        assert chat(tmp_path, config) == "Welcome."
    assert door.seen == ["canary-of-file", "canary-stored", "canary-stored"]
    assert "canary-of-file" not in (config.home / "auth.json").read_text()
    trail = " ".join(runtime_for(Request(), config).source)
    assert "MINE_KEY in .env rests after a refusal" in trail


def test_two_keys_take_turns_session_by_session(tmp_path: Path, service: LoginService) -> None:
    door = Guarded("canary-first", "canary-second")
    with FakeProvider(door) as provider:
        config = home(tmp_path, provider, service, keys("canary-first", "canary-second"))
        config = replace(config, credential_pool_strategies={"mine": "round_robin"})
        for _ in range(4):
            assert chat(tmp_path, config) == "Welcome."
    assert sorted(door.seen[:2]) == sorted(door.seen[2:]) == ["canary-first", "canary-second"]


def test_a_new_key_in_the_variable_is_used_at_once(tmp_path: Path, service: LoginService) -> None:
    door = Guarded("canary-stored", "canary-new")
    with FakeProvider(door) as provider:
        config = home(tmp_path, provider, service, keys("canary-stored"))
        chat(tmp_path, variables(config, MINE_KEY="canary-of-file"))
        chat(tmp_path, variables(config, MINE_KEY="canary-new"))
    assert door.seen == ["canary-of-file", "canary-stored", "canary-new"]


def test_every_key_is_asked_once_whatever_holds_it(tmp_path: Path, service: LoginService) -> None:
    door = Guarded()
    with FakeProvider(door) as provider:
        config = home(tmp_path, provider, service, keys("canary-stored"))
        of_file = {"MINE_KEY": "canary-one", "MINE_KEY_2": "canary-two"}
        assert "refused" in chat(tmp_path, variables(config, **of_file))
    assert door.seen == ["canary-one", "canary-two", "canary-stored"]


def test_a_key_that_is_the_only_one_never_rests(tmp_path: Path, service: LoginService) -> None:
    door = Guarded()
    with FakeProvider(door) as provider:
        config = variables(home(tmp_path, provider, service, {}), exported="canary-exported")
        chat(tmp_path, config)
        door.keys = {"Bearer canary-exported"}
        assert chat(tmp_path, config) == "Welcome."


def test_why_a_login_could_not_be_renewed_is_told(tmp_path: Path, service: LoginService) -> None:
    service.refreshing = lambda fields: refused("invalid_client", error_description="Who is me?")
    with FakeProvider(Guarded()) as provider:
        config = home(tmp_path, provider, service, login(expires_at=FAR))
        said = chat(tmp_path, config)
    assert "did not renew the login: Who is me?" in said
    assert "auth.mine" in said
    assert "hermes doctor" not in said


def test_that_a_login_is_over_is_told(tmp_path: Path, service: LoginService) -> None:
    service.refreshing = lambda fields: refused("invalid_grant")
    with FakeProvider(Guarded()) as provider:
        config = home(tmp_path, provider, service, login(expires_at=FAR))
        said = chat(tmp_path, config)
    assert "Run `hermes auth login mine`" in said


def test_a_list_of_models_is_asked_for_with_a_login_that_serves(
    tmp_path: Path, service: LoginService
) -> None:
    service.accept("canary-r")
    listed = Reply(body={"data": [{"id": "one"}, {"id": "two"}]})
    with FakeProvider(lambda request: listed) as provider:
        config = home(tmp_path, provider, service, login(expires_at=PAST))
        before = runtime_for(Request(), config)
        found = list_models(before, config)
        after = runtime_for(Request(), config)
        assert list_models(after, config) == found
        assert before.api_key != after.api_key
    assert [model.id for model in found] == ["one", "two"]
    shown = [request.headers["authorization"] for request in provider.requests]
    assert shown == ["Bearer canary-access-1"]
    kept = (config.home / "cache" / "models.json").read_text()
    assert "canary" not in kept
