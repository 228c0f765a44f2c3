"""``hermes auth`` as it is typed: keys are hidden, and appear nowhere afterwards."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acp_server.cli.terminal import Terminal
from tests.fakes.logins import LoginService, refused
from tests.fakes.provider import FakeProvider, Recorded
from tests.fakes.replies import Reply

HERMES = [sys.executable, "-m", "acp_server.cli.main"]
KEY = "sk-or-v1-canary-0123456789"


def environment(tmp_path: Path) -> dict[str, str]:
    return {"HERMES_HOME": str(tmp_path / "home"), "HOME": str(tmp_path), "PATH": os.defpath}


def hermes(
    tmp_path: Path, *arguments: str, given: str = "", **env: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*HERMES, *arguments],
        input=given,
        env={**environment(tmp_path), **env},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def configure(tmp_path: Path, settings: object) -> None:
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "config.yaml").write_text(json.dumps(settings))


@pytest.fixture
def service() -> Iterator[LoginService]:
    with LoginService() as service:
        yield service


def test_a_key_from_stdin_through_its_whole_life(tmp_path: Path) -> None:
    done = hermes(tmp_path, "auth", "login", "or", "--key-stdin", "--label", "work", given=KEY)
    assert (done.returncode, done.stderr) == (0, "")
    assert "The key for openrouter is stored as openrouter#" in done.stdout
    told = hermes(tmp_path, "auth", "status").stdout
    assert "✓ openrouter#" in told
    assert "work in auth.json; does not expire" in told
    configure(tmp_path, {"model": {"provider": "openrouter", "default": "some/model"}})
    report = hermes(tmp_path, "doctor").stdout
    assert "Ready:" in report
    assert "work in auth.json" in report
    gone = hermes(tmp_path, "auth", "logout", "openrouter").stdout
    assert gone == "Forgotten: work in auth.json.\n"
    empty = hermes(tmp_path, "auth", "status").stdout
    assert empty.startswith("Nothing is stored.")
    assert KEY not in done.stdout + told + report + gone + empty
    assert KEY not in (tmp_path / "home" / "auth.json").read_text()


def test_a_provider_without_a_model_of_its_own_wants_one_chosen(tmp_path: Path) -> None:
    for provider, verb in (("openrouter", "chat"), ("ai-gateway", "model")):
        done = hermes(tmp_path, "auth", "login", provider, "--key-stdin", given=KEY)
        assert f"Next: `hermes {verb} --provider {provider}`." in done.stdout


def test_a_typed_key_is_not_shown(tmp_path: Path) -> None:
    argv = [*HERMES, "auth", "login", "openrouter"]
    with Terminal(argv, tmp_path, environment(tmp_path)) as terminal:
        terminal.expect("Key for openrouter (not shown):")
        terminal.send(f"{KEY}\n")
        terminal.expect("is stored as")
        assert terminal.exit_code() == 0
        assert KEY not in terminal.words
    assert KEY in (tmp_path / "home" / "auth.json").read_text()


@pytest.mark.parametrize(
    ("arguments", "given", "words"),
    [
        (["openrouter"], "", "There is no terminal to type a key on."),
        (["openrouter", "--key-stdin"], " \n", "stdin held no key"),
        (["openrouter", "--key-stdin"], "canary two", "no key for openrouter"),
        (["nobody", "--key-stdin"], KEY, "There is no provider 'nobody'"),
        (["bedrock"], "", "bedrock uses AWS's own credentials"),
        (["openrouter", "--device"], "", "openrouter has no login with a code."),
        (["anthropic", "--device"], "", "anthropic has no login with a code."),
        (["nous"], "", "A login with nous needs a client id of your own."),
    ],
)
def test_what_cannot_be_stored_is_told_in_two_lines(
    tmp_path: Path, arguments: list[str], given: str, words: str
) -> None:
    done = hermes(tmp_path, "auth", "login", *arguments, given=given)
    assert done.returncode == 1
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 2
    assert "canary" not in done.stdout + done.stderr
    assert not (tmp_path / "home" / "auth.json").exists()


def test_a_key_is_no_argument(tmp_path: Path) -> None:
    done = hermes(tmp_path, "auth", "login", "openrouter", "--key", KEY)
    assert done.returncode == 2
    assert not (tmp_path / "home").exists()


def test_a_login_with_a_code(tmp_path: Path, service: LoginService) -> None:
    service.invitation |= {"interval": 1, "user_code": "AB\x1bCD"}
    service.polls.append(refused("authorization_pending"))
    own = {
        "client_id": "mine",
        "device_url": f"{service.url}/code",
        "token_url": f"{service.url}/token",
    }
    configure(tmp_path, {"auth": {"nous": own}})
    done = hermes(tmp_path, "auth", "login", "nous")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Open   https://login.example/device\nCode   AB\\x1bCD\n" in done.stdout
    assert "You are logged in with nous." in done.stdout
    assert "canary" not in done.stdout
    told = hermes(tmp_path, "auth", "status").stdout
    assert "✓ nous:oauth  login in auth.json; expires " in told


def test_an_import(tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    tokens = {"access_token": "canary-codex", "refresh_token": "canary-codex-r"}
    (tmp_path / ".codex" / "auth.json").write_text(json.dumps({"tokens": tokens}))
    done = hermes(tmp_path, "auth", "import", "codex")
    assert (done.returncode, done.stderr) == (0, "")
    assert "is copied from" in done.stdout
    assert "canary" not in done.stdout


def test_a_refused_file_is_told(tmp_path: Path) -> None:
    configure(tmp_path, {})
    (tmp_path / "home" / "auth.json").symlink_to(tmp_path / "elsewhere")
    done = hermes(tmp_path, "auth", "status")
    assert done.returncode == 1
    assert "auth.json is a link" in done.stderr
    assert len(done.stderr.splitlines()) == 2


def test_a_stored_key_shows_nowhere_though_the_provider_repeats_it(tmp_path: Path) -> None:
    def repeat(request: Recorded) -> Reply:
        shown = request.headers.get("authorization", "")
        body = {"error": {"message": f"bad key {shown} ({shown.split()[-1]})", "code": shown}}
        return Reply(status=401, body=body)

    with FakeProvider(repeat) as provider:
        model = {"provider": "custom:lab", "default": "m"}
        lab = {"base_url": provider.base_url}
        configure(tmp_path, {"model": model, "providers": {"lab": lab}})
        hermes(tmp_path, "auth", "login", "custom:lab", "--key-stdin", given=KEY)
        done = hermes(tmp_path, "chat", "hello", "--cwd", str(tmp_path))
        again = hermes(tmp_path, "auth", "status")
    shown = [request.headers.get("authorization") for request in provider.requests]
    assert f"Bearer {KEY}" in shown
    assert "bad key" in done.stdout + done.stderr
    assert KEY not in done.stdout + done.stderr + again.stdout
    home = tmp_path / "home"
    files = [path for path in home.rglob("*") if path.is_file() and path.name != "auth.json"]
    assert any(path.suffix == ".log" for path in files)
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
