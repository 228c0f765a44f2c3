"""``hermes acp --setup`` with and without a terminal."""

import os
import socket
import sys
from pathlib import Path

import pytest

from acp_server.cli.main import main
from tests.acp_server.cli.terminal import Terminal

KEY = "sk-or-v1-0123456789abcdef"
SETUP = [sys.executable, "-m", "acp_server.cli.main", "acp", "--setup"]


def setup(tmp_path: Path) -> Terminal:
    env = {"HERMES_HOME": str(tmp_path / "home"), "HOME": str(tmp_path), "PATH": os.defpath}
    return Terminal(SETUP, tmp_path, env)


def test_openrouter(tmp_path: Path) -> None:
    with setup(tmp_path) as terminal:
        terminal.expect("Not ready")
        terminal.expect("Number:")
        terminal.send("1\n")
        terminal.expect("Key (not shown):")
        terminal.send(f"{KEY}\n")
        terminal.expect("Model")
        terminal.send("some/model\n")
        terminal.expect("Ready:")
        assert terminal.exit_code() == 0
        assert KEY not in terminal.words
    home = tmp_path / "home"
    assert (home / ".env").read_text() == f"OPENROUTER_API_KEY='{KEY}'\n"
    assert (home / "config.yaml").read_text() == (
        'model:\n  provider: "openrouter"\n  default: "some/model"\n'
    )
    with setup(tmp_path) as terminal:
        terminal.expect("Ready:")
        assert terminal.exit_code() == 0


def test_an_endpoint_of_ones_own_without_a_key(tmp_path: Path) -> None:
    with setup(tmp_path) as terminal:
        terminal.expect("Number:")
        terminal.send("2\n")
        terminal.expect("URL")
        terminal.send("https://llm.example/v1\n")
        terminal.expect("Model:")
        terminal.send("qwen\n")
        terminal.expect("Key, if it needs one")
        terminal.send("\n")
        terminal.expect("Ready:")
        assert terminal.exit_code() == 0
    assert not (tmp_path / "home" / ".env").exists()


@pytest.mark.parametrize(
    "steps",
    [
        [("Number:", "\n")],
        [("Number:", "\x04")],
        [("Number:", "1\n"), ("Key (not shown):", "\n")],
        [("Number:", "2\n"), ("URL", "http://localhost/v1\n"), ("Model:", "\n")],
    ],
)
def test_leaving_changes_nothing(tmp_path: Path, steps: list[tuple[str, str]]) -> None:
    with setup(tmp_path) as terminal:
        for words, keys in steps:
            terminal.expect(words)
            terminal.send(keys)
        terminal.expect("Nothing was changed.")
        assert terminal.exit_code() == 1
    assert not (tmp_path / "home").exists()


def test_a_slip_is_asked_about_again(tmp_path: Path) -> None:
    with setup(tmp_path) as terminal:
        terminal.expect("Number:")
        terminal.send("7\n")
        terminal.expect("There is 1 and 2; Enter alone leaves.")
        terminal.expect("Number:")
        terminal.send("2\n")
        terminal.expect("URL")
        for url in ("localhost", "http://", "http://user:word@host/"):
            terminal.send(f"{url}\n")
            terminal.expect(f"{url} is not a URL")
            terminal.expect("URL, for example")
        terminal.send("\n")
        assert terminal.exit_code() == 1
    assert not (tmp_path / "home").exists()


def test_a_server_that_is_not_running_is_no_matter_of_the_settings(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    settings = f"model: {{provider: custom, base_url: '{url}', default: qwen}}\n"
    (home / "config.yaml").write_text(settings)
    with setup(tmp_path) as terminal:
        terminal.expect("Nothing listens at")
        assert terminal.exit_code() == 1
        assert "Number" not in terminal.words


def test_without_a_terminal_it_only_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "home"))
    for name in ("OPENROUTER_API_KEY", "OPENAI_API_KEY", "HERMES_INFERENCE_PROVIDER"):
        monkeypatch.delenv(name, raising=False)
    assert main(["acp", "--setup"]) == 1
    told = capsys.readouterr().out
    assert "Choose a provider" not in told
    assert told.endswith("There is no terminal here, so no provider can be asked for.\n")
