"""The command that an editor starts, for every way that Hermes may have come here."""

import os
from pathlib import Path

import pytest

from hermes_core.commands.editor_program import Running, own_program
from hermes_core.ground.errors import ConfigError
from hermes_core.ground.version import __version__


def program(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_the_absolute_path_without_following_links(tmp_path: Path) -> None:
    real = program(tmp_path / "tools" / "bin" / "hermes")
    link = tmp_path / "bin" / "hermes"
    link.parent.mkdir()
    link.symlink_to(real)
    found = own_program(Running(str(link), "/usr/bin/python3", "/usr", {}))
    assert (found.command, found.args, dict(found.env)) == (str(link), ("acp",), {})


def test_a_bare_or_relative_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = program(tmp_path / "bin" / "hermes")
    env = {"PATH": str(tmp_path / "bin")}
    assert own_program(Running("hermes", "/usr/bin/python3", "/usr", env)).command == path
    monkeypatch.chdir(tmp_path)
    assert own_program(Running("./bin/hermes", "/usr/bin/python3", "/usr", {})).command == path


def test_a_module_finds_the_program_beside_its_interpreter(tmp_path: Path) -> None:
    path = program(tmp_path / "bin" / "hermes")
    python = program(tmp_path / "bin" / "python")
    assert own_program(Running("/x/main.py", python, "/usr", {})).command == path
    os.unlink(path)
    found = own_program(Running("/x/main.py", python, "/usr", {}))
    assert found.command == python
    assert found.args == ("-P", "-m", "acp_server.cli.main", "acp")


def test_from_uvx_it_is_uvx_with_the_same_version(tmp_path: Path) -> None:
    uvx = program(tmp_path / "uv" / "uvx")
    prefix = "/home/p/.cache/uv/archive-v0/w7wfXIicBw5Utppp"
    env = {"UV": str(tmp_path / "uv" / "uv")}
    found = own_program(Running(f"{prefix}/bin/hermes", f"{prefix}/bin/python", prefix, env))
    assert found.command == uvx
    start, origin, *rest = found.args
    assert (start, rest) == ("--from", ["hermes", "acp"])
    assert origin.startswith("file:///") or origin == f"hermes-editor-agent=={__version__}"
    by_path = Running("hermes", "/x/python", prefix, {"PATH": str(tmp_path / "uv")})
    assert own_program(by_path).command == uvx
    with pytest.raises(ConfigError, match="uvx is not on the PATH"):
        own_program(Running("hermes", "/x/python", prefix, {"PATH": "/nowhere"}))


def test_what_pipx_runs_for_once_is_refused() -> None:
    prefix = "/home/p/.local/share/pipx/.cache/0123abc"
    with pytest.raises(ConfigError, match="pipx install"):
        own_program(Running("hermes", f"{prefix}/bin/python", prefix, {}))


def test_a_chosen_home_goes_along(tmp_path: Path) -> None:
    path = program(tmp_path / "hermes")
    found = own_program(Running(path, "/usr/bin/python3", "/usr", {"HERMES_HOME": "/data/h/../h"}))
    assert found.env == {"HERMES_HOME": "/data/h"}
