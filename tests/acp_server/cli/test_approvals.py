import io
import json
from pathlib import Path

import pytest

from acp_server.cli.main import main
from hermes_core.approval.rules import Rule, Rules


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "me/.hermes"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


def test_a_command_is_judged(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["approvals", "check", "ls; reboot"]) == 0
    assert capsys.readouterr().out.startswith("forbid (power-off): ")


def test_a_second_opinion_is_told_of(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    home = tmp_path / "me/.hermes"
    home.mkdir(parents=True)
    for value, told in (("true", True), ("false", False), ("maybe", False)):
        (home / "config.yaml").write_text(f"approvals:\n  second_opinion: {value}\n")
        assert main(["approvals", "check", "ls"]) == 0
        assert ("A model looks" in capsys.readouterr().out) is told
        assert main(["approvals", "list"]) == 0
        assert ("A model looks" in capsys.readouterr().out) is told


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["approvals", "check", "--json", "echo hi"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["verdict"], answer["programs"]) == ("safe", [["echo", "hi"]])


def test_json_lines_come_from_stdin(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = b'{"cmd": "pwd"}\n{"cmd": "ls \xff"}\n'
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert main(["approvals", "check", "--jsonl"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["verdict"] for line in lines] == ["safe", "ask"]


def test_nothing_to_judge(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["approvals", "check"]) == 1
    assert "no command" in capsys.readouterr().err


def test_rules_are_listed_and_revoked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["approvals", "list"]) == 0
    assert capsys.readouterr().out.startswith("There are no rules")
    rules = Rules(tmp_path / "me/.hermes")
    rules.add(Rule("deny", "command", "make\x1b[2J", "/w", since="2026-01-02"))
    assert main(["approvals", "list"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(
        "1. always reject the command `make\\x1b[2J`, in `/w` (since 2026-01-02)"
    )
    assert main(["approvals", "revoke", "2"]) == 1
    assert "no rule 2: they are numbered from 1 to 1" in capsys.readouterr().err
    assert main(["approvals", "revoke", "x"]) == 1
    assert "'x' is no number" in capsys.readouterr().err
    assert main(["approvals", "revoke", "1"]) == 0
    assert capsys.readouterr().out.startswith("Revoked: always reject")
    assert rules.all() == []
