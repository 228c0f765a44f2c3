"""What stdin adds to a prompt: pipes and files, bounded, never in silence."""

import io
import os
import threading
from pathlib import Path

import pytest

from acp_server.cli import piped
from acp_server.cli.piped import CUT, LIMIT, WAITING, read_piped, with_piped

Captured = pytest.CaptureFixture[str]
Monkey = pytest.MonkeyPatch


def test_a_file_follows_the_prompt(tmp_path: Path, monkeypatch: Monkey, capsys: Captured) -> None:
    path = tmp_path / "main.py"
    path.write_bytes(b"x = 1\n# \xff\n")
    with path.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert with_piped("what is this") == "what is this\n\nFrom stdin:\n\nx = 1\n# \ufffd\n"
    assert capsys.readouterr().err == ""


def test_an_empty_file_adds_nothing(tmp_path: Path, monkeypatch: Monkey) -> None:
    path = tmp_path / "empty"
    path.touch()
    with path.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert with_piped("what is this") == "what is this"


@pytest.mark.parametrize("stream", [None, io.StringIO("unread")])
def test_what_is_no_pipe_is_left_alone(stream: object, monkeypatch: Monkey) -> None:
    monkeypatch.setattr("sys.stdin", stream)
    assert with_piped("ask") == "ask"
    with Path(os.devnull).open() as device:
        monkeypatch.setattr("sys.stdin", device)
        assert with_piped("ask") == "ask"


def test_much_is_cut_and_that_is_said(
    tmp_path: Path, monkeypatch: Monkey, capsys: Captured
) -> None:
    path = tmp_path / "long"
    path.write_text("é" * (LIMIT + 1), encoding="utf-8")
    with path.open(encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        text = read_piped()
    assert text == "é" * LIMIT + "\n[cut here: stdin goes on]"
    assert capsys.readouterr().err == f"{CUT}\n"


def test_a_silent_pipe_is_waited_for_and_that_is_said(
    monkeypatch: Monkey, capsys: Captured
) -> None:
    reading, writing = os.pipe()
    said = threading.Event()
    told: list[str] = []

    def remark(text: str) -> None:
        told.append(text)
        said.set()

    def write() -> None:
        said.wait(60)
        os.write(writing, b"late")
        os.close(writing)

    monkeypatch.setattr(piped, "PATIENCE", 0.0)
    monkeypatch.setattr(piped, "remark", remark)
    writer = threading.Thread(target=write)
    writer.start()
    with os.fdopen(reading) as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert with_piped("ask") == "ask\n\nFrom stdin:\n\nlate"
    writer.join()
    assert told == [WAITING]
