import os
from pathlib import Path

import pytest

from hermes_core.local import environment as module
from hermes_core.local.config import Config
from hermes_core.local.environment import child_environment, distrust, find_program

BASE = {"PATH": "/usr/bin:/bin", "SHLVL": "1", "HOME": "/h", "USER": "me"}


def environment(env: dict[str, str], **more: object) -> dict[str, str]:
    return child_environment(Config(Path("/h/.hermes"), env={**BASE, **env}, **more))


def test_harmless_variables_pass_and_nothing_else() -> None:
    passed = {
        "SHELL": "/bin/zsh",
        "LANG": "de_DE.UTF-8",
        "LC_ALL": "C",
        "TZ": "UTC",
        "TMPDIR": "/t",
    }
    dropped = {
        "OPENAI_API_KEY": "k",
        "GITHUB_TOKEN": "t",
        "SSH_AUTH_SOCK": "/s",
        "LD_PRELOAD": "/x.so",
        "BASH_ENV": "/x",
        "ENV": "/x",
        "PS4": "$(x)",
        "PROMPT_COMMAND": "x",
        "GIT_DIR": "/x",
        "PYTHONPATH": "/x",
        "NODE_OPTIONS": "--x",
        "LESSOPEN": "|x",
        "HERMES_HOME": "/h",
        "XDG_CONFIG_HOME": "/x",
    }
    env = environment({**passed, **dropped})
    assert passed.items() <= env.items()
    assert not env.keys() & dropped.keys()


def test_programs_neither_ask_nor_page_nor_colour() -> None:
    env = environment({"TERM": "xterm", "PAGER": "less", "EDITOR": "vim"})
    assert env["TERM"] == "dumb"
    assert env["PAGER"] == env["GIT_PAGER"] == "cat"
    assert env["GIT_TERMINAL_PROMPT"] == "0"
    assert "EDITOR" not in env


def test_the_user_may_name_more_and_set_them_in_the_file() -> None:
    env = environment(
        {"SSH_AUTH_SOCK": "/s", "JAVA_HOME": "/old"},
        terminal_env_passthrough=("SSH_AUTH_SOCK", "JAVA_HOME", "UNSET"),
        user_env={"JAVA_HOME": "/jdk", "OTHER_KEY": "k"},
    )
    assert env["SSH_AUTH_SOCK"] == "/s"
    assert env["JAVA_HOME"] == "/jdk"
    assert not {"UNSET", "OTHER_KEY"} & env.keys()


def test_what_is_missing_comes_from_the_account() -> None:
    config = Config(Path("/h"), env={"SHLVL": "1"})
    env = child_environment(config)
    assert os.path.isabs(env["HOME"])
    assert env["USER"] == env["LOGNAME"] != ""
    assert "/usr/bin" in env["PATH"].split(":")


def test_relative_folders_are_dropped() -> None:
    env = environment({"PATH": ".:node_modules/.bin:/usr/bin", "TMPDIR": "tmp"})
    assert env["PATH"] == "/usr/bin"
    assert "TMPDIR" not in env


def test_a_program_is_found_in_absolute_folders_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tool").write_text("#!/bin/sh\n")
    (tmp_path / "tool").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert find_program("tool", str(tmp_path)) == str(tmp_path / "tool")
    assert find_program("tool", "") is None
    assert find_program("tool", f".:{tmp_path}x") is None
    assert find_program("./tool", str(tmp_path)) is None
    assert find_program("no-such-tool", str(tmp_path)) is None


def test_a_program_of_an_open_project_is_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_distrusted", set())
    for folder in ("repo/sub", "repo/bin", "linked", "safe"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    for folder in ("repo/bin", "safe"):
        (tmp_path / folder / "tool").write_text("#!/bin/sh\n")
        (tmp_path / folder / "tool").chmod(0o755)
    (tmp_path / "linked" / "tool").symlink_to(tmp_path / "repo" / "bin" / "tool")
    (tmp_path / "repo" / ".git").mkdir()
    path = f"{tmp_path}/repo/bin:{tmp_path}/linked:{tmp_path}/safe"
    config = Config(home=tmp_path / "home", env={"HOME": str(tmp_path / "me")})
    assert find_program("tool", path) == f"{tmp_path}/repo/bin/tool"
    distrust([tmp_path / "repo" / "sub"], config)
    assert find_program("tool", path) == f"{tmp_path}/safe/tool"
