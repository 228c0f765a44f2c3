"""Renewing logins: once, before they end, whoever else is at it."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_core.ground.errors import (
    AuthFailed,
    ConnectionFailed,
    Interrupted,
    RateLimited,
    ServerError,
)
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.providers.auth_store import AuthStore
from hermes_core.providers.credentials import Credential, load_credentials, report
from hermes_core.providers.refresh import fresh, is_due, renew
from tests.fakes.logins import CLIENT_ID, LoginService, config_for, refused
from tests.fakes.replies import Reply, fail
from tests.hermes_core.providers.renewing import NOW, now, state_of, stored

RENEW = """
import sys
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.config import load_config
from hermes_core.providers.credentials import load_credentials
from hermes_core.providers.refresh import renew
config = load_config()
(credential,) = load_credentials(config)["nous"]
print("ready", flush=True)
sys.stdin.readline()
print(renew(config, credential, interrupt=Interrupt()).token.reveal())
"""


@pytest.fixture
def service() -> Iterator[LoginService]:
    with LoginService() as service:
        yield service


@pytest.fixture
def config(tmp_path: Path, service: LoginService) -> Config:
    service.accept("canary-r")
    return config_for(tmp_path / "home", "nous", service)


def test_a_login_is_renewed_and_stored(config: Config, service: LoginService) -> None:
    credential = stored(config, "nous", theirs="stays")
    renewed = renew(config, credential, interrupt=Interrupt(), clock=now)
    assert renewed == replace(credential, token=Secret("canary-access-1"), expires=NOW + 3600)
    assert service.fields(0) == {"grant_type": "refresh_token", "client_id": CLIENT_ID}
    assert service.requests[0].headers["x-nous-refresh-token"] == "canary-r"
    state = state_of(config)
    assert state["access_token"] == "canary-access-1"
    assert state["refresh_token"] == "canary-refresh-1"
    assert state["theirs"] == "stays"
    assert load_credentials(config, clock=now)["nous"] == (renewed,)


def test_a_refresh_token_stays_if_no_new_one_comes(config: Config, service: LoginService) -> None:
    service.refreshing = lambda fields: Reply(body={"access_token": "canary-next"})
    renewed = renew(config, stored(config, "nous"), interrupt=Interrupt(), clock=now)
    assert renewed is not None
    assert renewed.expires is None
    assert state_of(config)["refresh_token"] == "canary-r"


def test_the_client_id_of_the_login_is_used_where_none_is_set(
    tmp_path: Path, service: LoginService
) -> None:
    config = config_for(tmp_path / "home", "nous", service, client_id="")
    service.accept("canary-r")
    renew(config, stored(config, "nous", client_id="mine"), interrupt=Interrupt(), clock=now)
    assert service.fields(0)["client_id"] == "mine"


@pytest.mark.parametrize(
    ("left", "due"), [(121, False), (120, True), (0, True), (-5, True), (None, False)]
)
def test_it_is_due_two_minutes_early(config: Config, left: float | None, due: bool) -> None:
    end = None if left is None else NOW + left
    credential = replace(stored(config, "nous"), expires=end)
    assert is_due(config, credential, clock=now) is due


def test_what_is_not_due_is_left_alone(config: Config, service: LoginService) -> None:
    credential = stored(config, "nous", expires_at=NOW + 900)
    assert fresh(config, credential, interrupt=Interrupt(), clock=now) == credential
    assert service.requests == []


def test_keys_are_never_renewed(config: Config) -> None:
    key = Credential("nous", "api_key", Secret("canary-key"), "", "nous#a")
    assert renew(config, key, interrupt=Interrupt()) is None
    other = Credential("openrouter", "oauth", Secret("canary-key"), "", "openrouter:oauth")
    assert renew(config, other, interrupt=Interrupt()) is None


# Single use


def test_what_another_process_has_renewed_is_taken_over(
    config: Config, service: LoginService
) -> None:
    old = stored(config, "nous")
    stored(config, "nous", access_token="canary-theirs", expires_at=NOW + 3600)
    renewed = renew(config, old, interrupt=Interrupt(), clock=now)
    assert renewed is not None
    assert renewed.token == Secret("canary-theirs")
    assert service.requests == []


def test_two_processes_use_a_refresh_token_once(
    tmp_path: Path, config: Config, service: LoginService
) -> None:
    stored(config, "nous")
    service.life = 10_000_000_000
    env = {**os.environ, "HERMES_HOME": str(config.home), "HOME": str(tmp_path)}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", RENEW],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
            text=True,
        )
        for _ in range(2)
    ]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    service.gate = threading.Event()
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    service.gate.set()
    answers = [process.communicate(timeout=60)[0].strip() for process in both]
    assert answers == ["canary-access-1", "canary-access-1"]
    assert service.issued == 1
    assert service.reused == 0


def test_threads_use_a_refresh_token_once(config: Config, service: LoginService) -> None:
    credential = stored(config, "nous")
    found: list[str] = []

    def work() -> None:
        renewed = renew(config, credential, interrupt=Interrupt(), clock=now)
        assert renewed is not None
        found.append(renewed.token.reveal())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == ["canary-access-1"] * 4
    assert service.reused == 0


def test_what_came_of_a_renewal_is_stored_though_nobody_waits_for_it(
    config: Config, service: LoginService
) -> None:
    credential = stored(config, "nous")
    gate, interrupt = threading.Event(), Interrupt()

    def cancel(_fields: dict[str, str]) -> None:
        interrupt.set()

    service.gate, service.refreshing = gate, cancel
    with pytest.raises(Interrupted):
        renew(config, credential, interrupt=interrupt, clock=now)
    assert state_of(config)["access_token"] != "canary-access-1"
    gate.set()
    renewed = renew(config, credential, interrupt=Interrupt(), clock=now)
    assert renewed is not None
    assert renewed.token == Secret("canary-access-1")
    assert (len(service.requests), service.reused) == (1, 0)


def test_a_program_without_our_lock_may_have_been_faster(
    config: Config, service: LoginService
) -> None:
    credential = stored(config, "nous")

    def steal(fields: dict[str, str]) -> Reply:
        path = AuthStore(config.home).path
        data = json.loads(path.read_text())
        theirs = {"access_token": "canary-b", "refresh_token": "canary-s", "expires_at": NOW + 999}
        data["providers"]["nous"] = theirs
        path.write_text(json.dumps(data))
        return refused("invalid_grant")

    service.refreshing = steal
    renewed = renew(config, credential, interrupt=Interrupt(), clock=now)
    assert renewed is not None
    assert renewed.token == Secret("canary-b")
    assert "last_status" not in AuthStore(config.home).path.read_text()


# When it fails


@pytest.mark.parametrize("code", ["invalid_grant", "refresh_token_reused"])
@pytest.mark.parametrize("nested", [False, True])
def test_a_login_that_is_over_is_not_asked_for_again(
    config: Config, service: LoginService, code: str, nested: bool
) -> None:
    body = {"error": {"code": code, "message": "gone"}} if nested else {"error": code}
    service.refreshing = lambda fields: Reply(status=401 if nested else 400, body=body)
    credential = stored(config, "nous")
    assert renew(config, credential, interrupt=Interrupt(), clock=now) is None
    assert renew(config, credential, interrupt=Interrupt(), clock=now) is None
    assert len(service.requests) == 1
    later = load_credentials(config, clock=lambda: NOW + 61)
    assert "nous" not in later
    assert "canary" not in json.dumps(AuthStore(config.home).read()["credential_pool"])


def test_its_last_token_serves_until_it_is_refused_too(
    config: Config, service: LoginService
) -> None:
    service.refreshing = lambda fields: refused("invalid_grant")
    credential = stored(config, "nous")
    assert renew(config, credential, interrupt=Interrupt(), clock=now) is None
    assert load_credentials(config, clock=now)["nous"] == (credential,)
    report(config, "nous:oauth", "unauthorized", clock=now)
    assert "nous" not in load_credentials(config, clock=now)
    assert "nous" not in load_credentials(config, clock=lambda: NOW + 3601)
    assert renew(config, credential, interrupt=Interrupt(), clock=now) is None
    assert len(service.requests) == 1


def test_a_new_login_ends_the_quarantine(config: Config, service: LoginService) -> None:
    service.refreshing = lambda fields: refused("invalid_grant")
    assert renew(config, stored(config, "nous"), interrupt=Interrupt(), clock=now) is None
    service.refreshing = lambda fields: None
    service.accept("canary-r2")
    again = stored(config, "nous", refresh_token="canary-r2")
    assert renew(config, again, interrupt=Interrupt(), clock=now) is not None


def test_too_many_requests_do_not_end_a_login(config: Config, service: LoginService) -> None:
    service.refreshing = lambda fields: fail(429, "slow down", retry_after="7")
    credential = stored(config, "nous", expires_at=NOW - 1)
    with pytest.raises(RateLimited) as caught:
        renew(config, credential, interrupt=Interrupt(), clock=now)
    assert caught.value.retry_after == 7
    service.refreshing = lambda fields: None
    assert renew(config, credential, interrupt=Interrupt(), clock=now) is not None


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (fail(500), ServerError),
        (Reply(wire=b""), ConnectionFailed),
        (refused("invalid_client", 401), AuthFailed),
        (refused("odd", 403), AuthFailed),
    ],
)
def test_other_failures_do_not_end_it_either(
    config: Config, service: LoginService, reply: Reply, kind: type[Exception]
) -> None:
    service.refreshing = lambda fields: reply
    credential = stored(config, "nous", expires_at=NOW - 1)
    with pytest.raises(kind) as caught:
        fresh(config, credential, interrupt=Interrupt(), clock=now)
    assert "canary" not in str(caught.value)
    assert len(service.requests) == 1
    assert load_credentials(config, clock=now)["nous"] == (credential,)


def test_while_a_token_serves_a_failure_is_no_error(config: Config, service: LoginService) -> None:
    service.refreshing = lambda fields: fail(503)
    credential = stored(config, "nous", expires_at=NOW + 60)
    assert fresh(config, credential, interrupt=Interrupt(), clock=now) == credential
    service.refreshing = lambda fields: refused("invalid_grant")
    assert fresh(config, credential, interrupt=Interrupt(), clock=now) == credential


def test_tokens_that_cannot_be_stored_are_used_all_the_same(
    config: Config, service: LoginService, caplog: pytest.LogCaptureFixture
) -> None:
    credential = stored(config, "nous")
    path = AuthStore(config.home).path

    def block(fields: dict[str, str]) -> None:
        text = path.read_text()
        path.unlink()
        (config.home / "moved.json").write_text(text)
        path.symlink_to(config.home / "moved.json")

    service.refreshing = block
    renewed = renew(config, credential, interrupt=Interrupt(), clock=now)
    assert renewed is not None
    assert renewed.token == Secret("canary-access-1")
    assert "could not be stored" in caplog.text
    assert "canary" not in caplog.text
