"""A command that multiplies is held, and its end is everything's end."""

import os
import resource
import shutil
import sys
from pathlib import Path

import pytest

from hermes_core.local import process_limit
from hermes_core.local.process_limit import limited
from tests.hermes_core.local.conftest import Run
from tests.hermes_core.local.walls import ENV, need, walled

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")

MULTIPLYING = """
import os, signal
made = 0
try:
    for made in range(400):
        if not os.fork():
            signal.pause()
except BlockingIOError:
    print("held after", made, flush=True)
else:
    print("not held", flush=True)
"""
"""Ends by itself after 400 processes, should nothing hold it."""

RUN = """
import os, shlex, sys, tempfile
from pathlib import Path
import psutil
import hermes_core.local.landlock
(Path("/tmp") / "x").suffix.encode("utf-8")
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local import process_limit, processes, sandbox
from hermes_core.local.confinement import Confinement
wall, code = sys.argv[1:]
if wall == "none":
    sandbox.find_bubblewrap = lambda: None
process_limit.MORE = 100
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
cwd = Path(os.path.realpath(tempfile.mkdtemp(dir="/tmp")))
process_limit._LOAD = cwd / "loadavg"
process_limit._LOAD.write_text("0.1 0.2 0.3 1/20 99")
done = processes.run_command(
    "/usr/bin/env python3 -I -c " + shlex.quote(code), cwd,
    env={"PATH": "/usr/local/bin:/usr/bin:/bin"}, timeout=60, max_output=10_000,
    interrupt=Interrupt(), confinement=Confinement.approved(cwd / "home", [cwd]),
)
print(done.walled, done.exit_code, done.output.strip())
processes.wait_for_stragglers()
processes.end_all_children()
os.unlink(process_limit._LOAD)
os.rmdir(cwd)
"""


@pytest.mark.parametrize("wall", ["bubblewrap", "none"])
def test_a_command_that_multiplies_is_held(
    wall: str, run_python: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    need(shutil.which("python3", path=ENV["PATH"]) is not None, "the system has no Python")
    if wall == "bubblewrap":
        with walled("bubblewrap", monkeypatch):
            pass
    said = run_python(RUN, wall, MULTIPLYING, TMPDIR="/tmp").stdout.splitlines()[0]
    walled_too, code, told = said.split(" ", 2)
    assert walled_too == str(wall == "bubblewrap")
    assert code == "0"
    assert told.startswith("held after")


@pytest.fixture
def ordinary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    load = tmp_path / "loadavg"
    load.write_text("0.1 0.2 0.3 2/314 4711\n")
    monkeypatch.setattr(process_limit, "_LOAD", load)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (50_000, 60_000))
    return load


def test_the_limit_lies_above_what_runs_already(ordinary: Path) -> None:
    assert ordinary.exists()
    start, *rest = limited(["bash", "-c", "make"])
    assert start == "/bin/sh"
    assert rest[2:] == [str(314 + process_limit.MORE), "bash", "-c", "make"]


def test_what_is_lower_already_stays(ordinary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ordinary.exists()
    monkeypatch.setattr(resource, "getrlimit", lambda _: (500, 500))
    assert limited(["make"]) == ["make"]


@pytest.mark.parametrize("text", ["", "nonsense", "0.1 0.2 0.3 x 1"])
def test_what_cannot_be_told_limits_nothing(ordinary: Path, text: str) -> None:
    ordinary.write_text(text)
    assert limited(["make"]) == ["make"]


def test_root_has_none(ordinary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ordinary.exists()
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert limited(["make"]) == ["make"]
