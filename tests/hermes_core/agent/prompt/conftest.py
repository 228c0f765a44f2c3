"""A home and a project to build prompts from."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from hermes_core.agent.prompt import Scene
from hermes_core.local.files import LocalFiles

TOOLS = ("read_file", "search_files", "patch", "write_file", "terminal", "todo", "memory")

MakeScene = Callable[..., Scene]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    """A folder two levels inside of a repository."""
    folder = tmp_path / "repo/packages/a"
    folder.mkdir(parents=True)
    (tmp_path / "repo/.git").mkdir()
    (tmp_path / "repo/.git/HEAD").write_text("ref: refs/heads/main\n")
    return folder


@pytest.fixture
def scene(home: Path, cwd: Path) -> MakeScene:
    """Make a scene; ``tools`` are those that every session has."""

    def make(*additional: Path, cwd: Path = cwd, tools: tuple[str, ...] = TOOLS) -> Scene:
        return Scene(cwd, additional, home, LocalFiles(), tools, today=date(2030, 1, 2))

    return make
