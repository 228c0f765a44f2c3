"""``hermes providers``, ``hermes model`` and ``hermes fallback`` at the command line."""

import os
import sys
from pathlib import Path

import pytest
import yaml

from acp_server.cli.main import main
from tests.acp_server.cli.terminal import Terminal
from tests.fakes.provider import FakeProvider, Reply

KEY = "sk-or-0123456789abcdef"

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, with one key, and nothing else in the environment."""
    for name in list(os.environ):
        if name.endswith(("_KEY", "_TOKEN", "_URL")):
            monkeypatch.delenv(name)
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / ".env").write_text(f"OPENROUTER_API_KEY={KEY}\n")
    monkeypatch.setenv("HERMES_HOME", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path))
    return folder


def saved(home: Path) -> object:
    return yaml.safe_load((home / "config.yaml").read_text())


def test_providers_are_listed(home: Path, capsys: Captured) -> None:
    assert main(["providers"]) == 0
    shown = capsys.readouterr().out
    assert "✓ openrouter           OPENROUTER_API_KEY in .env" in shown
    assert "zai                  needs GLM_API_KEY" in shown
    assert KEY not in shown


def test_a_model_is_saved_by_name(home: Path, capsys: Captured) -> None:
    assert main(["model", "a/b", "--provider", "openrouter"]) == 0
    assert saved(home) == {"model": {"provider": "openrouter", "default": "a/b"}}
    assert main(["model"]) == 0
    assert "a/b through openrouter" in capsys.readouterr().out


def test_what_cannot_be_saved_is_told_in_two_lines(home: Path, capsys: Captured) -> None:
    assert main(["model", "a/b", "--provider", "zai"]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 2
    assert not (home / "config.yaml").exists()


def test_models_are_listed(home: Path, capsys: Captured) -> None:
    with FakeProvider() as provider:
        provider.script(Reply(body='{"data": [{"id": "m1"}, {"id": "m2"}]}'))
        text = f"providers: {{lab: {{base_url: '{provider.base_url}'}}}}\n"
        (home / "config.yaml").write_text(text)
        assert main(["model", "--list", "--provider", "custom:lab", "m2"]) == 0
    assert capsys.readouterr().out == "- m2\n"


def test_a_chain_is_kept(home: Path, capsys: Captured) -> None:
    assert main(["fallback"]) == 0
    assert main(["fallback", "add", "zai", "glm-5"]) == 0
    assert main(["fallback", "add", "openrouter", "a/b"]) == 0
    capsys.readouterr()
    assert main(["fallback", "list"]) == 0
    assert capsys.readouterr().out == "1. glm-5 through zai\n2. a/b through openrouter\n"
    assert main(["fallback", "remove", "1"]) == 0
    assert saved(home) == {"fallback_providers": [{"provider": "openrouter", "model": "a/b"}]}
    assert main(["fallback", "clear"]) == 0
    assert saved(home) is None
    assert main(["fallback", "add", "nobody", "m"]) == 1


def test_a_person_searches_and_picks(home: Path) -> None:
    env = {"HERMES_HOME": str(home), "HOME": str(home.parent), "PATH": os.defpath}
    root = str(Path(__file__).parents[3])
    with FakeProvider() as provider:
        provider.script(Reply(body='{"data": [{"id": "alpha"}, {"id": "beta-coder"}]}'))
        text = f"# mine\nproviders: {{lab: {{base_url: '{provider.base_url}'}}}}\n"
        (home / "config.yaml").write_text(text)
        argv = [sys.executable, "-m", "acp_server.cli.main", "model"]
        with Terminal(argv, home.parent, {**env, "PYTHONPATH": root}) as terminal:
            terminal.expect("Provider (a number")
            terminal.send("lab\n")
            terminal.expect("custom:lab")
            terminal.expect("Provider (a number")
            terminal.send("custom:lab\n")
            terminal.expect("Model (a number")
            terminal.send("coder\n")
            terminal.expect("1  beta-coder")
            terminal.send("1\n")
            terminal.expect("answers from now on")
            assert terminal.exit_code() == 0
    assert (home / "config.yaml").read_text().startswith(text)
    wanted = {"provider": "custom:lab", "default": "beta-coder"}
    assert yaml.safe_load((home / "config.yaml").read_text())["model"] == wanted


@pytest.mark.parametrize(
    "argv",
    [
        ["model", "--list"],
        ["providers"],
        ["fallback", "list"],
        ["auth", "status"],
        ["doctor"],
    ],
    ids=" ".join,
)
def test_settings_that_a_project_brings_get_no_key_and_run_no_code(
    argv: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    project = tmp_path / "project"
    folder = project / "home" / "plugins" / "model-providers" / "evil"
    folder.mkdir(parents=True)
    (folder / "plugin.yaml").write_text("api: 1\n")
    (folder / "__init__.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    monkeypatch.setenv("HERMES_HOME", str(project / "home"))
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.chdir(project)
    with FakeProvider() as provider:
        text = f"model: {{provider: custom, base_url: '{provider.base_url}', default: m}}\n"
        (project / "home" / "config.yaml").write_text(text)
        assert main(argv) == 1
        assert provider.requests == []
    shown = capsys.readouterr()
    assert "lies inside the current folder" in shown.out + shown.err
    assert not (tmp_path / "ran").exists()
