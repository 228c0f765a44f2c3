"""``/login``: told where to log in, or led to a page; and what was typed is not kept."""

from pathlib import Path

import pytest

from hermes_core.commands.seat import Remark
from hermes_core.ground.secrets import REDACTOR
from tests.fakes.logins import LoginService, config_for
from tests.fakes.questions import FakeQuestions
from tests.hermes_core.commands.seats import run, seat_in

KEY = "sk-canary-typed-0123456789"


def told(home: Path, text: str, **more: object) -> str:
    reply = run(seat_in(home, **more), text)
    assert isinstance(reply, Remark)
    return reply.text


def test_it_tells_the_way(tmp_path: Path) -> None:
    assert told(tmp_path, "/login").startswith("Log in in a terminal")
    assert "hermes auth login PROVIDER" in told(tmp_path, "/login")
    assert "OPENROUTER_API_KEY" in told(tmp_path, "/login or")


def test_a_key_is_not_repeated_and_masked_from_now_on(tmp_path: Path) -> None:
    for typed in (KEY, f"openrouter {KEY}", f"{KEY}\n"):
        text = told(tmp_path, f"/login {typed}")
        assert "replace it" in text
        assert KEY not in text
    assert KEY not in REDACTOR.redact(f"key {KEY}")
    assert REDACTOR.redact("openrouter") == "openrouter"


def test_an_editor_that_shows_pages_is_led_to_one(tmp_path: Path) -> None:
    questions = FakeQuestions()
    with LoginService() as service:
        service.invitation["interval"] = 1
        config_for(tmp_path, "nous", service)
        seen: list[object] = []
        text = told(tmp_path, "/login nous", questions=questions, configure=seen.append)
    assert text.startswith("You are logged in with nous.")
    assert len(seen) == 1
    (page,) = questions.asked
    assert page.url == "https://login.example/device"
    assert questions.done == [page]


@pytest.mark.parametrize("questions", [None, FakeQuestions(pages=False)])
def test_without_pages_it_is_told_as_ever(tmp_path: Path, questions: FakeQuestions | None) -> None:
    with LoginService() as service:
        config_for(tmp_path, "nous", service)
        assert "Log in in a terminal" in told(tmp_path, "/login nous", questions=questions)
        assert service.requests == []


def test_a_provider_without_a_client_id_is_told_as_ever(tmp_path: Path) -> None:
    questions = FakeQuestions()
    assert "Log in in a terminal" in told(tmp_path, "/login nous", questions=questions)
    assert questions.asked == []
    assert "begins a login" in told(tmp_path, "/login", questions=questions)
