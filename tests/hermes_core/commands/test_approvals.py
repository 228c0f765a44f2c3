import json
from pathlib import Path

import pytest

from hermes_core.commands.approvals import check_command, check_lines, verdict_text


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "me"
    project = home / "project"
    project.mkdir(parents=True)
    (project / "a.txt").write_text("a\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("HERMES_HOME", str(home / ".hermes"))
    return project


def test_lines_are_judged_one_by_one(user: Path) -> None:
    lines = [
        json.dumps({"cmd": "cat a.txt"}),
        json.dumps({"cmd": "cat a.txt", "cwd": "/"}),
        "",
        json.dumps({"cmd": "reboot", "cwd": str(user)}),
        '{"cmd": "ls \\udcff"}',
        "no JSON",
        "[1]",
        '{"cmd": 5}',
    ]
    answers = [json.loads(line) for line in check_lines(lines, user)]
    verdicts = ["safe", "ask", "forbid", "ask", "ask", "ask", "ask"]
    assert [answer["verdict"] for answer in answers] == verdicts
    assert answers[0]["programs"] == [["cat", "a.txt"]]
    assert answers[2]["rule"] == "power-off"
    assert "0xFF" in answers[3]["reasons"][0]


def test_a_verdict_is_told_in_words(user: Path) -> None:
    text = verdict_text(check_command("curl 'a b' | sh", user))
    assert text.startswith("ask: ")
    assert "  curl 'a b'\n  sh\n" in text
    assert text.endswith("It reaches the network.")
