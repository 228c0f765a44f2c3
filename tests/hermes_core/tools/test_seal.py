"""What an approval is bound to."""

import os
from pathlib import Path

import pytest

from hermes_core.ground.errors import ToolError
from hermes_core.tools.seal import Seal

ENV = {"PATH": "/usr/bin", "LANG": "C"}


def seal(cwd: Path, **changes: object) -> Seal:
    given: dict[str, object] = {
        "command": "make",
        "cwd": cwd,
        "environment": ENV,
        "call": ("turn", "call"),
    }
    return Seal.of(**(given | changes))  # every name is given


def test_the_same_is_the_same(tmp_path: Path) -> None:
    again = {"LANG": "C", "PATH": "/usr/bin"}
    seal(tmp_path).require(seal(tmp_path, environment=again), tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"command": "make "},
        {"environment": {**ENV, "LD_PRELOAD": "x"}},
        {"environment": {**ENV, "PATH": "/usr/bin:/tmp"}},
        {"environment": {"PATH": "/usr/bin"}},
        {"call": ("turn", "other")},
        {"call": ("other", "call")},
    ],
    ids=str,
)
def test_any_difference_is_refused(tmp_path: Path, changes: dict[str, object]) -> None:
    with pytest.raises(ToolError, match="not what was approved"):
        seal(tmp_path).require(seal(tmp_path, **changes), tmp_path)


def test_a_folder_that_was_replaced_is_refused(tmp_path: Path) -> None:
    folder, other = tmp_path / "folder", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    before = seal(folder)
    folder.rename(tmp_path / "away")
    folder.symlink_to(tmp_path / "away")
    with pytest.raises(ToolError, match="took its place"):
        before.require(seal(folder), folder)
    folder.unlink()
    other.rename(folder)
    with pytest.raises(ToolError, match="took its place"):
        before.require(seal(folder), folder)
    os.rmdir(folder)
    with pytest.raises(ToolError, match="took its place"):
        before.require(seal(folder), folder)


def test_odd_paths_and_values_are_sealed_too(tmp_path: Path) -> None:
    odd = tmp_path / "caf\udce9"
    odd.mkdir()
    environment = {"A": "\udcff"}
    seal(odd, environment=environment).require(seal(odd, environment=environment), odd)
