"""``hermes editor`` as a person meets it."""

import sys
from pathlib import Path

import pytest

from acp_server.cli.main import main

SETTINGS = '{\n  "theme": "One Dark" // mine\n}\n'


@pytest.fixture
def zed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    user = tmp_path / "user"
    monkeypatch.setenv("HOME", str(user))
    for name in ("XDG_CONFIG_HOME", "NVIM_APPNAME", "HERMES_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "platform", "linux")
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    file = user / ".config" / "zed" / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_text(SETTINGS, encoding="utf-8")
    return file


def test_in_and_out(zed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["editor", "install", "zed", "--yes"]) == 0
    told = capsys.readouterr().out
    assert '+    "Hermes": {' in told
    assert "A copy of the file as it was: " in told
    assert "Hermes is in Zed." in told
    assert main(["editor", "list"]) == 0
    told = capsys.readouterr().out
    assert "✓ zed " in told
    assert "  jetbrains " in told
    assert main(["editor", "install", "zed"]) == 0
    assert "already" in capsys.readouterr().out
    assert main(["editor", "uninstall", "zed", "--yes"]) == 0
    assert zed.read_text(encoding="utf-8") == SETTINGS
    assert main(["editor", "uninstall", "zed"]) == 0
    assert "Hermes is not in Zed" in capsys.readouterr().out


def test_a_dry_run_shows_and_changes_nothing(zed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["editor", "install", "zed", "--dry-run"]) == 0
    assert '+    "Hermes": {' in capsys.readouterr().out
    assert zed.read_text(encoding="utf-8") == SETTINGS
    assert not (Path.home() / ".hermes" / "editors").exists()


def test_without_a_terminal_it_asks_for_yes(zed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["editor", "install", "zed"]) == 1
    assert "--yes" in capsys.readouterr().err
    assert zed.read_text(encoding="utf-8") == SETTINGS


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("\n", 1), ("n\n", 1), ("", 1)])
def test_it_asks_first(
    zed: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    code: int,
) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return answer

    monkeypatch.setattr(sys, "stdin", Terminal())
    assert main(["editor", "install", "zed"]) == code
    assert f"Write {zed}? [y/N] " in capsys.readouterr().out
    assert (zed.read_text(encoding="utf-8") == SETTINGS) == (code == 1)


def test_editors_made_of_code_get_a_file_and_a_line(
    zed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["editor", "install", "codecompanion", "--yes"]) == 0
    told = capsys.readouterr().out
    line = 'require("codecompanion").setup(require("hermes-codecompanion")({}))'
    assert (
        f"Add this line (init.lua, with your own options between the braces):\n\n    {line}" in told
    )
    placed = zed.parents[1] / "nvim" / "lua" / "hermes-codecompanion.lua"
    assert placed.is_file()
    assert main(["editor", "uninstall", "codecompanion", "--yes"]) == 0
    assert f"Take this line out (init.lua):\n\n    {line}" in capsys.readouterr().out
    assert not placed.exists()


def test_what_goes_wrong_is_told_in_two_lines(
    zed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    zed.write_text('{"a" 1}', encoding="utf-8")
    assert main(["editor", "install", "zed", "--yes"]) == 1
    first, second = capsys.readouterr().err.strip().split("\n")
    assert first.endswith(
        "settings.json cannot be changed: line 1, column 6: a colon is missing after the key."
    )
    assert second == "Correct it in the editor, then run this again; nothing was written."
    assert main(["editor", "install", "emacs"]) == 1
    assert "For emacs: agent-shell." in capsys.readouterr().err


def test_a_link_is_told(zed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    real = zed.rename(zed.with_name("real.json"))
    zed.symlink_to(real)
    assert main(["editor", "install", "zed", "--yes"]) == 0
    assert f"({zed} is a link; the file that changes is {real}.)" in capsys.readouterr().out
    assert zed.is_symlink()


def test_a_key_in_the_settings_is_not_shown(zed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    zed.write_text('{\n  "key": "sk-ant-api03-' + "A1b2" * 20 + '"\n}\n', encoding="utf-8")
    assert main(["editor", "install", "zed", "--yes"]) == 0
    assert "A1b2A1b2" not in capsys.readouterr().out
    assert "A1b2A1b2" in zed.read_text(encoding="utf-8")
