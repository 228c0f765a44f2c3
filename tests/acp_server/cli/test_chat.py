"""``hermes chat`` without a terminal, against an agent that does as its prompt says."""

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_server.cli.chat import ChatOptions, run_chat
from acp_server.cli.console import Failure

Chat = Callable[..., tuple[int, str]]


@pytest.fixture
def chat(fake_agent: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Chat:
    def run(prompt: str | None, **options: Any) -> tuple[int, str]:
        chosen = {"cwd": tmp_path, "command": fake_agent, **options}
        code = run_chat(ChatOptions(prompt=prompt, **chosen))
        return code, capsys.readouterr().out

    return run


def test_one_turn_in_plain_text(chat: Chat) -> None:
    code, shown = chat("hello")
    assert code == 0
    *turn, closing = shown.split("\n\n")
    assert turn == ["┊ Some thinking.", "Hello **world**."]
    assert closing.startswith("1.2k of 128k tokens · ")


def test_without_a_terminal_a_question_is_rejected_and_that_is_said(chat: Chat) -> None:
    code, shown = chat("edit")
    assert code == 0
    assert "✎ Edit stats.py\n  /repo/stats.py +1 -1\n  1   a = 1\n  2 - b = 2\n" in shown
    assert "  → rejected: there is no terminal to ask on\n" in shown
    assert "outcome: reject_once" in shown


def test_escapes_of_a_command_never_reach_the_output(chat: Chat) -> None:
    _, shown = chat("escape")
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "$ printf '\\x1b[2J'  ✓\n  a\\x1b[31mb\\u202ec\n" in shown


def test_an_error_of_the_agent_is_told_and_fails(chat: Chat) -> None:
    code, shown = chat("fail")
    assert code == 1
    assert "✗ The key was refused.\nSet OPENROUTER_API_KEY.\n" in shown


def test_the_death_of_the_agent_is_a_failure(chat: Chat) -> None:
    with pytest.raises(Failure) as caught:
        chat("die")
    assert caught.value.what == "The agent ended unexpectedly (exit code 3): it broke"


def test_a_piped_prompt(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("hello\n"))
    assert chat(None)[0] == 0


def test_what_is_piped_reaches_the_agent_with_the_prompt(
    chat: Chat, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    piped = tmp_path / "main.py"
    piped.write_text("x = 1\n")
    with piped.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert "heard: this?\n\nFrom stdin:\n\nx = 1" in chat("repeat this?")[1]


def test_nothing_to_ask(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(" \n"))
    with pytest.raises(Failure, match="nothing to ask"):
        chat(None)


@pytest.mark.parametrize("resume", ["aaaa-2", "older", "Old"])
def test_a_resumed_session_is_shown_first(chat: Chat, resume: str) -> None:
    code, shown = chat("hello", cwd=Path("/"), resume=resume)
    assert code == 0
    assert shown.startswith("› again?\n\nYes.\n\n┊ Some thinking.\n")


@pytest.mark.parametrize(
    ("resume", "words"),
    [
        ("", "no earlier session"),
        ("aaaa", "Several sessions fit 'aaaa': aaaa-111 (newest), aaaa-222 (older)."),
        ("zzzz", "There is no session 'zzzz': it is neither the beginning of an id nor in a title"),
    ],
)
def test_a_session_that_cannot_be_resumed(chat: Chat, resume: str, words: str) -> None:
    with pytest.raises(Failure) as caught:
        chat("hello", resume=resume)
    assert words in caught.value.what


def test_the_last_session_of_the_folder_is_resumed(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[object] = []

    async def sessions(_client: object, cwd: Path | None) -> list[dict[str, Any]]:
        found.append(cwd)
        return [{"sessionId": "first", "cwd": "/"}, {"sessionId": "second", "cwd": "/"}]

    monkeypatch.setattr("acp_server.cli.client.AcpClient.sessions", sessions)
    code, shown = chat("hello", cwd=Path("/"), resume="")
    assert code == 0
    assert found == [Path("/")]
    assert "again?" in shown


def test_a_reader_that_goes_away_ends_it_quietly(fake_agent: list[str], tmp_path: Path) -> None:
    script = (
        "import sys\nfrom pathlib import Path\nfrom acp_server.cli import main\n"
        "from acp_server.cli.chat import ChatOptions, run_chat\n"
        "options = ChatOptions(cwd=Path.cwd(), command=sys.argv[1:], prompt='flood 3')\n"
        "main.COMMANDS['doctor'] = lambda _: run_chat(options)\n"
        "sys.exit(main.main(['doctor']))\n"
    )
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-c", script, *fake_agent],
        cwd=tmp_path,
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")
