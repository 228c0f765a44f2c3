"""Stored logins in resolution: which provider they choose, and where their tokens go."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.errors import NoCredentials
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config, load_config
from hermes_core.providers import exchange
from hermes_core.providers.credentials import Credential, load_credentials
from hermes_core.providers.refresh import prepared
from hermes_core.providers.resolution import Request, resolve
from tests.fakes.logins import LoginService
from tests.fakes.replies import Reply

FAR = 4_000_000_000


def home(tmp_path: Path, data: Any, settings: Any = None, **env: str) -> Config:
    folder = tmp_path / ".hermes"
    folder.mkdir(exist_ok=True)
    (folder / "auth.json").write_text(json.dumps(data))
    (folder / "auth.json").chmod(0o600)
    (folder / "config.yaml").write_text(json.dumps(settings or {}))
    return load_config({"HERMES_HOME": str(folder), "HOME": str(tmp_path), **env})


def resolved(config: Config, provider: str | None = None, base_url: str | None = None) -> Runtime:
    request = Request(provider=provider, model="some/model", base_url=base_url)
    return resolve(request, config, credentials=load_credentials(config))


def claude(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    login = {"accessToken": "sk-ant-oat-canary", "refreshToken": "r", "expiresAt": FAR * 1000}
    (tmp_path / ".claude" / ".credentials.json").write_text(json.dumps({"claudeAiOauth": login}))


NOUS = {"providers": {"nous": {"access_token": "canary-nous", "expires_at": FAR}}}


def test_a_login_is_a_reason_to_choose_its_provider(tmp_path: Path) -> None:
    runtime = resolved(home(tmp_path, NOUS))
    assert (runtime.provider, runtime.credential) == ("nous", "nous:oauth")
    assert runtime.api_key == Secret("canary-nous")
    assert runtime.hosts == {"inference-api.nousresearch.com:443"}


def test_a_login_that_nobody_gave_us_is_none(tmp_path: Path) -> None:
    claude(tmp_path)
    config = home(tmp_path, {}, GH_TOKEN="gho_canary")
    with pytest.raises(NoCredentials):
        resolved(config)
    other = home(tmp_path, {}, OPENROUTER_API_KEY="sk-or-v1-canary")
    assert resolved(other).provider == "openrouter"


def test_but_it_serves_its_provider_before_a_copied_token(tmp_path: Path) -> None:
    claude(tmp_path)
    config = home(tmp_path, {}, CLAUDE_CODE_OAUTH_TOKEN="sk-ant-oat-copied")
    runtime = resolved(config, "anthropic")
    assert runtime.api_key == Secret("sk-ant-oat-canary")
    assert (runtime.auth, runtime.credential) == ("bearer", "anthropic:claude-code")


def test_an_explicit_override_in_env_is_honoured(tmp_path: Path) -> None:
    claude(tmp_path)
    config = home(tmp_path, {})
    (config.home / ".env").write_text("ANTHROPIC_TOKEN=sk-ant-oat-override\n")
    config = load_config({"HERMES_HOME": str(config.home), "HOME": str(tmp_path)})
    assert resolved(config, "anthropic").api_key == Secret("sk-ant-oat-override")


def test_a_login_never_goes_to_an_address_of_somebody_else(tmp_path: Path) -> None:
    config = home(tmp_path, NOUS)
    with pytest.raises(NoCredentials):
        resolved(config, "nous", "https://elsewhere.example/v1")


def test_an_address_in_the_store_does_not_widen_where_a_login_goes(tmp_path: Path) -> None:
    state = {**NOUS["providers"]["nous"], "inference_base_url": "https://evil.example/v1"}
    runtime = resolved(home(tmp_path, {"providers": {"nous": state}}))
    assert runtime.base_url == "https://inference-api.nousresearch.com/v1"
    assert runtime.hosts == {"inference-api.nousresearch.com:443"}


@pytest.fixture
def service() -> Iterator[LoginService]:
    with LoginService() as service:
        yield service
    for slot in ("copilot:oauth", "copilot:env:GH_TOKEN"):
        exchange.forget(Credential("copilot", "oauth", Secret(""), "", slot))


@pytest.mark.parametrize("stored", [True, False], ids=["stored", "in a variable"])
def test_a_traded_token_takes_the_place_of_githubs(
    tmp_path: Path, service: LoginService, stored: bool
) -> None:
    business = "https://api.business.githubcopilot.com"
    service.exchange = Reply(
        body={"token": "tid=canary-copilot", "expires_at": FAR, "endpoints": {"api": business}}
    )
    data = {"providers": {"copilot": {"access_token": "gho_canary"}}} if stored else {}
    settings = {"auth": {"copilot": {"exchange_url": f"{service.url}/exchange"}}}
    env = {} if stored else {"GH_TOKEN": "gho_canary"}
    config = home(tmp_path, data, settings, **env)
    first = resolved(config, "copilot")
    assert first.api_key == Secret("gho_canary")
    ready = prepared(config, first, interrupt=Interrupt())
    again = resolved(config, "copilot")
    assert (again.api_key, again.base_url) == (Secret("tid=canary-copilot"), business)
    assert (ready.api_key, ready.base_url, ready.hosts) == (
        again.api_key,
        again.base_url,
        again.hosts,
    )
