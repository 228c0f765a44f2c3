"""Logging in with a code, against a login service on loopback."""

import base64
import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_core.ground.errors import AuthFailed, ConfigError, Interrupted, MalformedResponse
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.secrets import MASK, REDACTOR, Secret
from hermes_core.local.config import load_config
from hermes_core.providers.device_flow import DeviceLogin, Invitation
from hermes_core.providers.grants import Grant
from hermes_core.providers.logins import LOGINS, login_of
from tests.fakes.logins import CLIENT_ID, LoginService, config_for, refused
from tests.fakes.replies import Reply, fail

NOW = 1_800_000_000.0


@pytest.fixture
def service() -> Iterator[LoginService]:
    with LoginService() as service:
        yield service


class Person:
    """Waits without waiting: each wait moves the clock on."""

    def __init__(self) -> None:
        self.now = NOW
        self.waits: list[float] = []

    def wait(self, seconds: float) -> bool:
        self.waits.append(seconds)
        self.now += seconds
        return False

    def clock(self) -> float:
        return self.now


def flow(
    tmp_path: Path, service: LoginService, provider: str = "nous", **more: str
) -> tuple[DeviceLogin, Person]:
    config = config_for(tmp_path / "home", provider, service, **more)
    login = login_of(config, provider)
    assert login is not None
    person = Person()
    made = DeviceLogin(config, login, interrupt=Interrupt(), wait=person.wait, clock=person.clock)
    return made, person


def test_the_person_agrees_after_a_while(tmp_path: Path, service: LoginService) -> None:
    login, person = flow(tmp_path, service)
    invitation = login.begin()
    assert (invitation.url, invitation.code) == ("https://login.example/device", "WDJB-MJHT")
    service.polls.extend([refused("authorization_pending"), refused("authorization_pending")])
    grant = login.finish(invitation)
    assert grant == Grant(
        Secret("canary-access-1"),
        Secret("canary-refresh-1"),
        expires=person.now + 3600,
        client_id=CLIENT_ID,
        scope="inference:invoke",
    )
    assert person.waits == [5, 5, 5]
    assert service.fields(0) == {"client_id": CLIENT_ID, "scope": "inference:invoke"}
    assert service.fields(1) == {
        "client_id": CLIENT_ID,
        "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
        "device_code": "canary-device-code-1",
    }


def test_slow_down_is_obeyed(tmp_path: Path, service: LoginService) -> None:
    login, person = flow(tmp_path, service)
    service.polls.extend([refused("slow_down"), refused("slow_down"), refused("pending")])
    login.finish(login.begin())
    assert person.waits == [5, 10, 15, 15]


def test_errors_may_come_with_status_200(tmp_path: Path, service: LoginService) -> None:
    login, _ = flow(tmp_path, service)
    service.polls.append(refused("authorization_pending", 200))
    assert login.finish(login.begin()).access


@pytest.mark.parametrize("passing", [fail(500), fail(503), fail(429), Reply(wire=b"")])
def test_a_service_that_fails_for_a_moment_is_asked_again(
    tmp_path: Path, service: LoginService, passing: Reply
) -> None:
    login, person = flow(tmp_path, service)
    service.polls.append(passing)
    assert login.finish(login.begin()).access
    assert person.waits == [5, 10]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("access_denied", "it was declined"),
        ("expired_token", "the code has run out"),
        ("invalid_client", "who are you"),
    ],
)
def test_what_ends_a_login(tmp_path: Path, service: LoginService, code: str, words: str) -> None:
    login, _ = flow(tmp_path, service)
    service.polls.append(refused(code, error_description="who are you"))
    with pytest.raises(AuthFailed, match=words):
        login.finish(login.begin())


def test_a_code_that_nobody_types_runs_out(tmp_path: Path, service: LoginService) -> None:
    login, person = flow(tmp_path, service)
    service.polls.extend([refused("authorization_pending")] * 200)
    with pytest.raises(AuthFailed, match="run out"):
        login.finish(login.begin())
    assert person.now == NOW + 600


def test_waiting_can_be_broken_off(tmp_path: Path, service: LoginService) -> None:
    interrupt = Interrupt()
    config = config_for(tmp_path / "home", "nous", service)
    login = login_of(config, "nous")
    assert login is not None
    made = DeviceLogin(config, login, interrupt=interrupt)
    invitation = made.begin()
    threading.Timer(0.01, interrupt.set).start()
    with pytest.raises(Interrupted):
        made.finish(invitation)


def test_a_user_code_with_pkce(tmp_path: Path, service: LoginService) -> None:
    login, person = flow(tmp_path, service, "minimax-oauth")
    service.invitation = {
        "user_code": "ABCD",
        "verification_uri": "https://login.example/user",
        "expired_in": (NOW + 300) * 1000,
        "interval": 2000,
        "state": "x",
    }
    service.polls.append(Reply(body={"status": "pending"}))
    service.life = None
    grant = login.finish(login.begin())
    assert grant.access
    assert person.waits == [2, 2]
    opening, poll = service.fields(0), service.fields(1)
    digest = hashlib.sha256(poll["code_verifier"].encode()).digest()
    assert opening["code_challenge"] == base64.urlsafe_b64encode(digest).decode().rstrip("=")
    assert opening["code_challenge_method"] == "S256"
    assert len(poll["code_verifier"]) >= 43
    assert poll["user_code"] == "ABCD"
    assert poll["grant_type"] == "urn:ietf:params:oauth:grant-type:user_code"
    assert REDACTOR.redact(poll["code_verifier"]) == MASK


def test_a_code_that_is_traded_for_another(tmp_path: Path, service: LoginService) -> None:
    login, person = flow(tmp_path, service, "openai-codex", device_url=f"{service.url}/usercode")
    service.invitation = {"device_auth_id": "canary-id-1", "user_code": "EFGH", "interval": "3"}
    service.polls.extend([Reply(status=403, body={}), Reply(status=404, body={})])
    invitation = login.begin()
    assert invitation.url == f"{service.url}/codex/device"
    grant = login.finish(invitation)
    assert grant.access == Secret("canary-access-1")
    assert person.waits == [3, 3, 3]
    assert service.fields(0) == {"client_id": CLIENT_ID}
    assert service.fields(1) == {"device_auth_id": "canary-id-1", "user_code": "EFGH"}
    assert service.fields(4) == {
        "grant_type": "authorization_code",
        "client_id": CLIENT_ID,
        "code": "canary-code-1",
        "code_verifier": "canary-v-1",
        "redirect_uri": f"{service.url}/deviceauth/callback",
    }


def test_a_client_secret_goes_along_where_there_is_one(
    tmp_path: Path, service: LoginService
) -> None:
    login, _ = flow(tmp_path, service, client_secret="canary-client-secret")
    login.finish(login.begin())
    assert service.fields(1)["client_secret"] == "canary-client-secret"


@pytest.mark.parametrize("provider", [name for name, login in LOGINS.items() if login.device_url])
def test_without_a_client_id_it_says_what_to_register(tmp_path: Path, provider: str) -> None:
    config = load_config({"HERMES_HOME": str(tmp_path), "HOME": str(tmp_path)})
    login = login_of(config, provider)
    assert login is not None
    with pytest.raises(ConfigError) as caught:
        DeviceLogin(config, login, interrupt=Interrupt()).begin()
    assert f"auth.{provider}.client_id" in str(caught.value)
    assert login.register in str(caught.value)


def test_no_client_id_is_built_in() -> None:
    assert [login.provider for login in LOGINS.values() if login.client_id] == []


def test_a_provider_of_ones_own_logs_in_by_configuration(
    tmp_path: Path, service: LoginService
) -> None:
    login, _ = flow(tmp_path, service, "my-provider", scope="chat")
    assert login.finish(login.begin()).access
    assert service.fields(0)["scope"] == "chat"


def test_a_refused_client_is_told(tmp_path: Path, service: LoginService) -> None:
    login, _ = flow(tmp_path, service)
    service.invitation = {"error": "unauthorized_client"}
    with pytest.raises(AuthFailed, match=r"unauthorized_client\.\nCheck .* auth\.nous\.client_id"):
        login.begin()


@pytest.mark.parametrize(
    "url",
    [
        "http://login.example/device",
        "javascript:alert(1)",
        "https://login.example/\x1b[2J",
        "",
        "https://",
        "file:///etc/passwd",
        "https://[::1/",
    ],
)
def test_a_page_that_is_not_safe_to_open_is_not_shown(
    tmp_path: Path, service: LoginService, url: str
) -> None:
    login, _ = flow(tmp_path, service)
    service.invitation["verification_uri"] = url
    with pytest.raises(MalformedResponse):
        login.begin()


def test_what_proves_who_began_is_masked(tmp_path: Path, service: LoginService) -> None:
    login, _ = flow(tmp_path, service)
    invitation: Invitation = login.begin()
    assert REDACTOR.redact("canary-device-code-1") == MASK
    assert "canary" not in repr(invitation)
