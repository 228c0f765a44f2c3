import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from hermes_core.ground.content import CardContent
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.config import Config
from hermes_core.local.files import LocalFiles
from hermes_core.local.workspace import Workspace
from hermes_core.tools.registry import Output, Seen, ToolContext, bundled_tools

# A slow machine is no failure.
settings.register_profile("tools", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tools")

Call = Callable[..., Output]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The working folder of the session under test."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def ctx(tmp_path: Path, project: Path) -> ToolContext:
    """A context on the real disk, with a PATH that has the system's programs only."""
    home = tmp_path / "settings"
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "SHELL": "/bin/sh", "SHLVL": "1"}
    return ToolContext(
        workspace=Workspace(project),
        files=LocalFiles(),
        config=Config(home=home, env=env),
        interrupt=Interrupt(),
        seen=Seen(),
        task_id="task",
        home=home,
    )


@pytest.fixture
def call(ctx: ToolContext) -> Call:
    """Prepare a call of a bundled tool, allow it and run it; what it shows is not kept."""

    def run(name: str, **arguments: Any) -> Output:
        prepared = bundled_tools()[name].prepare(ctx, arguments)
        prepared.leave.unasked = False
        return prepared.run(ignore)

    return run


@pytest.fixture
def ripgrep() -> str:
    """The path of ripgrep, where the machine has it."""
    beside = Path(sys.executable).with_name("rg")
    program = str(beside) if beside.is_file() else shutil.which("rg")
    if program is None:
        pytest.skip("ripgrep is not installed")
    return program


def ignore(content: tuple[CardContent, ...]) -> None:
    """Take progress and do nothing with it."""
