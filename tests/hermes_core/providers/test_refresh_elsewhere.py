"""Renewing logins that other programs keep, and those of a runtime."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_core.ground.errors import AuthFailed
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.providers.auth_store import AuthStore
from hermes_core.providers.credentials import load_credentials
from hermes_core.providers.refresh import fresh, prepared, renew
from tests.fakes.logins import CLIENT_ID, LoginService, config_for, refused
from tests.hermes_core.providers.renewing import NOW, now, state_of, stored


@pytest.fixture
def service() -> Iterator[LoginService]:
    with LoginService() as service:
        yield service


@pytest.fixture
def config(tmp_path: Path, service: LoginService) -> Config:
    service.accept("canary-r")
    return config_for(tmp_path / "home", "nous", service)


# Claude Code


@pytest.fixture
def claude(tmp_path: Path, service: LoginService) -> Config:
    folder = tmp_path / ".claude"
    folder.mkdir()
    login = {
        "accessToken": "canary-claude",
        "refreshToken": "canary-claude-r",
        "expiresAt": int((NOW + 30) * 1000),
        "scopes": ["user:inference"],
        "subscriptionType": "max",
    }
    data = {"claudeAiOauth": login, "mcpOAuth": {"other": 1}}
    (folder / ".credentials.json").write_text(json.dumps(data))
    service.accept("canary-claude-r")
    return config_for(tmp_path / "home", "anthropic", service)


def test_claude_codes_login_is_renewed_in_its_place(
    tmp_path: Path, claude: Config, service: LoginService
) -> None:
    (credential,) = load_credentials(claude, clock=now)["anthropic"]
    renewed = fresh(claude, credential, interrupt=Interrupt(), clock=now)
    assert renewed is not None
    assert renewed.token == Secret("canary-access-1")
    path = tmp_path / ".claude" / ".credentials.json"
    assert json.loads(path.read_text()) == {
        "claudeAiOauth": {
            "accessToken": "canary-access-1",
            "refreshToken": "canary-refresh-1",
            "expiresAt": int((NOW + 3600) * 1000),
            "scopes": ["user:inference"],
            "subscriptionType": "max",
        },
        "mcpOAuth": {"other": 1},
    }
    assert path.stat().st_mode & 0o777 == 0o600
    assert not AuthStore(claude.home).path.exists()
    assert service.fields(0) == {
        "grant_type": "refresh_token",
        "client_id": CLIENT_ID,
        "refresh_token": "canary-claude-r",
    }


def test_what_claude_code_renewed_itself_is_taken_over(
    tmp_path: Path, claude: Config, service: LoginService
) -> None:
    (credential,) = load_credentials(claude, clock=now)["anthropic"]
    path = tmp_path / ".claude" / ".credentials.json"
    data = json.loads(path.read_text())
    data["claudeAiOauth"]["accessToken"] = "canary-theirs"
    data["claudeAiOauth"]["expiresAt"] = int((NOW + 7200) * 1000)
    path.write_text(json.dumps(data))
    renewed = fresh(claude, credential, interrupt=Interrupt(), clock=now)
    assert renewed is not None
    assert renewed.token == Secret("canary-theirs")
    assert service.requests == []


def test_its_end_is_noted_here_and_its_file_left_alone(
    tmp_path: Path, claude: Config, service: LoginService
) -> None:
    service.refreshing = lambda fields: refused("invalid_grant")
    path = tmp_path / ".claude" / ".credentials.json"
    before = path.read_bytes()
    (credential,) = load_credentials(claude, clock=now)["anthropic"]
    assert renew(claude, credential, interrupt=Interrupt(), clock=now) is None
    assert path.read_bytes() == before
    assert load_credentials(claude, clock=lambda: NOW + 31) == {}


# Codex


def test_codexs_newer_login_is_taken_over_before_anybody_is_asked(
    tmp_path: Path, service: LoginService
) -> None:
    config = config_for(tmp_path / "home", "openai-codex", service)
    folder = tmp_path / ".codex"
    folder.mkdir()
    theirs = {"access_token": "canary-codex-new", "refresh_token": "canary-codex-r"}
    (folder / "auth.json").write_text(json.dumps({"tokens": theirs, "OPENAI_API_KEY": None}))
    old = {"tokens": {"access_token": "canary-codex-old", "refresh_token": "canary-gone"}}
    store = AuthStore(config.home)
    with store.locked():
        store.write({"providers": {"openai-codex": {**old, "source": "codex", "expires_at": NOW}}})
    (credential,) = load_credentials(config, clock=now)["openai-codex"]
    renewed = renew(config, credential, interrupt=Interrupt(), clock=now)
    assert renewed is not None
    assert renewed.token == Secret("canary-codex-new")
    assert service.requests == []
    assert state_of(config, "openai-codex")["tokens"]["refresh_token"] == "canary-codex-r"


# A runtime


def runtime(provider: str, key: str, credential: str, base_url: str) -> Runtime:
    return Runtime(
        provider=provider,
        model="m",
        api_mode="chat_completions",
        base_url=base_url,
        api_key=Secret(key),
        hosts=frozenset({base_url.split("/")[2]}),
        credential=credential,
    )


def test_a_runtime_gets_the_renewed_token(config: Config) -> None:
    stored(config, "nous")
    old = runtime("nous", "canary-old", "nous:oauth", "https://inference-api.nousresearch.com:443")
    ready = prepared(config, old, interrupt=Interrupt(), clock=now)
    assert ready == replace(old, api_key=Secret("canary-access-1"))


def test_a_runtime_with_a_key_stays_as_it_is(config: Config, service: LoginService) -> None:
    for credential in ("", "nous#gone", "nous:env:NOUS_API_KEY", "openrouter:env:X"):
        old = runtime("nous", "canary-key", credential, "https://inference-api.nousresearch.com")
        assert prepared(config, old, interrupt=Interrupt()) is old
    assert service.requests == []


def test_a_runtime_whose_login_is_over_says_what_to_do(
    config: Config, service: LoginService
) -> None:
    service.refreshing = lambda fields: refused("invalid_grant")
    stored(config, "nous", expires_at=NOW - 1)
    old = runtime("nous", "canary-old", "nous:oauth", "https://inference-api.nousresearch.com")
    with pytest.raises(AuthFailed, match="hermes auth login nous"):
        prepared(config, old, interrupt=Interrupt(), clock=now)
