from pathlib import Path

import pytest

from hermes_core.approval.places import is_hidden, is_in_home, is_own_file, obeyed_name

HOME = Path("/home/me/.hermes")
PROJECT = Path("/home/me/project")


@pytest.mark.parametrize(
    "name",
    [
        "auth.json",
        ".env",
        "config.yaml",
        "hermes_sessions.db",
        "hermes_sessions.db-wal",
        "AUTH.JSON",
    ],
)
def test_our_own_files(name: str) -> None:
    assert is_own_file(HOME / name, HOME)
    assert not is_own_file(PROJECT / name, HOME)
    assert not is_own_file(HOME / "plugins" / name, HOME)


def test_our_home_is_found_in_any_case() -> None:
    assert is_in_home(HOME, HOME)
    assert is_in_home(Path("/home/me/.HERMES/logs/a"), HOME)
    assert not is_in_home(Path("/home/me/.hermes2"), HOME)
    assert not is_in_home(Path("/home/me"), HOME)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (".git/hooks/pre-commit", ".git"),
        ("sub/.GIT/config", ".GIT"),
        (".vscode/tasks.json", ".vscode"),
        (".envrc", ".envrc"),
        (".env", ".env"),
        (".env.local", ".env.local"),
        (".env-prod", ".env-prod"),
        (".bashrc", ".bashrc"),
        (".devcontainer/devcontainer.json", ".devcontainer"),
        ("app.code-workspace", "app.code-workspace"),
        (".github/copilot-instructions.md", "copilot-instructions.md"),
        ("sub/.npmrc", ".npmrc"),
        (".github/workflows/ci.yml", ".github/workflows"),
        ("AGENTS.md", "AGENTS.md"),
        (".hermes.md", ".hermes.md"),
        (".pre-commit-config.yaml", ".pre-commit-config.yaml"),
    ],
)
def test_what_programs_obey_when_they_open_a_project(path: str, name: str) -> None:
    assert obeyed_name(PROJECT / path, PROJECT) == name


@pytest.mark.parametrize(
    "path", ["src/app.py", "environment", "git/a", ".gitignore", ".github/a.md", "workflows/a"]
)
def test_what_programs_do_not_obey(path: str) -> None:
    assert obeyed_name(PROJECT / path, PROJECT) is None


def test_folders_above_the_project_do_not_count_save_git() -> None:
    worktree = Path("/home/me/.claude/worktrees/project")
    assert obeyed_name(worktree / "a.py", worktree) is None
    hooks = Path("/home/me/project/.git/hooks")
    assert obeyed_name(hooks / "a.py", hooks) == ".git"


def test_hidden_is_what_begins_with_a_dot_below_the_folder() -> None:
    assert is_hidden(PROJECT / ".ssh/id", PROJECT)
    assert is_hidden(PROJECT / "a/.b", PROJECT)
    assert not is_hidden(PROJECT / "a/b", PROJECT)
    assert not is_hidden(HOME / "a", HOME)
    assert not is_hidden(HOME / "a", PROJECT)
