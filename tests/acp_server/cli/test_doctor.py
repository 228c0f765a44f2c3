"""The doctor's report, as a table of homes and environments."""

import contextlib
import errno
import os
import socket
import sqlite3
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from acp_server.cli.main import main

Captured = pytest.CaptureFixture[str]

KEY = "sk-or-v1-0123456789abcdef0123456789abcdef"
OWN = "model:\n  provider: custom\n  base_url: https://llm.example/v1\n  default: qwen\n"
VARIABLES = (
    "HERMES_INFERENCE_PROVIDER",
    "OPENROUTER_API_KEY",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "LM_API_KEY",
    "LM_BASE_URL",
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    monkeypatch.setenv("HERMES_HOME", str(home))
    return home


def write(home: Path, **files: str) -> None:
    home.mkdir(mode=0o700)
    for name, text in files.items():
        (home / {"config": "config.yaml", "env": ".env"}[name]).write_text(text)


class Case(NamedTuple):
    """What is set, and what the report says then."""

    files: dict[str, str]
    environ: dict[str, str]
    code: int
    lines: list[str]


@pytest.mark.parametrize(
    "case",
    [
        Case(
            {},
            {},
            1,
            ["✗ provider", "Not ready: no prompt could be sent.", "Next: ", "hermes acp --setup"],
        ),
        Case(
            {},
            {"HERMES_INFERENCE_PROVIDER": "demo"},
            0,
            [
                "✓ provider     demo (HERMES_INFERENCE_PROVIDER in the environment)",
                "✓ key          none, and none needed",
                "Ready: ",
            ],
        ),
        Case(
            {"config": OWN},
            {},
            0,
            [
                "✓ config.yaml  read",
                "✓ provider     custom (model.provider in config.yaml)",
                "✓ model        qwen (model.default in config.yaml)",
                "✓ address      https://llm.example/v1 (model.base_url in config.yaml; not ",
            ],
        ),
        Case(
            {
                "config": "model:\n  provider: openrouter\n  default: some/model\n",
                "env": f"OPENROUTER_API_KEY={KEY}\n",
            },
            {},
            0,
            ["✓ key          present (OPENROUTER_API_KEY in .env)", "✓ .env         read"],
        ),
        Case(
            {"config": "model:\n  provider: openrouter\n  default: some/model\n"},
            {},
            1,
            ["✗ provider     There is no key for openrouter.", "Next: Put OPENROUTER_API_KEY"],
        ),
        Case(
            {
                "config": "model:\n  provider: lmstudio\n  default: m\n",
                "env": f"LM_API_KEY={KEY}\n",
            },
            {"LM_BASE_URL": "https://llm.example/v1"},
            0,
            ["! key          none is sent; if you trust the address, put it into .env (LM_API_KEY"],
        ),
        Case({"config": "modle: x\n" + OWN}, {}, 0, ["! ", "config.yaml:1: unknown key 'modle'"]),
        Case({"config": "model: [\n"}, {}, 1, ["✗ config", "config.yaml:2", "Next: Correct that"]),
    ],
)
def test_report(
    case: Case, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if case.files:
        write(home, **case.files)
    for name, value in case.environ.items():
        monkeypatch.setenv(name, value)
    assert main(["doctor"]) == case.code
    shown = capsys.readouterr()
    assert shown.err == ""
    for line in case.lines:
        assert line in shown.out
    assert KEY not in shown.out
    assert "\x1b" not in shown.out


def test_an_endpoint_on_this_machine_is_knocked_at(home: Path, capsys: Captured) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        write(home, config=OWN.replace("https://llm.example/v1", url))
        assert main(["doctor"]) == 0
        assert f"✓ address      {url} (model.base_url in config.yaml)\n" in capsys.readouterr().out
    assert main(["doctor"]) == 1
    shown = capsys.readouterr().out
    assert f"✗ address      Nothing listens at {url}." in shown
    assert "Next: Start the server of your model" in shown


def test_a_home_inside_the_current_folder_is_told(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    write(home, config=OWN)
    monkeypatch.chdir(home.parent)
    assert main(["doctor"]) == 1
    assert "✗ folder       HERMES_HOME lies inside the current folder" in capsys.readouterr().out


@pytest.mark.usefixtures("home")
def test_a_current_folder_that_is_gone_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("HERMES_INFERENCE_PROVIDER", "demo")
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main(["doctor"]) == 1
    assert "✗ folder       The current folder is gone." in capsys.readouterr().out


def test_a_full_disk_is_told(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    write(home, config=OWN)

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.fsync", full)
    assert main(["doctor"]) == 1
    assert "cannot be written: no space left on device." in capsys.readouterr().out
    assert sorted(path.name for path in home.iterdir()) == ["config.yaml"]


def test_looking_changes_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor"])
    assert not home.exists()
    assert "made when it is needed" in capsys.readouterr().out


def test_a_home_in_a_place_that_cannot_be_used(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HERMES_HOME", "relative")
    assert main(["doctor"]) == 1
    assert "✗ config       HERMES_HOME is 'relative'" in capsys.readouterr().out
    write(home)
    monkeypatch.setenv("HERMES_HOME", str(home))
    monkeypatch.setattr("os.access", lambda _path, _mode: False)
    assert main(["doctor"]) == 1
    assert f"✗ home         {home} cannot be written: permission denied." in capsys.readouterr().out


def test_a_database_that_does_not_open(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_INFERENCE_PROVIDER", "demo")
    write(home)
    database = home / "hermes_sessions.db"
    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA user_version = 999")
    before = database.read_bytes()
    assert main(["doctor"]) == 1
    assert "✗ sessions" in capsys.readouterr().out
    assert database.read_bytes() == before


def test_programs_that_are_missing_are_no_hindrance(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_INFERENCE_PROVIDER", "demo")
    monkeypatch.setattr("hermes_core.local.processes.find_program", lambda _name, _path: None)
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert "! git          none: the agent cannot look at history" in shown
    assert "! rg           none on your PATH (ripgrep is optional: faster search)" in shown
    assert not home.exists()


def test_the_fallbacks_are_told_with_what_they_lack(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chain = (
        "fallback_providers:\n"
        "  - {provider: openrouter, model: a/b}\n"
        "  - {provider: minimax, model: m}\n"
    )
    write(home, config=OWN + chain, env=f"OPENROUTER_API_KEY={KEY}\n")
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert "✓ fallback     1. a/b through openrouter (OPENROUTER_API_KEY in .env)" in shown
    assert "! fallback     2. m through minimax: There is no key for minimax." in shown
    assert KEY not in shown


def test_mcp_servers_of_the_settings_are_told_and_not_started(
    home: Path, capsys: Captured, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    servers = (
        "mcp_servers:\n"
        f"  there: {{command: touch, args: ['{mark}']}}\n"
        "  missing: {command: no-such-program}\n"
        "  far: {url: 'https://mcp.example/mcp?key=hidden'}\n"
        "  idle: {url: 'https://mcp.example/mcp', enabled: false}\n"
    )
    write(home, config=OWN + servers, env="OPENAI_API_KEY=canary-key\n")
    main(["doctor"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "✓ mcp server there: touch" in shown
    assert "! mcp server missing: the program no-such-program is not on your PATH" in shown
    assert "✓ mcp server far: https://mcp.example/mcp " in shown
    assert "idle: https://mcp.example/mcp (switched off)" in shown
    assert "hidden" not in shown
    assert not mark.exists()


def test_keys_that_other_users_can_read_are_told(home: Path, capsys: Captured) -> None:
    write(home, config=OWN)
    file = home / ".env"
    file.write_text("OPENAI_API_KEY=canary-key\n")
    for mode, folder, is_open in (
        (0o644, 0o755, True),
        (0o644, 0o700, False),
        (0o600, 0o755, False),
    ):
        file.chmod(mode)
        home.chmod(folder)
        main(["doctor"])
        assert ("other users can read it too" in capsys.readouterr().out) is is_open


def test_a_library_that_is_missing_is_told(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    write(home, config="model: {provider: bedrock, default: anthropic.claude-sonnet-5}\n")
    monkeypatch.setenv("AWS_PROFILE", "work")
    assert main(["doctor"]) == 0
    assert "AWS's own credentials: AWS_PROFILE" in capsys.readouterr().out
    monkeypatch.setitem(sys.modules, "boto3", None)
    assert main(["doctor"]) == 1
    assert "hermes-editor-agent[aws]" in capsys.readouterr().out
    assert main(["providers"]) == 0
    assert "✓ bedrock" not in capsys.readouterr().out
