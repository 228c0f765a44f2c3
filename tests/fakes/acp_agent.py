"""An ACP agent as a program: plays a script to one client over stdio.

``acp_agent(folder, steps, …)`` writes the script and returns the command line; the agent notes in
``folder/received.jsonl`` what it was sent, its environment and its folder first.

Steps: ``{"say": text}``, ``{"think": text}``, ``{"ask": method, "params": {}}`` (a request of the
agent's, whose answer is noted), ``{"update": {}}``, ``{"raw": line}``, ``{"hang": true}``,
``{"exit": code, "stderr": text}``, ``{"stop": reason}``, ``{"fail": {"code", "message"}}``.
"""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def acp_agent(
    folder: Path,
    *steps: dict[str, Any],
    on: str = "session/prompt",
    session: Any = None,
    later: Sequence[dict[str, Any]] | None = None,
) -> list[str]:
    """Return the command of an agent that plays ``steps`` when ``on`` is called.

    later: what it plays from its second start on.
    """
    script = {"on": on, "steps": steps, "session": session or {}, "later": later}
    (folder / "script.json").write_text(json.dumps(script))
    return [sys.executable, str(Path(__file__)), str(folder)]


def received(folder: Path) -> list[dict[str, Any]]:
    """Return what the agent was sent so far, the note of its start first; no key may be in it."""
    from tests.fakes.canaries import WATCH  # the agent's own program has no path to it

    path = folder / "received.jsonl"
    WATCH.saw("another agent's program", (), path.read_bytes() if path.exists() else b"")
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


class _Agent:
    def __init__(self, folder: Path) -> None:
        self._script = json.loads((folder / "script.json").read_text())
        if self._script["later"] is not None and (folder / "received.jsonl").exists():
            self._script["steps"] = self._script["later"]
        self._log = (folder / "received.jsonl").open("a", buffering=1)
        self._last_id = 100
        self._note({"env": dict(os.environ), "cwd": str(Path.cwd()), "argv": sys.argv[2:]})

    def serve(self) -> None:
        while message := self._read():
            if "method" in message and "id" in message:
                self._answer(message)

    def _answer(self, message: dict[str, Any]) -> None:
        if message["method"] == self._script["on"]:
            self._play(message["id"])
            return
        results: dict[str, Any] = {
            "initialize": {"protocolVersion": 1, "agentCapabilities": {}},
            "session/new": {"sessionId": "s1", **self._script["session"]},
        }
        self._write({"id": message["id"], "result": results.get(message["method"], {})})

    def _play(self, number: Any) -> None:
        for step in self._script["steps"]:
            match step:
                case {"hang": _}:
                    while self._read():
                        pass
                    return
                case {"fail": error}:
                    self._write({"id": number, "error": error})
                    return
                case {"stop": reason}:
                    self._write({"id": number, "result": {"stopReason": reason}})
                    return
            self._do(step)
        self._write({"id": number, "result": {"stopReason": "end_turn"}})

    def _do(self, step: dict[str, Any]) -> None:
        match step:
            case {"say": text}:
                self._update("agent_message_chunk", text)
            case {"think": text}:
                self._update("agent_thought_chunk", text)
            case {"update": update}:
                self._notify(update)
            case {"ask": method}:
                self._last_id += 1
                params = step.get("params", {})
                self._write({"id": self._last_id, "method": method, "params": params})
                self._read()
            case {"raw": line}:
                self._say(line)
            case {"exit": code}:
                sys.stderr.write(step.get("stderr", ""))
                sys.stderr.flush()
                os._exit(code)

    def _update(self, kind: str, text: str) -> None:
        self._notify({"sessionUpdate": kind, "content": {"type": "text", "text": text}})

    def _notify(self, update: dict[str, Any]) -> None:
        self._write({"method": "session/update", "params": {"sessionId": "s1", "update": update}})

    def _write(self, message: dict[str, Any]) -> None:
        self._say(json.dumps({"jsonrpc": "2.0", **message}))

    def _say(self, line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    def _read(self) -> dict[str, Any]:
        line = sys.stdin.readline()
        message: dict[str, Any] = json.loads(line) if line else {}
        if message:
            self._note(message)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        self._log.write(json.dumps(message) + "\n")


if __name__ == "__main__":
    _Agent(Path(sys.argv[1])).serve()
