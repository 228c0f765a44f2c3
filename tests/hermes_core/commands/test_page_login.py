"""A login on a page: who is logged in with, what stops it, what is told when it is done."""

import json
import threading
from pathlib import Path

import pytest

from hermes_core.commands.page_login import can_begin, log_in, provider_for_login
from hermes_core.ground.asking import Action, Answer
from hermes_core.ground.errors import AuthFailed, ConfigError, Interrupted
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.config import load_config
from tests.fakes.logins import CLIENT_ID, LoginService, config_for, refused
from tests.fakes.questions import FakeQuestions

PENDING = 10_000


def waiting(service: LoginService) -> None:
    """Have the service wait for the person for ever."""
    service.polls.extend(refused("authorization_pending") for _ in range(PENDING))


def stored(home: Path) -> bool:
    return (home / "auth.json").exists()


def test_a_login_that_ends_by_itself_is_told_and_its_question_withdrawn(tmp_path: Path) -> None:
    with LoginService() as service:
        service.invitation["interval"] = 1
        service.invitation["verification_uri_complete"] = "https://login.example/device?c=WDJB"
        config = config_for(tmp_path, "nous", service)
        questions = FakeQuestions()
        told = log_in(config, "nous", questions, Interrupt())
    assert told.startswith("You are logged in with nous.")
    (page,) = questions.asked
    assert page.url == "https://login.example/device?c=WDJB"
    assert "WDJB-MJHT" in page.message
    assert "nous" in page.message
    assert questions.done == [page]
    assert questions.replies[0].cancelled()
    assert stored(tmp_path)
    assert "canary-device-code" not in page.message + page.url


def test_who_accepts_is_waited_for(tmp_path: Path) -> None:
    with LoginService() as service:
        service.invitation["interval"] = 1
        service.polls.append(refused("authorization_pending"))
        config = config_for(tmp_path, "nous", service)
        questions = FakeQuestions(lambda _: Answer("accept"))
        assert "logged in" in log_in(config, "nous", questions, Interrupt())
    assert questions.done == questions.asked


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_who_declines_stops_it_at_once(tmp_path: Path, action: Action) -> None:
    with LoginService() as service:
        service.invitation["interval"] = 60
        config = config_for(tmp_path, "nous", service)
        questions = FakeQuestions(lambda _: Answer(action))
        with pytest.raises(AuthFailed, match="its page was not opened"):
            log_in(config, "nous", questions, Interrupt())
        assert len(service.requests) == 1
    assert questions.done == []
    assert not stored(tmp_path)


def test_who_declines_late_stops_it_too(tmp_path: Path) -> None:
    with LoginService() as service:
        service.invitation["interval"] = 60
        waiting(service)
        config = config_for(tmp_path, "nous", service)
        questions = FakeQuestions()
        asked, ended = threading.Event(), threading.Event()

        def work() -> None:
            with pytest.raises(AuthFailed):
                log_in(config, "nous", questions, Interrupt())
            ended.set()

        questions.answer = lambda _: asked.set()
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        assert asked.wait(30)
        questions.replies[0].set_result(Answer("decline"))
        assert ended.wait(30)
    assert not stored(tmp_path)


def test_an_interrupt_withdraws_the_question(tmp_path: Path) -> None:
    interrupt = Interrupt()
    with LoginService() as service:
        service.invitation["interval"] = 60
        config = config_for(tmp_path, "nous", service)

        def stop(_: object) -> None:
            interrupt.set()

        questions = FakeQuestions(stop)
        with pytest.raises(Interrupted):
            log_in(config, "nous", questions, interrupt)
    assert questions.replies[0].cancelled()
    assert questions.done == []


def test_a_login_that_fails_is_no_completion(tmp_path: Path) -> None:
    with LoginService() as service:
        service.invitation["interval"] = 1
        service.polls.append(refused("access_denied"))
        config = config_for(tmp_path, "nous", service)
        questions = FakeQuestions(lambda _: Answer("accept"))
        with pytest.raises(AuthFailed, match="it was declined"):
            log_in(config, "nous", questions, Interrupt())
    assert questions.done == []
    assert questions.replies[0].done()


def test_a_provider_that_takes_keys_alone_has_no_page(tmp_path: Path) -> None:
    config = load_config({"HERMES_HOME": str(tmp_path), "HOME": str(tmp_path)})
    with pytest.raises(ConfigError, match="no login on a page"):
        log_in(config, "openrouter", FakeQuestions(), Interrupt())
    with pytest.raises(ConfigError, match="client id"):
        log_in(config, "nous", FakeQuestions(), Interrupt())


def test_whom_to_log_in_with(tmp_path: Path) -> None:
    def config(**settings: object) -> None:
        (tmp_path / "config.yaml").write_text(json.dumps(settings))

    def found(named: str = "") -> str:
        read = load_config({"HERMES_HOME": str(tmp_path), "HOME": str(tmp_path)})
        return provider_for_login(read, named)

    config()
    with pytest.raises(ConfigError, match="No provider is set up"):
        found()
    with pytest.raises(ConfigError, match="no provider"):
        found("nobody")
    ready = {"client_id": CLIENT_ID}
    config(auth={"nous": ready})
    assert found() == "nous"
    config(auth={"nous": ready, "copilot": ready})
    with pytest.raises(ConfigError, match="copilot, nous"):
        found()
    assert found("copilot") == "copilot"
    config(auth={"nous": ready, "copilot": ready}, model={"provider": "copilot"})
    assert found() == "copilot"
    config(auth={"nous": ready}, model={"provider": "openrouter"})
    assert found() == "nous"
    assert can_begin(load_config({"HERMES_HOME": str(tmp_path), "HOME": str(tmp_path)}), "nous")
