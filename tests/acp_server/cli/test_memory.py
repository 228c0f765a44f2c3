"""``hermes memory`` and ``hermes prompt`` at the command line."""

from pathlib import Path

import pytest

from acp_server.cli.main import main

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HERMES_HOME", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path))
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    return folder


def test_what_is_added_is_listed_and_forgotten(home: Path, capsys: Captured) -> None:
    assert main(["memory", "add", "uses", "uv"]) == 0
    assert main(["memory", "add", "--user", "likes \x1b[31mred"]) == 1
    assert main(["memory", "add", "--user", "likes red"]) == 0
    capsys.readouterr()
    assert main(["memory"]) == 0
    shown = capsys.readouterr().out
    assert "1. uses uv" in shown
    assert "2. likes red" in shown
    assert main(["memory", "forget", "1"]) == 0
    assert (home / "memories/MEMORY.md").read_text() == ""
    assert main(["memory", "forget", "7"]) == 1
    assert "no entry 7" in capsys.readouterr().err


def test_the_prompt_of_a_folder_is_shown(home: Path, capsys: Captured, tmp_path: Path) -> None:
    (tmp_path / "project/AGENTS.md").write_text("Use tabs.\x1b]0;x\x07")
    assert main(["prompt"]) == 0
    shown = capsys.readouterr().out
    assert "how to work" in shown
    assert "tool read_file" in shown
    assert "Project files: AGENTS.md." in shown
    assert main(["prompt", "--full"]) == 0
    shown = capsys.readouterr().out
    assert "Use tabs." in shown
    assert "\x1b" not in shown
    assert list(home.iterdir()) == []
    assert main(["prompt", "--cwd", str(home)]) == 0
    assert "Project files" not in capsys.readouterr().out
    assert main(["prompt", "--cwd", "/nonexistent"]) == 1
