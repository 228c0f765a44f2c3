"""``/doctor`` and ``/logout``: the settings, from within a session."""

from pathlib import Path

import pytest

from hermes_core.commands.auth import store_key
from hermes_core.commands.checks import examine, resolved
from hermes_core.local.config import Config, load_config
from hermes_core.providers.auth_store import AuthStore
from tests.hermes_core.commands.seats import said, seat_in

KEY = "sk-or-v1-canary-pasted-key"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / ".hermes"
    folder.mkdir(mode=0o700)
    return folder


def settings(home: Path) -> Config:
    return load_config({"HERMES_HOME": str(home), "HOME": str(home.parent)})


def test_the_doctor_finds_what_the_command_line_finds(home: Path) -> None:
    seat = seat_in(home, cwd=str(home.parent))
    text = said(seat, "/doctor")
    report = examine(seat.environ, resolved, home.parent)
    assert not report.ready
    for finding in report.findings:
        assert finding.words.split()[0] in text
    assert "✗ **provider**" in text
    assert "Not ready" in text
    assert "This session uses `m` through custom" in text


def test_a_ready_home_is_told(home: Path) -> None:
    store_key(settings(home), "openrouter", KEY)
    (home / "config.yaml").write_text("model:\n  provider: openrouter\n  default: x/y\n")
    text = said(seat_in(home, cwd=str(home.parent)), "/doctor")
    assert "Ready: a prompt can be sent." in text
    assert "canary" not in text


def test_a_broken_prompt_of_the_users_own_is_a_finding(home: Path) -> None:
    (home / "commands").mkdir()
    (home / "commands" / "help.md").write_text("x")
    text = said(seat_in(home, cwd=str(home.parent)), "/doctor")
    assert "help.md cannot be used: /help is a command of Hermes" in text


def test_logout_lists_and_then_forgets(home: Path) -> None:
    used: list[Config] = []
    seat = seat_in(home, configure=used.append)
    assert "No key and no login is stored" in said(seat, "/logout")
    store_key(settings(home), "openrouter", KEY, "work")
    listed = said(seat, "/logout")
    assert "`openrouter`: work in auth.json" in listed
    assert "/logout PROVIDER" in listed
    assert "canary" not in listed
    assert used == []
    assert "Forgotten: work in auth.json" in said(seat, "/logout OpenRouter")
    assert len(used) == 1
    assert not AuthStore(home).read().get("credential_pool", {}).get("openrouter")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("/logout nobody", "There is no provider 'nobody'"),
        ("/logout a b", "Name one provider"),
        ("/logout openrouter", "Nothing is stored for openrouter"),
    ],
)
def test_what_logout_cannot_do_is_told(home: Path, text: str, told: str) -> None:
    assert told in said(seat_in(home), text)
