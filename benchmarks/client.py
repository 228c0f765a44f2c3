"""The smallest ACP client that can measure a server: blocking, one line at a time."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil


class Client:
    """A server process and the pipes to it. Times are seconds of the monotonic clock."""

    def __init__(self, home: Path) -> None:
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "acp_server.cli.main", "acp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "HERMES_HOME": str(home)},
        )
        self._next = 0
        self.first_chunk = 0.0
        self.chunks = 0

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return its result; text chunks that come before it are counted."""
        assert self._process.stdout is not None
        self._next += 1
        self.first_chunk = 0.0
        self.chunks = 0
        self._send({"id": self._next, "method": method, "params": params})
        for line in self._process.stdout:
            if b'"agent_message_chunk"' in line:
                self.first_chunk = self.first_chunk or time.perf_counter()
                self.chunks += 1
                continue
            message = json.loads(line)
            if message.get("id") == self._next and "method" not in message:
                if "error" in message:
                    raise RuntimeError(message["error"])
                result: dict[str, Any] = message["result"]
                return result
        raise RuntimeError("the server ended")

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def cancel(self, session: str, text: str, mark: bytes, *, allow: bool) -> float:
        """Cancel a turn when a line with ``mark`` comes; return the seconds to its answer.

        allow: whether questions are answered.
        """
        assert self._process.stdout is not None
        self._next += 1
        prompt = [{"type": "text", "text": text}]
        params = {"sessionId": session, "prompt": prompt}
        self._send({"id": self._next, "method": "session/prompt", "params": params})
        began = 0.0
        for line in self._process.stdout:
            message = json.loads(line)
            if message.get("method") == "session/request_permission" and allow:
                outcome = {"outcome": "selected", "optionId": "allow_once"}
                self._send({"id": message["id"], "result": {"outcome": outcome}})
            if mark in line and not began:
                began = time.perf_counter()
                self._send({"method": "session/cancel", "params": {"sessionId": session}})
            if message.get("id") == self._next and "method" not in message:
                if message.get("result") != {"stopReason": "cancelled"}:
                    raise RuntimeError(message)
                return time.perf_counter() - began
        raise RuntimeError("the server ended")

    def initialize(self) -> None:
        """Open the connection as an editor without files or terminals."""
        self.call("initialize", {"protocolVersion": 1, "clientCapabilities": {}})

    def open(self, cwd: Path) -> str:
        """Open a session in ``cwd`` and return its id."""
        result = self.call("session/new", {"cwd": str(cwd), "mcpServers": []})
        return str(result["sessionId"])

    def prompt(self, session: str, text: str) -> None:
        """Run one turn to its end."""
        params = {"sessionId": session, "prompt": [{"type": "text", "text": text}]}
        stop = self.call("session/prompt", params)["stopReason"]
        if stop != "end_turn":
            raise RuntimeError(stop)

    def cpu(self) -> float:
        """Return the CPU seconds that the server has used, children aside."""
        times = psutil.Process(self._process.pid).cpu_times()
        return float(times.user + times.system)

    def memory(self) -> float:
        """Return the server's resident memory in megabytes."""
        return float(psutil.Process(self._process.pid).memory_info().rss) / 1e6

    def close(self) -> None:
        """Close the server's stdin and wait for its end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)
        assert self._process.stdout is not None
        self._process.stdout.close()
