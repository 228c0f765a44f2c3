"""Which servers are the workspace's own."""

import sys
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.errors import ToolError
from hermes_core.local.mcp_settings import McpServer
from hermes_core.tools.bridges import programs
from hermes_core.tools.bridges.programs import Program, program_of

PYTHON = sys.executable


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "sub").mkdir(parents=True)
    (folder / "server.py").write_text("1", encoding="utf-8")
    (folder / "run").write_text("#!/bin/sh\n", encoding="utf-8")
    (folder / "run").chmod(0o755)
    (tmp_path / "home").mkdir()
    (tmp_path / "bin").mkdir()
    for name in ("npx", "node", "tool"):
        (tmp_path / "bin" / name).write_text("", encoding="utf-8")
        (tmp_path / "bin" / name).chmod(0o755)
    return folder


def found(root: Path, command: str, *args: str, **more: Any) -> Program:
    server = McpServer("s", "stdio", command=command, args=args, **more)
    env = {"PATH": f"{root.parent / 'bin'}:relative:{root / 'nothing'}"}
    return program_of(server, env, (root,), root.parent / "home")


def test_a_program_from_elsewhere_is_started_at_home(root: Path) -> None:
    program = found(root, "tool", "--port", "1", "word")
    assert program.argv == (str(root.parent / "bin/tool"), "--port", "1", "word")
    assert (program.cwd, program.inside) == (root.parent / "home", ())


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("./run", ()),
        ("{root}/run", ()),
        (PYTHON, ("server.py",)),
        (PYTHON, ("{root}/server.py",)),
        ("node", ("--require={root}/server.py",)),
        ("node", ("-r", "./server.py", "x")),
        ("node", (".",)),
        ("npx", ("-y", "./sub")),
        (PYTHON, ("{root}/../work/sub/../server.py",)),
    ],
)
def test_what_runs_a_file_of_the_workspace_is_the_workspaces(
    root: Path, command: str, args: tuple[str, ...]
) -> None:
    program = found(root, command.format(root=root), *(one.format(root=root) for one in args))
    assert program.inside
    assert program.digest
    assert program.cwd == root


def test_a_folder_to_work_on_is_no_program(root: Path) -> None:
    assert not found(root, "npx", "-y", "server-filesystem", str(root)).inside
    assert not found(root, "tool", str(root)).inside


def test_links_are_followed_both_ways(root: Path) -> None:
    out = root / "out"
    out.symlink_to(root.parent / "bin" / "tool")
    assert found(root, str(out)).inside
    into = root.parent / "bin" / "into"
    into.symlink_to(root / "run")
    assert found(root, "into").inside


@pytest.mark.parametrize(
    "pair",
    [
        ("LD_PRELOAD", "{root}/server.py"),
        ("NODE_OPTIONS", "--require {root}/server.py"),
        ("PYTHONPATH", "/nowhere:{root}/sub"),
    ],
)
def test_what_a_variable_loads_counts_too(root: Path, pair: tuple[str, str]) -> None:
    env = ((pair[0], pair[1].format(root=root)),)
    assert found(root, "tool", env=env).inside
    assert not found(root, "tool", env=(("DATA", env[0][1]),)).inside


def test_the_digest_changes_with_all_that_decides(root: Path) -> None:
    first = found(root, PYTHON, "server.py").digest
    assert found(root, PYTHON, "server.py").digest == first
    assert found(root, PYTHON, "server.py", "--more").digest != first
    assert found(root, PYTHON, "server.py", env=(("A", "b"),)).digest != first
    (root / "server.py").write_text("2", encoding="utf-8")
    assert found(root, PYTHON, "server.py").digest != first


def test_what_is_too_much_to_read_has_no_digest(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "MOST_BYTES", 0)
    assert found(root, PYTHON, "server.py").digest == ""


@pytest.mark.parametrize("command", ["no-such-program", "/no/such", "./nothing", ""])
def test_a_program_that_is_not_there_is_told(root: Path, command: str) -> None:
    with pytest.raises(ToolError, match=r"there is no program|is not on your PATH"):
        found(root, command)
