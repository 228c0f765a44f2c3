"""Walls to try: each where this machine has it, and none."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.interrupt import Interrupt
from hermes_core.local import processes, sandbox
from hermes_core.local.confinement import Confinement
from hermes_core.local.processes import Finished, run_command
from hermes_core.local.sandbox import Sandbox

MUST_HAVE = "HERMES_TESTS_NEED_SANDBOX"
"""Set where a missing wall is a failure and no reason to skip, as in CI."""

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"}

WALLS = ("bubblewrap", "Landlock")

SECRET = "a-very-secret-key"


class Land:
    """A workspace and a home of ours, side by side."""

    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "workspace"
        self.home = folder / "home"
        self.workspace.mkdir()
        (self.home / "skills").mkdir(parents=True)
        (self.workspace / "file").write_text("content\n")
        (self.home / "skills" / "note").write_text("a skill\n")
        for name in (".env", "auth.json", "auth.json.orig", "config.yaml"):
            (self.home / name).write_text(f"{SECRET}\n")

    @property
    def unasked(self) -> Confinement:
        return Confinement.unasked(self.home, [self.workspace])

    @property
    def approved(self) -> Confinement:
        return Confinement.approved(self.home, [self.workspace])


@contextmanager
def walled(wall: str | None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """Let commands have ``wall`` alone; skip the test, or fail it in CI, where there is none."""
    if wall != "bubblewrap":
        monkeypatch.setattr(sandbox, "find_bubblewrap", lambda: None)
    if wall is None:
        monkeypatch.setattr(sandbox, "_landlock_problem", lambda *_: "not tried")
    own = Sandbox()
    monkeypatch.setattr(processes, "SANDBOX", own)
    if wall is not None:
        need(own.walls().unasked == wall, f"{wall}: {'; '.join(own.walls().reasons)}")
    yield own


def need(there: bool, reason: str) -> None:
    """Skip the test without the wall that it needs; where walls are required, fail it."""
    if not there:
        if os.environ.get(MUST_HAVE):
            pytest.fail(reason)
        pytest.skip(reason)


def run(command: str, cwd: Path, confinement: Confinement | None, **options: Any) -> Finished:
    """Run a command under a policy."""
    settings: dict[str, Any] = {
        "env": ENV,
        "timeout": 60,
        "max_output": 100_000,
        "interrupt": Interrupt(),
        "confinement": confinement,
    }
    return run_command(command, cwd, **{**settings, **options})
