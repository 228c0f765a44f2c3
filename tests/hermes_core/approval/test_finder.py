from pathlib import Path

import pytest

from hermes_core.approval.finder import SearchPath


def program(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_a_shim_is_trusted_unless_a_file_chooses(tmp_path: Path) -> None:
    program(tmp_path / "shims", "python3")
    work = tmp_path / "work"
    work.mkdir()
    search = SearchPath(str(tmp_path / "shims"), [str(work)])
    assert search.objection("python3", [str(work)]) == ""
    (work / ".python-version").write_text("../../x")
    assert ".python-version" in search.objection("python3", [str(work)])


def test_a_link_to_a_program_of_the_workspace_is_not_trusted(tmp_path: Path) -> None:
    real = program(tmp_path / "work", "ls")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ls").symlink_to(real)
    search = SearchPath(str(tmp_path / "bin"), [str(tmp_path / "work")])
    assert "workspace" in search.objection("ls", [])


def test_a_program_that_anyone_may_change_is_not_trusted(tmp_path: Path) -> None:
    program(tmp_path / "bin", "ls").chmod(0o757)
    assert "other users" in SearchPath(str(tmp_path / "bin"), []).objection("ls", [])


@pytest.mark.parametrize("path", ["", ".", "bin", "/nowhere:", ":/bin"])
def test_a_relative_search_path_is_not_trusted(path: str) -> None:
    assert SearchPath(path, []).objection("no-such-program", [])
