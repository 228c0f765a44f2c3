import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hermes_core.approval.commands import judge_command
from hermes_core.approval.git_config import BadConfig, read_settings
from hermes_core.approval.git_settings import neutral_environment, repository_objection
from hermes_core.local.workspace import Workspace


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    proj = tmp_path / "home/proj"
    proj.mkdir(parents=True)
    run_git(proj, "init", "-q")
    return proj


def run_git(folder: Path, *words: str, **more: str) -> str:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), **more}
    command = ["git", *words]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return done.stdout


def verdict(proj: Path, command: str = "git status") -> str:
    return judge_command(command, Workspace(proj), home=proj.parent).verdict


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("user.name", "x", "safe"),
        ("core.fsmonitor", "false", "safe"),
        ("core.fsmonitor", "./x", "ask"),
        ("core.fsmonitor", "true", "ask"),
        ("core.hooksPath", ".husky", "safe"),
        ("core.pager", "./x", "ask"),
        ("core.sshCommand", "./x", "ask"),
        ("core.worktree", "/", "ask"),
        ("core.excludesFile", "/etc/passwd", "ask"),
        ("diff.external", "./x", "ask"),
        ("diff.foo.textconv", "./x", "ask"),
        ("diff.foo.command", "./x", "ask"),
        ("diff.foo.xfuncname", "x", "safe"),
        ("filter.foo.clean", "./x", "ask"),
        ("filter.lfs.clean", "git-lfs clean -- %f", "safe"),
        ("filter.lfs.clean", "./x", "ask"),
        ("alias.st", "!./x", "ask"),
        ("gpg.program", "./x", "ask"),
        ("log.showSignature", "true", "ask"),
        ("format.pretty", "%G?", "ask"),
        ("format.pretty", "%h", "safe"),
        ("pager.log", "./x", "ask"),
        ("pager.log", "false", "safe"),
        ("include.path", "/tmp/x", "ask"),
        ("includeIf.gitdir:/.path", "/tmp/x", "ask"),
        ("remote.origin.promisor", "true", "ask"),
        ("remote.origin.url", "https://e.example", "safe"),
        ("extensions.partialClone", "origin", "ask"),
        ("branch.main.merge", "refs/heads/main", "safe"),
    ],
)
def test_a_setting_that_runs_a_program_asks(
    repo: Path, key: str, value: str, expected: str
) -> None:
    run_git(repo, "config", key, value)
    assert verdict(repo) == expected


def test_a_changed_setting_is_noticed(repo: Path) -> None:
    assert verdict(repo) == "safe"
    run_git(repo, "config", "core.fsmonitor", "./x")
    assert verdict(repo) == "ask"


@pytest.mark.parametrize(
    "text",
    [
        "[CORE]\nFSMonitor = ./x",
        "[core] fsmonitor=./x",
        '[core]\n\tfsmonitor = "./x" ; y',
        "[core]\r\n\tfsmonitor = ./x\r\n",
        "[core]\nfsmonitor",
        '[diff "a"]\ntextconv = ./x',
        "[diff.a]\ntextconv = ./x",
        '[filter "a\\"b"]\nclean = x',
        "[core]\na = b \\\n c\nfsmonitor = ./x",
        "\ufeff[core]\nfsmonitor = ./x",
        "what is this",
        '[core]\na = "b',
        "[core]\na = \\q",
    ],
)
def test_a_setting_is_read_however_it_is_written(repo: Path, text: str) -> None:
    (repo / ".git/config").write_text(text, newline="")
    assert verdict(repo) == "ask"


def test_settings_are_read_as_git_reads_them(repo: Path) -> None:
    text = '[a "B c"]\n\tKey = "x # y" z ; no\n[d]\n\te\n[f.G]\nh=i\\tj # k\nl = a\\\n  b\n'
    (repo / ".git/config").write_text(text)
    listed = run_git(repo, "config", "--list", "--local", "-z").split("\0")[:-1]
    ours = []
    for key, subsection, value in read_settings(text):
        full = key.replace(".", f".{subsection}.", 1) if subsection else key
        ours.append((full.casefold(), value))
    theirs = [entry.partition("\n") for entry in listed]
    assert ours == [(key.casefold(), value or "true") for key, _, value in theirs]


def test_a_broken_configuration_is_an_error() -> None:
    with pytest.raises(BadConfig):
        read_settings("key = 1")


def test_a_bare_repository_within_the_folder_asks(repo: Path) -> None:
    bare = repo / "sub"
    run_git(repo, "init", "-q", "--bare", "sub")
    assert verdict(repo, "cd sub && git status") == "ask"
    assert repository_objection(str(bare), (str(repo),), worktree=True)


def test_a_git_folder_elsewhere_asks(repo: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    run_git(other, "init", "-q")
    inner = repo / "inner"
    inner.mkdir()
    (inner / ".git").write_text(f"gitdir: {other}/.git\n")
    assert verdict(repo, "cd inner && git log") == "ask"


def test_a_linked_worktree_is_a_repository_of_its_own(repo: Path, tmp_path: Path) -> None:
    run_git(repo, "config", "user.name", "n")
    run_git(repo, "config", "user.email", "n@example.invalid")
    run_git(repo, "commit", "-q", "--allow-empty", "-m", "one")
    linked = tmp_path / "linked"
    run_git(repo, "worktree", "add", "-q", str(linked))
    assert judge_command("git log", Workspace(linked), home=repo.parent).verdict == "safe"
    run_git(repo, "config", "core.fsmonitor", "./x")
    assert judge_command("git log", Workspace(linked), home=repo.parent).verdict == "ask"


def test_the_environment_keeps_git_from_running_programs(repo: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    run_git(repo, "config", "core.fsmonitor", str(program))
    hooks = repo / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    (hooks / "post-index-change").write_text(program.read_text())
    (hooks / "post-index-change").chmod(0o755)
    (repo / "a").write_text("a")
    run_git(repo, "status", **neutral_environment())
    assert not ran.exists()
    run_git(repo, "status")
    assert ran.exists()


def test_submodules_are_looked_into(repo: Path, tmp_path: Path) -> None:
    inner: Any = repo / "inner"
    inner.mkdir()
    for word in (["init", "-q"], ["config", "user.name", "n"], ["config", "user.email", "n@e"]):
        run_git(inner, *word)
    run_git(inner, "commit", "-q", "--allow-empty", "-m", "one")
    run_git(repo, "add", "inner")
    assert verdict(repo) == "safe"
    run_git(inner, "config", "core.fsmonitor", "./x")
    assert verdict(repo) == "ask"
    assert verdict(repo, "git log") == "safe"
