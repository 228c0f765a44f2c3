import os
from pathlib import Path

import pytest

from hermes_core.ground.errors import ToolError
from hermes_core.local.workspace import Workspace


@pytest.fixture
def workspace(real_path: Path) -> Workspace:
    (real_path / "repo" / "src").mkdir(parents=True)
    (real_path / "lib").mkdir()
    (real_path / "outside").mkdir()
    return Workspace(real_path / "repo", (real_path / "lib",))


def test_relative_paths_start_at_the_working_folder(workspace: Workspace) -> None:
    assert workspace.resolve("src/../a.py") == workspace.cwd / "a.py"
    assert workspace.resolve(".") == workspace.cwd
    assert workspace.resolve("/etc/../etc/hosts") == Path(os.path.realpath("/etc/hosts"))


def test_a_tilde_is_the_home(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, real_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(real_path))
    assert workspace.resolve("~") == real_path
    assert workspace.resolve("~/x") == real_path / "x"
    assert workspace.resolve("~x") == workspace.cwd / "~x"


def test_links_are_followed_even_above_what_does_not_exist(
    workspace: Workspace, real_path: Path
) -> None:
    (workspace.cwd / "out").symlink_to(real_path / "outside")
    (workspace.cwd / "dangling").symlink_to(real_path / "nowhere" / "x")
    assert workspace.resolve("out/new/file") == real_path / "outside/new/file"
    assert workspace.resolve("dangling") == real_path / "nowhere/x"


@pytest.mark.parametrize("path", ["", "  ", "a\0b", "\ud800"])
def test_a_path_that_no_file_can_have_is_refused(workspace: Workspace, path: str) -> None:
    with pytest.raises(ToolError, match="path"):
        workspace.resolve(path)


def test_a_name_that_is_not_utf_8_is_a_path(workspace: Workspace) -> None:
    name = os.fsdecode(b"caf\xe9")
    assert workspace.resolve(name) == workspace.cwd / name


def test_a_loop_of_links_does_not_hang(workspace: Workspace) -> None:
    (workspace.cwd / "a").symlink_to("b")
    (workspace.cwd / "b").symlink_to("a")
    assert workspace.resolve("a").name in ("a", "b")


def test_a_link_that_vanishes_meanwhile_is_an_error_to_read(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace.cwd / "a").symlink_to("b")

    def gone(path: object) -> str:
        raise FileNotFoundError(2, "No such file or directory", path)

    monkeypatch.setattr(os, "readlink", gone)
    with pytest.raises(ToolError, match="cannot be resolved: No such file"):
        workspace.resolve("a")


def test_contains_knows_all_folders_and_no_others(workspace: Workspace, real_path: Path) -> None:
    assert workspace.contains(workspace.cwd)
    assert workspace.contains(workspace.cwd / "src" / "new.py")
    assert workspace.contains(real_path / "lib" / "x")
    assert not workspace.contains(real_path)
    assert not workspace.contains(real_path / "outside")
    assert not workspace.contains(real_path / "repo-2")
    assert not workspace.contains(workspace.cwd / ".." / "outside")


def test_contains_judges_the_real_place(workspace: Workspace, real_path: Path) -> None:
    (workspace.cwd / "out").symlink_to(real_path / "outside")
    (real_path / "way-in").symlink_to(workspace.cwd)
    assert not workspace.contains(workspace.cwd / "out" / "x")
    assert workspace.contains(real_path / "way-in" / "x")


def test_a_workspace_that_is_a_link_contains_its_files(
    workspace: Workspace, real_path: Path
) -> None:
    (real_path / "link").symlink_to(workspace.cwd)
    linked = Workspace(real_path / "link")
    path = linked.resolve("src/a.py")
    assert path == workspace.cwd / "src/a.py"
    assert linked.contains(path)
    assert linked.display(path) == "src/a.py"


def test_display_is_short_inside_and_absolute_outside(
    workspace: Workspace, real_path: Path
) -> None:
    assert workspace.display(workspace.cwd / "src/a.py") == "src/a.py"
    assert workspace.display(workspace.cwd) == "."
    assert workspace.display(real_path / "lib/x") == str(real_path / "lib/x")
