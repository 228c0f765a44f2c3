"""The start check of the ACP registry: a clean home, no key, and an answer that offers a login.

As AUTHENTICATION.md of agentclientprotocol/registry has it: the environment is a short list,
``auth.terminal`` is not announced, and the first line of stdout has to be the answer.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.stage import COMMAND, ROOT

ENTRY = next((ROOT / "editor-clients" / "registry").glob("*/agent.json"))
WITHIN = 60.0
"""Seconds that the registry allows for the first line."""


def environment(home: Path) -> dict[str, str]:
    """What is left of the environment: PATH, and folders inside of the clean home."""
    for name in ("cache", "config", "tmp"):
        (home / name).mkdir()
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "TMPDIR": str(home / "tmp"),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        "TERM": "dumb",
    }


class Checker:
    """A started agent, asked one thing after the other; its input stays open."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.ids = 0

    async def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request; return the next answer, whatever is said in between."""
        self.ids += 1
        call = {"jsonrpc": "2.0", "id": self.ids, "method": method, "params": params}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(call).encode() + b"\n")
        while True:
            line = await self.line()
            if "method" not in line:
                assert line["id"] == self.ids
                return line

    async def line(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = await asyncio.wait_for(self.process.stdout.readline(), WITHIN)
        answer: dict[str, Any] = json.loads(line)
        assert answer["jsonrpc"] == "2.0"
        return answer


def command() -> list[str]:
    """The program as the registry's entry starts it, from this environment instead of uvx's."""
    start = json.loads(ENTRY.read_text(encoding="utf-8"))["distribution"]["uvx"]
    return [str(Path(sys.executable).with_name(start["cmd"])), *start["args"]]


@pytest.mark.parametrize("started", [command(), COMMAND], ids=["entry", "module"])
async def test_the_start_check(tmp_path: Path, started: list[str]) -> None:
    environ = environment(tmp_path)
    if started is COMMAND:
        environ["PYTHONPATH"] = str(ROOT)
    process = await asyncio.create_subprocess_exec(
        *started,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environ,
        cwd=tmp_path,
    )
    checker = Checker(process)
    checker.ids = 1
    capabilities = {
        "fs": {"readTextFile": True, "writeTextFile": True},
        "terminal": True,
        "_meta": {"terminal_output": True, "terminal-auth": True},
    }
    params = {
        "protocolVersion": 1,
        "clientCapabilities": capabilities,
        "clientInfo": {"name": "ACP Registry Validator", "version": "1.0.0"},
    }
    call = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    assert process.stdin is not None
    process.stdin.write(json.dumps(call).encode() + b"\n")
    first = await checker.line()
    assert first["id"] == 1
    assert first["result"]["protocolVersion"] == 1
    methods = first["result"]["authMethods"]
    assert [method.get("type", "agent") for method in methods] == ["agent", "agent"]
    assert all(method["id"] and method["name"] for method in methods)

    # The registry's daily round: every further method is answered, by a result or an error.
    where = {"cwd": str(tmp_path), "mcpServers": []}
    new = await checker.ask("session/new", where)
    session = new.get("result", {}).get("sessionId", "none")
    for method, more in (
        ("session/list", {}),
        ("session/fork", {"sessionId": session, **where}),
        ("session/resume", {"sessionId": session, **where}),
        ("session/set_model", {"sessionId": session, "modelId": "none"}),
        ("session/close", {"sessionId": session}),
    ):
        answer = await checker.ask(method, more)
        assert ("result" in answer) != ("error" in answer), method
    process.stdin.close()
    assert await asyncio.wait_for(process.wait(), WITHIN) == 0
    assert process.stderr is not None
    assert await process.stderr.read() == b""
