"""The command line itself: errors in two lines, exit codes, no traceback."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from acp_server.cli.chat import ChatOptions
from acp_server.cli.console import Failure
from acp_server.cli.main import COMMANDS, MODES, main, platform_refusal
from hermes_core.ground.actions import Mode
from hermes_core.ground.errors import ConfigError
from tests.acp_server.cli.terminal import Terminal

ROOT = Path(__file__).parents[3]

Captured = pytest.CaptureFixture[str]


def test_version(capsys: Captured) -> None:
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"hermes {wanted}\n"


def test_the_module_is_the_program(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "acp_server.cli.main", "--version"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.startswith("hermes ")


@pytest.mark.parametrize("argv", [["nonsense"], ["chat", "--mode", "wild"], ["chat", "a", "b"]])
def test_a_wrong_command_line_exits_with_2(argv: list[str], capsys: Captured) -> None:
    with pytest.raises(SystemExit) as caught:
        main(argv)
    assert caught.value.code == 2
    assert "usage: hermes" in capsys.readouterr().err


def test_a_prompt_of_several_words_is_refused_with_a_hint(capsys: Captured) -> None:
    with pytest.raises(SystemExit):
        main(["chat", "hello", "world"])
    assert 'put the prompt in quotes: hermes chat "hello world"' in capsys.readouterr().err


@pytest.mark.parametrize("prompt", ["", " \n"])
def test_an_empty_prompt_is_refused(prompt: str, capsys: Captured) -> None:
    assert main(["chat", prompt]) == 1
    assert capsys.readouterr().err.startswith("The prompt is empty.\nAsk with ")


@pytest.mark.parametrize(
    ("argv", "prompt", "resume"),
    [
        ([], None, None),
        (["hi"], "hi", None),
        (["--mode", "default", "hi"], "hi", None),
        (["--resume"], None, ""),
        (["--resume", "add a test"], None, "add a test"),
        (["--continue"], None, ""),
        (["--continue", "add a test"], "add a test", ""),
        (["add a test", "--continue"], "add a test", ""),
        (["--resume", "--", "1a2b"], "1a2b", ""),
        (["hi", "--resume"], "hi", ""),
        (["--resume", "1a2b"], None, "1a2b"),
        (["--resume=1a2b", "hi"], "hi", "1a2b"),
        (["--resume", "cafedada", "hi"], "hi", "cafedada"),
        (["hi", "--resume", "0b1d8f0c-1111"], "hi", "0b1d8f0c-1111"),
    ],
)
def test_a_prompt_is_told_from_a_session(
    argv: list[str], prompt: str | None, resume: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[ChatOptions] = []

    def run_chat(options: ChatOptions) -> int:
        asked.append(options)
        return 0

    monkeypatch.setattr("acp_server.cli.chat.run_chat", run_chat)
    assert main(["chat", *argv]) == 0
    assert [(options.prompt, options.resume) for options in asked] == [(prompt, resume)]


def test_two_sessions_at_once_are_refused(capsys: Captured) -> None:
    assert main(["chat", "--resume", "other", "--continue", "hi"]) == 1
    assert capsys.readouterr().err.startswith("--continue is this folder's last session, ")


def test_the_help_has_a_line_for_each_command(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    rows = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    for command in COMMANDS:
        (row,) = [row for row in rows if row and row[0] == command]
        assert len(row) == 2, command


def test_no_command_shows_the_help(capsys: Captured) -> None:
    assert main([]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    for command in ("acp", "chat", "demo", "doctor"):
        assert command in shown.err


@pytest.mark.parametrize(
    ("error", "lines"),
    [
        (Failure("It broke.", "Mend it."), ["It broke.", "Mend it."]),
        (
            ConfigError("config.yaml:3: model.default must be text. Correct that line."),
            ["config.yaml:3: model.default must be text.", "Correct that line."],
        ),
        (ConfigError("First.\nSecond."), ["First.", "Second."]),
        (
            ConfigError("No advice"),
            ["No advice", "`hermes doctor` tells what is configured and what is missing."],
        ),
        (
            ValueError("bad key sk-abcdefghijklmnop1234"),
            [
                "Hermes failed (ValueError): bad key [redacted]",
                "This is a fault of Hermes. Please report it with what you did before it.",
            ],
        ),
        (
            Failure("esc\x1b[2J\nape", "next"),
            ["esc\\x1b[2J ape", "next"],
        ),
    ],
)
def test_errors_are_told_in_two_lines(
    error: Exception, lines: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def broken() -> int:
        raise error

    monkeypatch.setattr("acp_server.cli.doctor.run_doctor", broken)
    assert main(["doctor"]) == 1
    assert capsys.readouterr().err.splitlines() == lines


def test_ctrl_c_exits_with_130(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    def interrupted() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("acp_server.cli.doctor.run_doctor", interrupted)
    assert main(["doctor"]) == 130
    assert capsys.readouterr().err == ""


def test_a_folder_that_is_not_there(tmp_path: Path, capsys: Captured) -> None:
    assert main(["chat", "--cwd", str(tmp_path / "none"), "hello"]) == 1
    first, second = capsys.readouterr().err.splitlines()
    assert first == f"There is no folder {tmp_path / 'none'}."
    assert "--cwd" in second


@pytest.mark.parametrize("platform", ["win32", "cygwin"])
def test_windows_is_refused_with_a_way_out(
    platform: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    assert main(["doctor"]) == 1
    first, second = capsys.readouterr().err.splitlines()
    assert "Windows" in first
    assert "WSL" in second


def test_the_modes_are_those_of_the_core() -> None:
    assert get_args(Mode) == MODES


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_others_are_not(platform: str) -> None:
    assert platform_refusal(platform) is None


def test_a_reader_that_is_gone_is_no_fault(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "acp_server.cli.main", "--version"],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    os.close(writing)
    assert done.returncode == 1
    assert done.stderr == ""


def test_the_server_in_a_terminal_says_what_it_is(tmp_path: Path) -> None:
    env = {**os.environ, "HERMES_HOME": str(tmp_path / "home")}
    program = [sys.executable, "-m", "acp_server.cli.main", "acp"]
    with Terminal(program, tmp_path, env) as terminal:
        terminal.expect("an editor starts it")
        terminal.expect("`hermes chat` talks to the same agent")
        terminal.send("\x04")
        assert terminal.exit_code() == 0
