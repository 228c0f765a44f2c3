"""The demo's repository has the bug that it says it has, and its check is not fooled."""

import shutil
import subprocess
from pathlib import Path

import pytest

from acp_server.cli.scratch import FILES, STATS, make_repository, problem_with

FIXED = STATS.replace(
    "return ordered[len(ordered) // 2]",
    "middle = len(ordered) // 2\n    return (ordered[middle] + ordered[-1 - middle]) / 2",
)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    make_repository(folder)
    return folder


def test_it_is_committed_where_git_is(repository: Path) -> None:
    git = shutil.which("git")
    if git is None:
        pytest.skip("there is no git")
    done = subprocess.run(
        [git, "status", "--porcelain"], cwd=repository, capture_output=True, check=True
    )
    assert done.stdout == b""
    assert {path.name for path in repository.iterdir()} == {*FILES, ".git"}


def test_without_git_it_is_made_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    make_repository(tmp_path / "r")
    assert {path.name for path in (tmp_path / "r").iterdir()} == set(FILES)


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({}, "stats.py is as it was"),
        ({"stats.py": STATS + "\n"}, "the tests still fail"),
        ({"stats.py": FIXED, "test_stats.py": "\n"}, "test_stats.py was changed"),
        ({"stats.py": FIXED}, None),
    ],
)
def test_the_check(repository: Path, files: dict[str, str], problem: str | None) -> None:
    for name, text in files.items():
        (repository / name).write_text(text)
    found = problem_with(repository)
    assert (found is None) if problem is None else (found or "").startswith(problem)


def test_a_file_that_is_gone_is_a_problem(repository: Path) -> None:
    (repository / "stats.py").unlink()
    assert "cannot be read" in (problem_with(repository) or "")
