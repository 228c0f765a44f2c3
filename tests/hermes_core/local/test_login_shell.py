import os
import pwd
from pathlib import Path
from typing import Any

import pytest

from hermes_core.local import login_shell
from hermes_core.local.children import end_all_children
from hermes_core.local.login_shell import LoginPath, ask_path, merge_paths


@pytest.fixture(autouse=True)
def _nothing_stays() -> Any:
    yield
    end_all_children()


def shell(folder: Path, body: str) -> str:
    path = folder / "shell"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


def test_a_login_shell_is_asked_and_its_noise_ignored(tmp_path: Path) -> None:
    body = 'echo "welcome $1 $2 $3"; PATH=/opt/tools:$PATH; export PATH; eval "$4"; echo bye'
    path = ask_path(shell(tmp_path, body), {"PATH": "/usr/bin:/bin"})
    assert path == f"/opt/tools:{login_shell._PATH}"


def test_shell_files_can_tell_that_they_are_only_asked(tmp_path: Path) -> None:
    body = 'PATH="/$HERMES_RESOLVING_ENVIRONMENT:$PATH"; export PATH; eval "$4"'
    assert ask_path(shell(tmp_path, body), {}) == f"/1:{login_shell._PATH}"


def test_what_it_reads_and_runs_is_no_projects(tmp_path: Path) -> None:
    body = 'PATH="/$HOME:/$SHELL:$PATH"; export PATH; eval "$4"'
    env = {"PATH": f"{tmp_path}/bin", "HOME": str(tmp_path), "SHELL": f"{tmp_path}/other"}
    own = shell(tmp_path, body)
    home = pwd.getpwuid(os.getuid()).pw_dir
    assert ask_path(own, env) == f"/{home}:/{own}:{login_shell._PATH}"


def test_keys_are_not_handed_to_it(tmp_path: Path) -> None:
    body = 'PATH="/${MY_API_KEY:-none}:$PATH"; export PATH; eval "$4"'
    env = {"PATH": "/usr/bin:/bin", "MY_API_KEY": "secret"}
    assert ask_path(shell(tmp_path, body), env) == f"/none:{login_shell._PATH}"


@pytest.mark.parametrize("body", ["exit 1", "echo nothing useful", "sleep 600", "yes"])
def test_a_shell_that_does_not_tell_is_not_waited_for(
    tmp_path: Path, body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(login_shell, "TIME_LIMIT", 0.5)
    assert ask_path(shell(tmp_path, body), {"PATH": "/usr/bin:/bin"}) is None


def test_a_shell_that_cannot_be_started_tells_nothing() -> None:
    assert ask_path("/no/such/shell", {}) is None


def test_the_shell_is_asked_once_and_only_if_no_shell_started_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = tmp_path / "asked"
    body = f'echo x >> {asked}; PATH=/opt/tools:$PATH; export PATH; eval "$4"'
    own = shell(tmp_path, body)
    monkeypatch.setattr(login_shell, "login_shell", lambda: own)
    env = {"PATH": "/usr/bin:/bin"}
    from_terminal = LoginPath()
    assert from_terminal.get({**env, "SHLVL": "1"}) is None
    assert not asked.exists()
    from_desktop = LoginPath()
    assert from_desktop.get(env) == f"/opt/tools:{login_shell._PATH}"
    assert from_desktop.get(env) == f"/opt/tools:{login_shell._PATH}"
    assert from_desktop.get({**env, "SHLVL": "1"}) is None
    assert asked.read_text() == "x\n"


@pytest.mark.parametrize(
    ("own", "login", "merged"),
    [
        ("/usr/bin:/bin", "/opt/bin:/usr/bin:/bin", "/opt/bin:/usr/bin:/bin"),
        ("/w/.venv/bin:/usr/bin", "/opt/bin:/usr/bin", "/w/.venv/bin:/opt/bin:/usr/bin"),
        ("/usr/bin:/extra", "/usr/bin:/bin", "/usr/bin:/bin:/extra"),
        ("/a:/b", "/c", "/c:/a:/b"),
        ("/a:/b:/a", None, "/a:/b"),
        (".:bin::/a:", "~/x:/b", "/b:/a"),
        ("", None, ""),
    ],
)
def test_paths_are_merged_without_relative_entries(
    own: str, login: str | None, merged: str
) -> None:
    assert merge_paths(own, login) == merged
