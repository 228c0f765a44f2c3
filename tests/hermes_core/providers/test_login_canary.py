"""No secret of a login is in a log or an error, though its service repeats all it was sent."""

import json
import logging
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hermes_core.ground.errors import HermesError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.config import Config
from hermes_core.providers.auth_store import AuthStore
from hermes_core.providers.credentials import load_credentials
from hermes_core.providers.device_flow import DeviceLogin
from hermes_core.providers.logins import login_of
from hermes_core.providers.refresh import fresh
from tests.fakes.logins import LoginService, config_for
from tests.fakes.provider import FakeProvider, Recorded
from tests.fakes.replies import Reply

NOW = 1_800_000_000.0
SECRETS = {
    "client_secret": "canary-client-secret-77",
    "access_token": "canary-access-token-77",
    "refresh_token": "canary-refresh-token-77",
    "device_code": "canary-device-code-77",
}


class Parrot(LoginService):
    """Refuses everything and repeats what it was sent, in the way that ``shape`` says."""

    shape: Callable[[str], Reply]

    def _answer(self, request: Recorded) -> Reply:
        if request.path == "/code":
            return super()._answer(request)
        said = [request.raw.decode(), *request.headers.values()]
        return self.shape(" ".join(said))


SHAPES: dict[str, Callable[[str], Reply]] = {
    "as RFC 6749 has it": lambda said: Reply(
        status=400, body={"error": "invalid_request", "error_description": said}
    ),
    "as the error's code": lambda said: Reply(status=401, body={"error": said}),
    "nested": lambda said: Reply(status=403, body={"error": {"message": said, "code": "odd"}}),
    "a failure": lambda said: Reply(status=500, body={"error": {"message": said}}),
    "a limit": lambda said: Reply(status=429, body={"message": said}),
    "text": lambda said: Reply(status=502, body=f"<html><body>{said}</body></html>"),
    "no token": lambda said: Reply(body={"message": said, "status": "success"}),
}


@pytest.fixture
def parrot() -> Iterator[Parrot]:
    with Parrot() as service:
        service.invitation["device_code"] = SECRETS["device_code"]
        yield service


def store(config: Config, provider: str) -> None:
    login = {name: SECRETS[name] for name in ("access_token", "refresh_token")}
    data = {"providers": {provider: {**login, "expires_at": NOW - 1}}}
    AuthStore(config.home).path.write_text(json.dumps(data))
    AuthStore(config.home).path.chmod(0o600)


def check(caplog: pytest.LogCaptureFixture, *errors: BaseException) -> None:
    shown = [caplog.text]
    for error in errors:
        shown += [str(error), repr(error), *traceback.format_exception(error)]
    for secret in SECRETS.values():
        assert secret not in "\n".join(shown)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_renewing(
    tmp_path: Path,
    parrot: Parrot,
    caplog: pytest.LogCaptureFixture,
    shape: Callable[[str], Reply],
) -> None:
    caplog.set_level(logging.DEBUG)
    parrot.shape = shape
    more = {"client_secret": SECRETS["client_secret"]}
    for provider in ("nous", "minimax-oauth", "openai-codex", "anthropic"):
        config = config_for(tmp_path / provider, provider, parrot, **more)
        store(config, provider)
        (credential,) = load_credentials(config, clock=lambda: NOW)[provider]
        with pytest.raises(HermesError) as caught:
            fresh(config, credential, interrupt=Interrupt(), clock=lambda: NOW)
        check(caplog, caught.value)
        assert "canary" not in repr(credential)
    sent = [request.raw.decode() for request in parrot.requests]
    assert any(SECRETS["refresh_token"] in body for body in sent)
    assert all(SECRETS["client_secret"] in body for body in sent)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_trading(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    shape: Callable[[str], Reply],
) -> None:
    caplog.set_level(logging.DEBUG)
    with FakeProvider(lambda request: shape(" ".join(request.headers.values()))) as service:
        exchange = f"http://127.0.0.1:{service.port}/exchange"
        with LoginService() as unused:
            config = config_for(tmp_path / "home", "copilot", unused, exchange_url=exchange)
        store(config, "copilot")
        (credential,) = load_credentials(config, clock=lambda: NOW)["copilot"]
        with pytest.raises(HermesError) as caught:
            fresh(config, credential, interrupt=Interrupt(), clock=lambda: NOW)
        assert service.requests[0].headers["authorization"] == f"token {SECRETS['access_token']}"
    check(caplog, caught.value)


@pytest.mark.parametrize("name", ["as RFC 6749 has it", "as the error's code", "nested"])
def test_logging_in(
    tmp_path: Path, parrot: Parrot, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    caplog.set_level(logging.DEBUG)
    parrot.shape = SHAPES[name]
    config = config_for(tmp_path / "home", "nous", parrot, client_secret=SECRETS["client_secret"])
    login = login_of(config, "nous")
    assert login is not None
    flow = DeviceLogin(
        config, login, interrupt=Interrupt(), wait=lambda seconds: False, clock=lambda: NOW
    )
    invitation = flow.begin()
    with pytest.raises(HermesError) as caught:
        flow.finish(invitation)
    assert SECRETS["device_code"] in parrot.requests[-1].raw.decode()
    check(caplog, caught.value)


def test_asking_for_a_code(
    tmp_path: Path, parrot: Parrot, caplog: pytest.LogCaptureFixture
) -> None:
    config = config_for(tmp_path / "home", "nous", parrot, client_secret=SECRETS["client_secret"])
    parrot.invitation = {"error": f"no: {SECRETS['client_secret']}"}
    login = login_of(config, "nous")
    assert login is not None
    with pytest.raises(HermesError) as caught:
        DeviceLogin(config, login, interrupt=Interrupt()).begin()
    check(caplog, caught.value)
