"""Mutated commands that were judged safe really run, in a sandbox, and nothing changes.

Needs bubblewrap on Linux. Where HERMES_REQUIRE_SANDBOX is set, its lack is a failure.
"""

import hashlib
import os
import platform
import shutil
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest

from hermes_core.approval.git_settings import neutral_environment
from tests.fakes.command_mutations import mutations

WANTED = 10_000
PART = 500
WORKERS = 2
"""Sandboxes at a time, of so many commands; these change nothing, so they share a workspace."""
SOCKET = {"x86_64": 41, "aarch64": 198}
ENDLESS = ("sleep", "factor", "shuf", "seq", "jq -n", "jq --null")
"""Without these the commands end soon."""
COSTLY, SHARE = "jq", 4
"""A program that takes several times as long as others to start; one in so many of its runs."""
DRIVER = """
ulimit -t 2
while IFS= read -r -d '' command; do
  ( eval "$command" ) </dev/null >/dev/null 2>"$ERRORS/last"
  status=$?
  if [ $status -eq 159 ]; then
    printf '%s ended with %s\\n' "$command" "$status"
  fi
  while IFS= read -r line; do
    case $line in
      *[Rr]ead-only*|*unreachable*|*"name resolution"*|*"Bad system call"*)
        printf '%s: %s\\n' "$command" "$line" ;;
    esac
  done < "$ERRORS/last"
done
echo finished
"""


def available() -> str:
    """Return why commands cannot be run in a sandbox here; ``""`` if they can."""
    if sys.platform != "linux" or platform.machine() not in SOCKET:
        return "the sandbox of this test is one of Linux"
    if not shutil.which("bwrap"):
        return "bubblewrap is not installed"
    probe = ["bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"]
    done = subprocess.run(probe, check=False, capture_output=True, text=True)
    return f"bubblewrap does not run here: {done.stderr}" if done.returncode else ""


def no_sockets() -> int:
    """Return a file with a seccomp filter that kills what opens an internet socket."""
    ret, kill, allow = 0x06, 0x80000000, 0x7FFF0000
    program = [
        (0x20, 0, 0, 0),  # the number of the system call
        (0x15, 0, 4, SOCKET[platform.machine()]),
        (0x20, 0, 0, 16),  # its first argument, the family
        (0x15, 1, 0, 2),  # AF_INET
        (0x15, 0, 1, 10),  # AF_INET6
        (ret, 0, 0, kill),
        (ret, 0, 0, allow),
    ]
    with tempfile.TemporaryFile() as file:
        file.write(b"".join(struct.pack("=HBBI", *step) for step in program))
        file.seek(0)
        return os.dup(file.fileno())


def snapshot(folder: Path) -> dict[str, tuple[int, int, str]]:
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        data = b"" if not path.is_file() or path.is_symlink() else path.read_bytes()
        kept = hashlib.sha256(data).hexdigest()
        found[str(path)] = (status.st_mode, status.st_mtime_ns, kept)
    return found


def run(commands: list[str], home: Path, proj: Path) -> str:
    """Run commands in the sandbox, the workspace writable; return what was noticed."""
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "ERRORS": "/run/errors"}
    env["TMPDIR"] = "/run"
    env |= neutral_environment()
    filter_file = no_sockets()
    wall = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    wall += [
        "--bind",
        str(home.parent),
        str(home.parent),
        "--tmpfs",
        "/run",
        "--dir",
        "/run/errors",
    ]
    wall += ["--unshare-all", "--die-with-parent", "--seccomp", str(filter_file)]
    wall += ["--chdir", str(proj), "/bin/bash", "--noprofile", "--norc", "-c", DRIVER]
    data = b"".join(os.fsencode(command) + b"\0" for command in commands)
    try:
        done = subprocess.run(
            wall,
            input=data,
            env=env,
            pass_fds=(filter_file,),
            check=False,
            capture_output=True,
            timeout=500,
        )
    finally:
        os.close(filter_file)
    return done.stdout.decode("utf-8", "replace") + done.stderr.decode("utf-8", "replace")


@pytest.fixture(scope="module")
def walled(ground: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    if lack := available():
        if os.environ.get("HERMES_REQUIRE_SANDBOX"):
            pytest.fail(lack)
        pytest.skip(lack)
    return ground


def test_the_sandbox_notices_a_change_and_a_socket(walled: Any) -> None:
    connect = f"exec {shutil.which('bash')} -c 'echo > /dev/tcp/127.0.0.1/9'"
    noticed = run(["touch /etc/x", connect, "true"], walled.home, walled.proj)
    assert "touch /etc/x: " in noticed
    assert "/dev/tcp" in noticed
    assert "finished\n" in noticed
    before = snapshot(walled.home)
    run(["touch data/new"], walled.home, walled.proj)
    assert snapshot(walled.home) != before
    (walled.proj / "data/new").unlink()


@pytest.mark.timeout(900)
def test_mutated_safe_commands_change_nothing(walled: Any, rows: list[dict[str, str]]) -> None:
    harmless = [row["cmd"] for row in rows if row["expect"] == "safe"]
    asking = [row["cmd"] for row in rows if row["expect"] == "ask" and row["kind"] != "adv-spoof"]
    turns = count()
    stream = (
        text
        for text in mutations(harmless * 3 + asking, seed=2)
        if not any(word in text for word in ENDLESS)
        and (COSTLY not in text or next(turns) % SHARE == 0)
    )
    before = snapshot(walled.home)
    noticed = []
    safe: set[str] = set()
    part: list[str] = []
    with ThreadPoolExecutor(WORKERS) as pool:
        for text in islice(stream, 400_000):
            if text not in safe and walled.judge(text).verdict == "safe":
                safe.add(text)
                part.append(text)
                if len(part) == PART:
                    noticed.append(pool.submit(run, part, walled.home, walled.proj))
                    part = []
                if len(safe) == WANTED:
                    break
    assert len(safe) == WANTED
    assert {future.result() for future in noticed} == {"finished\n"}
    assert snapshot(walled.home) == before
