"""A repository that reads from elsewhere asks."""

import os
import subprocess
from pathlib import Path

import pytest

from hermes_core.approval.commands import CommandVerdict, judge_command
from hermes_core.local.workspace import Workspace


def run_git(folder: Path, *words: str) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder.parent)}
    env |= {"GIT_AUTHOR_NAME": "n", "GIT_AUTHOR_EMAIL": "n@example.invalid"}
    env |= {"GIT_COMMITTER_NAME": "n", "GIT_COMMITTER_EMAIL": "n@example.invalid"}
    subprocess.run(["git", *words], cwd=folder, env=env, capture_output=True, check=True)


class Ground:
    """A project beside a repository of somebody else's."""

    def __init__(self, folder: Path) -> None:
        self.project, self.other = folder / "home/project", folder / "home/other"
        for place in (self.project, self.other):
            place.mkdir(parents=True)
            run_git(place, "init", "-q")
            run_git(place, "commit", "-q", "--allow-empty", "-m", f"of {place.name}")

    @property
    def own(self) -> Path:
        return self.project / ".git"

    def judge(self, command: str = "git log -p", *more: Path) -> CommandVerdict:
        workspace = Workspace(self.project, more)
        return judge_command(command, workspace, home=self.project.parent)

    def asks(self, why: str) -> None:
        verdict = self.judge()
        assert verdict.verdict == "ask"
        assert why in " ".join(verdict.reasons)


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


@pytest.mark.parametrize("relative", [True, False])
def test_a_common_folder_elsewhere_asks(ground: Ground, *, relative: bool) -> None:
    assert ground.judge().verdict == "safe"
    where = "../../other/.git" if relative else str(ground.other / ".git")
    (ground.own / "commondir").write_text(f"{where}\n")
    ground.asks("(commondir)")
    assert ground.judge("git log", ground.other).verdict == "safe"


def test_a_git_folder_that_only_says_it_is_a_worktree_asks(ground: Ground) -> None:
    (ground.own / "commondir").write_text(f"{ground.other / '.git'}\n")
    (ground.own / "gitdir").write_text(f"{ground.own}\n")
    ground.asks("(commondir)")


@pytest.mark.parametrize("name", ["objects", "refs", "logs", "packed-refs", "HEAD", "index"])
def test_a_part_that_is_a_link_elsewhere_asks(ground: Ground, name: str) -> None:
    run_git(ground.other, "pack-refs", "--all")
    part = ground.own / name
    if part.exists():
        part.rename(part.with_name(f"{name}.old"))
    part.symlink_to(ground.other / ".git" / name)
    if name == "HEAD":  # git takes it for no repository unless the link leads to refs
        part.unlink()
        part.symlink_to(ground.other / ".git/refs/heads/none")
    ground.asks(f"(the link '{name}')")


@pytest.mark.parametrize("name", ["objects/pack", "objects/ab", "refs/heads", "logs/HEAD"])
def test_a_part_of_a_part_that_is_a_link_elsewhere_asks(ground: Ground, name: str) -> None:
    part = ground.own / name
    if part.exists():
        part.rename(part.with_name("old"))
    part.symlink_to(ground.other / ".git" / name)
    ground.asks(f"(the link '{part.name}')")


def test_a_link_that_stays_inside_is_fine(ground: Ground) -> None:
    (ground.own / "logs").rename(ground.project / "logs")
    (ground.own / "logs").symlink_to(ground.project / "logs")
    assert ground.judge().verdict == "safe"


@pytest.mark.parametrize("line", ["{}", '"{}"', "# it follows\n{}", "../../../other/.git/objects"])
def test_objects_elsewhere_ask(ground: Ground, line: str) -> None:
    path = ground.own / "objects/info/alternates"
    path.parent.mkdir(exist_ok=True)
    path.write_text(line.format(ground.other / ".git/objects") + "\n")
    ground.asks("(alternates)")
    assert ground.judge("git log", ground.other).verdict == "safe"


def test_a_linked_worktree_may_read_its_repository_alone(ground: Ground, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    run_git(ground.project, "worktree", "add", "-q", str(linked))
    judged = judge_command("git log", Workspace(linked), home=tmp_path / "home")
    assert judged.verdict == "safe"
    alternates = ground.own / "objects/info/alternates"
    alternates.write_text(f"{ground.other}/.git/objects\n")
    judged = judge_command("git log", Workspace(linked), home=tmp_path / "home")
    assert judged.verdict == "ask"


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "name", ["commondir", "gitdir", "config", "index", "HEAD", "objects/info/alternates"]
)
@pytest.mark.parametrize("command", ["git status", "git grep x"])
def test_a_pipe_in_the_place_of_a_file_keeps_nobody_waiting(
    ground: Ground, name: str, command: str
) -> None:
    path = ground.own / name
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    verdict = ground.judge(command).verdict
    if name == "config" or (name, command) == ("index", "git grep x"):
        assert verdict == "ask"


@pytest.mark.parametrize("name", ["commondir", "gitdir", "objects/info/alternates"])
def test_a_folder_in_the_place_of_a_file_is_no_failure(ground: Ground, name: str) -> None:
    (ground.own / name).mkdir(parents=True)
    assert ground.judge().verdict == "safe"
