"""``hermes demo`` as a whole: the real server, the real client, the real tools."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acp_server.cli.demo import environment, program
from tests.acp_server.cli.terminal import Terminal

DEMO = [sys.executable, "-m", "acp_server.cli.main", "demo"]


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """An environment in which scratch folders are made below ``tmp_path``."""
    place = tmp_path / "scratch"
    place.mkdir()
    return {**os.environ, "TMPDIR": str(place), "HERMES_HOME": str(tmp_path / "untouched")}


def test_without_a_terminal_it_answers_itself_and_says_so(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    done = subprocess.run(
        DEMO,
        cwd=tmp_path,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    shown = done.stdout
    assert (done.returncode, done.stderr) == (0, ""), shown
    assert "The model is scripted" in shown
    assert "▸ Find the bug\n○ Fix it\n○ Run the tests\n" in shown
    assert "◇ Read stats.py  ✓\n" in shown
    assert " - " in shown
    assert "→ allowed once by the demo: there is no terminal to ask on\n" in shown
    assert shown.count("→ allowed once") == 2
    assert "$ python3 test_stats.py  ✓\n  all tests passed\n" in shown
    assert "✓ Checked: the bug is gone, and the tests pass.\n" in shown
    assert "\x1b" not in shown
    assert not list((tmp_path / "scratch").iterdir())
    assert not (tmp_path / "untouched").exists()


@pytest.mark.parametrize(
    ("answers", "code", "words"),
    [
        ("yy", 0, "✓ Checked: the bug is gone, and the tests pass."),
        ("n", 0, "○ Checked: you rejected the edit, so nothing was written"),
    ],
)
def test_on_a_terminal_it_asks(
    tmp_path: Path, environ: dict[str, str], answers: str, code: int, words: str
) -> None:
    with Terminal([*DEMO, "--keep"], tmp_path, environ) as terminal:
        for answer in answers:
            terminal.expect("n  Reject  (Enter)")
            terminal.send(answer)
        terminal.expect(words)
        terminal.expect("The repository is ")
        assert terminal.exit_code() == code
    (scratch,) = (tmp_path / "scratch").iterdir()
    fixed = "// 2]" not in (scratch / "repository" / "stats.py").read_text()
    assert fixed is (answers == "yy")


def test_ctrl_c_ends_it(tmp_path: Path, environ: dict[str, str]) -> None:
    with Terminal(DEMO, tmp_path, environ) as terminal:
        terminal.expect("n  Reject  (Enter)")
        terminal.send("\x03")
        assert terminal.exit_code() == 130
    assert not list((tmp_path / "scratch").iterdir())


def test_the_program_is_named_so_that_it_can_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a b" / "bin"
    folder.mkdir(parents=True)
    ours = folder / "hermes"
    ours.touch(0o755)
    monkeypatch.setattr("sys.executable", str(folder / "python"))
    monkeypatch.setenv("PATH", "/nowhere")
    assert program() == f"'{ours}'"
    monkeypatch.chdir(folder.parent)
    assert program() == "bin/hermes"
    monkeypatch.setenv("PATH", str(folder))
    assert program() == "hermes"
    other = tmp_path / "hermes"
    other.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program() == "bin/hermes"


def test_a_path_without_python3_gets_ours(tmp_path: Path) -> None:
    chosen = environment({"PATH": str(tmp_path)}, tmp_path / "home")
    assert chosen["PATH"] == f"{tmp_path}{os.pathsep}{Path(sys.executable).parent}"
    assert chosen["HERMES_INFERENCE_PROVIDER"] == "demo"
    assert environment({"PATH": os.defpath + ":/usr/bin"}, tmp_path)["HERMES_HOME"] == str(tmp_path)
