"""A server process that does all that a well-behaved one does not. Run as a script.

Its first argument names a file to which the shutdown hook writes; ``--debug`` claims stdio so.
"""

import ctypes
import json
import os
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

from acp_server.rpc.server import AcpServer
from acp_server.rpc.stdio import claim_stdio

CHILD = """
import json, os, sys
inodes = []
for fd in range(64):
    try:
        inodes.append(os.fstat(fd).st_ino)
    except OSError:
        pass
print(json.dumps({"read": sys.stdin.read(), "inodes": inodes}))
"""

STDIO = claim_stdio(debug="--debug" in sys.argv)
SERVER = AcpServer()


@SERVER.method("initialize", None, before_initialize=True)
async def initialize(params: dict[str, Any]) -> dict[str, Any]:
    return {"pid": os.getpid()}


@SERVER.method("noise", None)
async def noise(params: dict[str, Any]) -> dict[str, Any]:
    """Write on every way to stdout and stderr that there is."""
    sys.stdout.write("stdout\n")
    sys.stderr.write("stderr\n")
    sys.stdout.buffer.write(b"bytes\n")
    sys.__stdout__.write("original stdout\n")
    sys.__stdout__.flush()
    os.write(1, b"fd 1\n")
    os.write(2, b"fd 2\n")
    ctypes.CDLL(None).puts(b"C library")
    ctypes.CDLL(None).fflush(None)
    warnings.warn("a warning", stacklevel=1)
    subprocess.run(["sh", "-c", "echo child; echo child >&2"], check=True)
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()
    return {}


@SERVER.method("child", None)
async def child(params: dict[str, Any]) -> dict[str, Any]:
    """Return what a child reads from stdin, and which of the protocol's pipes it has."""
    pipes = [os.fstat(fd).st_ino for fd in (STDIO.read_fd, STDIO.write_fd, STDIO.error_fd)]
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        stdout=subprocess.PIPE,
        close_fds=False,
        text=True,
        check=True,
    )
    got = json.loads(done.stdout)
    return {"read": got["read"], "pipes": [pipe for pipe in pipes if pipe in got["inodes"]]}


@SERVER.method("hang", None)
async def hang(params: dict[str, Any]) -> None:
    """Start a thread that keeps the process from ending."""
    threading.Thread(target=time.sleep, args=(600,)).start()


@SERVER.method("flood", None)
async def flood(params: dict[str, Any]) -> None:
    """Send more than the client will read."""
    for _ in range(100):
        SERVER.notify("session/update", {"pad": "x" * 100_000})


@SERVER.method("report", None)
async def report(params: dict[str, Any]) -> None:
    """Tell a fatal error."""
    STDIO.report("what happened\nwhat to do")


@SERVER.on_shutdown
async def save() -> None:
    Path(sys.argv[1]).write_text("saved")


sys.exit(SERVER.run(STDIO))
