"""What git tracks is told as git tells it; ``git grep`` asks where that holds secrets."""

import os
import subprocess
from pathlib import Path

import pytest

from hermes_core.approval.commands import CommandVerdict, judge_command
from hermes_core.approval.git_index import BadIndex, tracked_names
from hermes_core.local.workspace import Workspace

NAMES = ("a", "docs/a b.md", "docs/b.md", "docs/lang/\u00e9.md", "src/" + "x" * 120, "z")


def git(folder: Path, *words: str) -> str:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder.parent)}
    done = subprocess.run(["git", *words], cwd=folder, env=env, capture_output=True, check=True)
    return os.fsdecode(done.stdout)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    project = tmp_path / "home/project"
    for name in NAMES:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("text")
    git(project, "init", "-q")
    git(project, "add", ".")
    return project


def judge(project: Path, command: str = "git grep text") -> CommandVerdict:
    return judge_command(command, Workspace(project), home=project.parent)


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_names_are_those_that_git_lists(repo: Path, version: str) -> None:
    (repo / "later").write_text("text")
    if version == "3":
        git(repo, "add", "--intent-to-add", "later")
    git(repo, "update-index", "--index-version", version)
    listed = git(repo, "ls-files", "-z").split("\0")[:-1]
    data = (repo / ".git/index").read_bytes()
    assert data[7] == int(version)
    assert list(tracked_names(data)) == listed


@pytest.mark.parametrize("version", ["2", "4"])
def test_a_search_in_what_git_tracks_asks_where_that_is_secret(repo: Path, version: str) -> None:
    git(repo, "update-index", "--index-version", version)
    assert judge(repo).verdict == "safe"
    (repo / "docs/.env").write_text("KEY=1")
    assert judge(repo).verdict == "safe"
    git(repo, "add", "-f", "docs/.env")
    verdict = judge(repo)
    assert verdict.verdict == "ask"
    assert "'docs/.env'" in verdict.reasons[0]
    assert judge(repo, "git status").verdict == "safe"
    git(repo, "rm", "-q", "--cached", "docs/.env")
    assert judge(repo).verdict == "safe"


def test_without_an_index_nothing_is_tracked(repo: Path) -> None:
    (repo / ".git/index").unlink()
    assert judge(repo).verdict == "safe"


def test_an_index_in_parts_asks(repo: Path) -> None:
    git(repo, "update-index", "--split-index")
    assert "not understood" in judge(repo).reasons[0]


def test_other_names_of_objects_ask(tmp_path: Path) -> None:
    project = tmp_path / "home/project"
    project.mkdir(parents=True)
    git(project, "init", "-q", "--object-format=sha256")
    (project / "a").write_text("text")
    git(project, "add", ".")
    assert judge(project).verdict == "ask"


@pytest.mark.parametrize("cut", [5, 12, 40, 80, -1, -21])
def test_a_broken_index_is_an_error(repo: Path, cut: int) -> None:
    data = (repo / ".git/index").read_bytes()
    with pytest.raises(BadIndex):
        list(tracked_names(data[:cut]))
    (repo / ".git/index").write_bytes(data[:cut])
    assert judge(repo).verdict == "ask"


def test_a_version_that_is_not_known_is_an_error(repo: Path) -> None:
    data = (repo / ".git/index").read_bytes()
    with pytest.raises(BadIndex):
        list(tracked_names(data[:7] + b"\x05" + data[8:]))


def test_a_huge_index_asks(repo: Path) -> None:
    with (repo / ".git/index").open("ab") as file:
        file.truncate(5 * 1024 * 1024)
    assert "too many files" in judge(repo).reasons[0]
