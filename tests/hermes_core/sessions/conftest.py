import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hermes_core.sessions.store import FILE_NAME, SessionRow, Store

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / FILE_NAME


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """A store with the session ``s`` in it."""
    store = Store(path)
    store.create_session(SessionRow("s", "/w"))
    yield store
    store.close()


@pytest.fixture
def start() -> Iterator[Start]:
    """Start Python programs whose output can be read; they are killed at the end of the test."""
    started: list[subprocess.Popen[str]] = []

    def start(program: str, *arguments: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-c", program, *arguments],
            env={**os.environ, "PYTHONPATH": os.getcwd()},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
