import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run_python() -> Run:
    """Run a Python program in a process of its own; it must end by itself, with code 0."""

    def run(program: str, *arguments: str, **env: str) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program, *arguments],
            env={**os.environ, "PYTHONPATH": os.getcwd(), **env},
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done

    return run


@pytest.fixture
def real_path(tmp_path: Path) -> Path:
    """A folder without a link in its path."""
    return Path(os.path.realpath(tmp_path))
