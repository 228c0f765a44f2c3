"""``hermes chat`` with the program's own server and its scripted model."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acp_server.cli.scratch import FILES
from tests.acp_server.cli.terminal import Terminal

CHAT = [sys.executable, "-m", "acp_server.cli.main", "chat"]
PROMPT = "The median is wrong."


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    home = {"HERMES_HOME": str(tmp_path / "home"), "HERMES_INFERENCE_PROVIDER": "demo"}
    return {**os.environ, **home}


def chat(project: Path, environ: dict[str, str], *arguments: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [*CHAT, *arguments],
        cwd=project,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_edits_are_rejected_without_a_terminal_and_the_session_is_kept(
    project: Path, environ: dict[str, str]
) -> None:
    code, shown, errors = chat(project, environ, PROMPT)
    assert (code, errors) == (0, "")
    assert "→ rejected: there is no terminal to ask on" in shown
    assert (project / "stats.py").read_text() == FILES["stats.py"]
    code, again, errors = chat(project, environ, "--resume", "--", "And now?")
    assert (code, errors) == (0, "")
    assert again.startswith(f"› {PROMPT}\n")
    assert "✎ Edit stats.py" in again
    assert again.index("Understood.") < again.index("I have only this one piece to play")


def test_a_mode_lets_edits_run(project: Path, environ: dict[str, str]) -> None:
    code, shown, _ = chat(project, environ, "--mode", "accept_edits", "--cwd", ".", PROMPT)
    assert code == 0
    assert "✎ Edit stats.py  ✓\n  stats.py +4 -1\n" in shown
    assert (project / "stats.py").read_text() != FILES["stats.py"]


def test_without_a_model_it_says_what_to_do(project: Path, tmp_path: Path) -> None:
    bare = {"HERMES_HOME": str(tmp_path / "home"), "HOME": str(tmp_path), "PATH": os.defpath}
    code, shown, errors = chat(project, bare, "hello")
    assert code == 1
    assert "Traceback" not in shown + errors
    assert "No model provider is set up." in shown
    assert ".env" in shown


def test_no_earlier_session(project: Path, environ: dict[str, str]) -> None:
    code, shown, errors = chat(project, environ, "--resume", "--", "hello")
    assert (code, shown) == (1, "")
    first, second = errors.splitlines()
    assert first == f"There is no earlier session in {project}."
    assert "hermes chat" in second


def test_a_conversation_on_a_terminal(project: Path, environ: dict[str, str]) -> None:
    with Terminal(CHAT, project, environ) as terminal:
        terminal.expect("scripted-demo")  # a long path breaks the line elsewhere
        terminal.expect("›")
        terminal.send(f"{PROMPT}\r")
        terminal.expect("Edit stats.py")
        terminal.expect("n  Reject  (Enter)")
        terminal.send("y")
        terminal.expect("$ python3 test_stats.py")
        terminal.expect("n  Reject  (Enter)")
        terminal.send("n")
        terminal.expect("→ rejected")
        terminal.expect("I do not run the tests")
        terminal.expect("›")
        terminal.send("\x04")
        terminal.expect("`hermes chat --resume=")
        assert terminal.exit_code() == 0
    session = terminal.words.rpartition("--resume=")[2].partition("`")[0]
    code, again, _ = chat(project, environ, f"--resume={session}", "And now?")
    assert code == 0
    assert again.startswith(f"› {PROMPT}\n")
    assert (project / "stats.py").read_text() != FILES["stats.py"]
