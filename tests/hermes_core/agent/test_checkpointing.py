"""Snapshots of a session's folders, and their end."""

import os
from pathlib import Path

import pytest

from hermes_core.agent.checkpointing import FOLDER, Shadows, forget_snapshots
from hermes_core.ground.errors import ToolError
from hermes_core.ground.interrupt import Interrupt

ENV = {"PATH": os.environ["PATH"]}


def objects(home: Path) -> set[str]:
    places = (home / FOLDER).glob("*.git/objects/??/*")
    return {str(path) for path in places}


def test_each_folder_has_a_store_of_its_own(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    (tmp_path / "link").symlink_to(two)
    shadows = Shadows(tmp_path / "home", [one, tmp_path / "link"], lambda: ENV)
    for shadow in shadows.by_root.values():
        shadow.take(Interrupt())
    assert set(shadows.by_root) == {str(one), str(two)}
    assert len(list((tmp_path / "home" / FOLDER).glob("*.git"))) == 2


def test_without_git_there_are_none(tmp_path: Path) -> None:
    shadows = Shadows(tmp_path / "home", [tmp_path], lambda: {"PATH": str(tmp_path)})
    with pytest.raises(ToolError, match="git is needed"):
        _ = shadows.by_root


def test_snapshots_go_with_their_session(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "project"
    root.mkdir()
    shadow = Shadows(home, [root], lambda: ENV).by_root[str(root)]
    trees = {}
    for name in ("gone", "kept"):
        (root / "file").write_text(name)
        trees[name] = shadow.take(Interrupt()).tree
        shadow.keep(name, trees[name], Interrupt())
    (root / "file").write_text("now")
    now = shadow.take(Interrupt()).tree
    before = objects(home)
    forget_snapshots(home, ENV, lambda session_id, _tree: session_id == "kept")
    assert objects(home) < before
    assert shadow.changes(trees["kept"], now, Interrupt())
    with pytest.raises(ToolError):
        shadow.changes(trees["gone"], now, Interrupt())


def test_a_home_without_snapshots_is_left_alone(tmp_path: Path) -> None:
    forget_snapshots(tmp_path, ENV, lambda *_: False)
    assert not (tmp_path / FOLDER).exists()
