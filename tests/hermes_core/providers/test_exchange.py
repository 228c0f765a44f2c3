"""Trading a GitHub token for the one that Copilot takes."""

import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_core.ground.errors import AuthFailed, MalformedResponse, ServerError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import MASK, REDACTOR, Secret
from hermes_core.local.config import Config
from hermes_core.providers import exchange
from hermes_core.providers.auth_store import AuthStore
from hermes_core.providers.credentials import Credential, load_credentials
from hermes_core.providers.logins import login_of
from hermes_core.providers.refresh import fresh, is_due, prepared, renew
from tests.fakes.logins import LoginService, config_for, refused
from tests.fakes.replies import Reply, fail

NOW = 1_800_000_000.0
HOME = "https://api.githubcopilot.com"
BUSINESS = "https://api.business.githubcopilot.com"


@pytest.fixture
def service() -> Iterator[LoginService]:
    with LoginService() as service:
        service.exchange = traded()
        yield service


def now() -> float:
    return NOW


def traded(**more: object) -> Reply:
    answer = {"token": "tid=canary-short", "expires_at": NOW + 1500, "endpoints": {"api": BUSINESS}}
    return Reply(body={**answer, **more})


def config_at(tmp_path: Path, service: LoginService, **more: str) -> Config:
    return config_for(
        tmp_path / "home", "copilot", service, exchange_url=f"{service.url}/exchange", **more
    )


@pytest.fixture
def config(tmp_path: Path, service: LoginService) -> Config:
    return config_at(tmp_path, service)


def stored(config: Config, token: str = "gho_canary-long", source: str = "pasted") -> Credential:
    store = AuthStore(config.home)
    with store.locked():
        store.write({"providers": {"copilot": {"access_token": token, "source": source}}})
    (credential,) = load_credentials(config, clock=now)["copilot"]
    return credential


def test_a_stored_token_is_due_at_once_and_traded(config: Config, service: LoginService) -> None:
    credential = stored(config)
    assert credential.expires == 0
    assert is_due(config, credential, clock=now)
    ready = fresh(config, credential, interrupt=Interrupt(), clock=now)
    assert ready == replace(
        credential, token=Secret("tid=canary-short"), expires=NOW + 1500, base_url=BUSINESS
    )
    (request,) = service.requests
    assert request.method == "GET"
    assert request.headers["authorization"] == "token gho_canary-long"
    assert request.headers["user-agent"].startswith("hermes-editor-agent/")
    assert "editor-version" not in request.headers


def test_it_is_remembered_but_never_written(config: Config, service: LoginService) -> None:
    ready = fresh(config, stored(config), interrupt=Interrupt(), clock=now)
    (again,) = load_credentials(config, clock=now)["copilot"]
    assert again == ready
    assert fresh(config, again, interrupt=Interrupt(), clock=now) == ready
    assert len(service.requests) == 1
    assert "canary-short" not in AuthStore(config.home).path.read_text()
    assert REDACTOR.redact("<tid=canary-short>") == f"<{MASK}>"


def test_two_minutes_before_its_end_it_is_traded_anew(
    config: Config, service: LoginService
) -> None:
    ready = fresh(config, stored(config), interrupt=Interrupt(), clock=now)
    assert ready is not None
    service.exchange = traded(token="tid=canary-second", expires_at=NOW + 3000)
    again = fresh(config, ready, interrupt=Interrupt(), clock=lambda: NOW + 1381)
    assert again is not None
    assert again.token == Secret("tid=canary-second")


def test_a_refused_token_is_traded_anew(config: Config, service: LoginService) -> None:
    ready = fresh(config, stored(config), interrupt=Interrupt(), clock=now)
    assert ready is not None
    service.exchange = traded(token="tid=canary-third")
    again = renew(config, ready, interrupt=Interrupt(), clock=now)
    assert again is not None
    assert again.token == Secret("tid=canary-third")


@pytest.mark.parametrize(
    ("more", "address"),
    [
        ({"endpoints": {"api": BUSINESS}}, BUSINESS),
        ({"endpoints": {"api": "https://evil.example"}}, None),
        ({"endpoints": {"api": "https://githubcopilot.com.evil.example"}}, None),
        ({"endpoints": {"api": "http://api.githubcopilot.com"}}, None),
        ({"endpoints": {"api": "https://[::1"}}, None),
        ({"endpoints": None}, None),
        ({"endpoints": {}, "token": "tid=1;proxy-ep=proxy.business.githubcopilot.com"}, BUSINESS),
        ({"endpoints": {}, "token": "tid=1;proxy-ep=evil.example"}, None),
    ],
)
def test_only_an_address_of_the_services_own_is_used(
    config: Config, service: LoginService, more: dict[str, object], address: str | None
) -> None:
    service.exchange = traded(**more)
    ready = renew(config, stored(config), interrupt=Interrupt(), clock=now)
    assert ready is not None
    assert ready.base_url == address


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (refused("Bad credentials", 401), AuthFailed),
        (refused("no seat", 403), AuthFailed),
        (fail(503), ServerError),
        (Reply(body={"message": "ok"}), MalformedResponse),
        (Reply(body="<html>"), MalformedResponse),
    ],
)
def test_failures_keep_the_long_lived_token(
    config: Config, service: LoginService, reply: Reply, kind: type[Exception]
) -> None:
    credential = stored(config)
    service.exchange = reply
    with pytest.raises(kind) as caught:
        fresh(config, credential, interrupt=Interrupt(), clock=now)
    assert "canary" not in str(caught.value)
    assert load_credentials(config, clock=now)["copilot"] == (credential,)


def test_a_token_that_gh_has_replaced_is_fetched_again(
    tmp_path: Path, service: LoginService
) -> None:
    program = tmp_path / "bin" / "gh"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho gho_canary-fresh\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    config = config_at(tmp_path, service)
    config = replace(config, env={**config.env, "PATH": f"{program.parent}:/usr/bin:/bin"})
    credential = stored(config, "gho_canary-stale", "gh")
    service.exchanges.append(refused("Bad credentials", 401))
    ready = renew(config, credential, interrupt=Interrupt(), clock=now)
    assert ready is not None
    assert ready.token == Secret("tid=canary-short")
    shown = [request.headers["authorization"] for request in service.requests]
    assert shown == ["token gho_canary-stale", "token gho_canary-fresh"]
    state = AuthStore(config.home).read()["providers"]["copilot"]
    assert (state["access_token"], state["source"]) == ("gho_canary-fresh", "gh")


# A runtime


def runtime(key: str, credential: str, base_url: str = HOME) -> Runtime:
    return Runtime(
        provider="copilot",
        model="m",
        api_mode="chat_completions",
        base_url=base_url,
        api_key=Secret(key),
        hosts=frozenset({f"{base_url.split('/')[2]}:443"}),
        credential=credential,
    )


def test_a_runtime_gets_the_short_token_and_its_address(config: Config) -> None:
    stored(config)
    ready = prepared(
        config, runtime("gho_canary-long", "copilot:oauth"), interrupt=Interrupt(), clock=now
    )
    assert ready.api_key == Secret("tid=canary-short")
    assert ready.base_url == BUSINESS
    assert ready.hosts == frozenset({"api.business.githubcopilot.com:443"})


def test_a_variables_token_is_traded_too(config: Config, service: LoginService) -> None:
    config = replace(config, env={**config.env, "GH_TOKEN": "gho_canary-env"})
    first = runtime("gho_canary-env", "copilot:env:GH_TOKEN")
    ready = prepared(config, first, interrupt=Interrupt(), clock=now)
    assert ready.api_key == Secret("tid=canary-short")
    assert prepared(config, ready, interrupt=Interrupt(), clock=now) == ready
    assert len(service.requests) == 1
    assert service.requests[0].headers["authorization"] == "token gho_canary-env"
    assert not AuthStore(config.home).path.exists()


def test_an_address_that_the_user_chose_stays(config: Config) -> None:
    stored(config)
    mine = runtime("gho_canary-long", "copilot:oauth", "https://mine.example")
    ready = prepared(config, mine, interrupt=Interrupt(), clock=now)
    assert (ready.api_key, ready.base_url) == (Secret("tid=canary-short"), "https://mine.example")
    assert ready.hosts == frozenset({"mine.example:443"})


def test_an_enterprise_host_comes_from_the_users_file_alone(config: Config) -> None:
    theirs = {"COPILOT_GH_HOST": "ghe.example"}
    bare = replace(config, auth={})
    login = login_of(replace(bare, user_env=theirs), "copilot")
    assert login is not None
    assert login.exchange_url == "https://api.ghe.example/copilot_internal/v2/token"
    ambient = login_of(replace(bare, env={**bare.env, **theirs}), "copilot")
    assert ambient is not None
    assert ambient.exchange_url == "https://api.github.com/copilot_internal/v2/token"


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    """Let nothing that a test traded for be remembered in the next."""
    yield
    for slot in ("copilot:oauth", "copilot:env:GH_TOKEN"):
        exchange.forget(Credential("copilot", "oauth", Secret(""), "", slot))
