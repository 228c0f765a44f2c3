import os
import resource
import subprocess
import sys

import pytest

from tests.hermes_core.local.conftest import Run

PROGRAM = """
import os, subprocess, sys, resource
import hermes_core.local.own_environment as own
from pathlib import Path

taken = own.take_environment()
assert taken["MY_API_KEY"] == "a-very-secret-key" and taken["PLAIN"] == "seen"
assert taken["PROXY"] == "http://me:hidden-word@proxy:1"
for name in ("MY_API_KEY", "GH_TOKEN", "PROXY", "PASTED"):
    assert name not in os.environ, name
assert os.environ["PLAIN"] == "seen" and os.environ["AWS_SECRET_ACCESS_KEY"] == "for-aws-alone"
assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)
child = subprocess.run(["/usr/bin/env"], capture_output=True, text=True, check=True)
assert "PLAIN=seen" in child.stdout and "a-very" not in child.stdout
block = Path("/proc/self/environ")
if block.exists():
    shown = block.read_bytes()
    assert len(shown) > 100 and not shown.strip(b"\\0"), shown
os.environ["PLAIN"] = "changed"   # the C library's own list is still sound
os.environ["NEW"] = "n" * 1000
child = subprocess.run(["/usr/bin/env"], capture_output=True, text=True, check=True)
assert "PLAIN=changed" in child.stdout and "NEW=nnn" in child.stdout
own.take_environment()            # a second time does no harm
assert os.environ["PLAIN"] == "changed"
"""

KEYS = {
    "MY_API_KEY": "a-very-secret-key",
    "GH_TOKEN": "a-very-secret-token",
    "PROXY": "http://me:hidden-word@proxy:1",
    "PASTED": "sk-aaaaaaaaaaaaaaaaaaaaaaaa",
    "AWS_SECRET_ACCESS_KEY": "for-aws-alone",
    "PLAIN": "seen",
}


def test_it_is_taken_over_and_wiped(run_python: Run) -> None:
    run_python(PROGRAM, **KEYS)


LOOKED_AT = """
import sys
from hermes_core.local.own_environment import take_environment
take_environment()
print("taken", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_not_even_root_sees_it_from_outside() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LOOKED_AT],
        env={**os.environ, "PYTHONPATH": os.getcwd(), **KEYS},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"taken\n"
        with open(f"/proc/{process.pid}/environ", "rb") as file:
            assert b"a-very" not in file.read()
        assert resource.prlimit(process.pid, resource.RLIMIT_CORE) == (0, 0)
        process.stdin.close()
        assert process.wait(60) == 0
