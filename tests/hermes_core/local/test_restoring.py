"""Files put back as they were."""

import os
import subprocess
from pathlib import Path

import pytest

from hermes_core.ground.errors import ToolError
from hermes_core.local.restoring import blob_id, found_at, put, remove


def test_the_id_is_that_of_git(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"a\r\n\0")
    argv = ["git", "hash-object", "--no-filters", "f"]
    said = subprocess.run(argv, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert blob_id(b"a\r\n\0") == said.strip()


@pytest.mark.parametrize("mode", ["100644", "100755"])
def test_a_file_is_written_with_its_folders_and_its_mode(tmp_path: Path, mode: str) -> None:
    put(tmp_path, "a/b/f", mode, b"x")
    assert found_at(tmp_path, "a/b/f") == (mode, b"x")


def test_the_mode_of_a_standing_file_changes_for_running_alone(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"old")
    (tmp_path / "f").chmod(0o640)
    put(tmp_path, "f", "100755", b"new")
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o750
    put(tmp_path, "f", "100644", b"new")
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o640


def test_links_are_made_and_replaced_but_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("safe")
    root = tmp_path / "root"
    root.mkdir()
    put(root, "l", "120000", os.fsencode(outside))
    assert found_at(root, "l") == ("120000", os.fsencode(outside))
    put(root, "l", "100644", b"file")
    assert (outside.read_text(), (root / "l").is_symlink()) == ("safe", False)


def test_a_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_text("safe")
    root = tmp_path / "root"
    root.mkdir()
    (root / "sub").symlink_to(outside)
    with pytest.raises((OSError, ToolError)):
        put(root, "sub/f", "100644", b"x")
    with pytest.raises(OSError, match="link"):
        remove(root, "sub/f")
    with pytest.raises(OSError, match="link"):
        found_at(root, "sub/f")
    assert (outside / "f").read_text() == "safe"


def test_what_is_deleted_takes_empty_folders_along(tmp_path: Path) -> None:
    put(tmp_path, "a/b/f", "100644", b"x")
    put(tmp_path, "a/g", "100644", b"x")
    remove(tmp_path, "a/b/f")
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["a", "g"]
    remove(tmp_path, "a/g")
    remove(tmp_path, "a/g")
    assert list(tmp_path.iterdir()) == []
    assert found_at(tmp_path, "a/g") is None


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    with pytest.raises(IsADirectoryError):
        found_at(tmp_path, "d")
    with pytest.raises(ToolError):
        put(tmp_path, "d", "100644", b"x")
