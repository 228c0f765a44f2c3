"""The official TypeScript SDK as the client: the library that most editors are built on."""

import asyncio
import json
from pathlib import Path
from typing import Any

from tests.e2e.npm import NODE, install
from tests.e2e.stage import COMMAND, Stage
from tests.fakes.provider import Call, calls, say

VERSION = "2.4.0"
SCRIPT = Path(__file__).parent / "typescript" / "client.mjs"


async def drive(stage: Stage, cwd: Path, *prompts: dict[str, Any], load: str = "") -> Any:
    """Run the client to its end; return what it found. It has nothing to say on stderr."""
    sdk = await asyncio.to_thread(install, "@agentclientprotocol/sdk", VERSION)
    order = {
        "sdk": str(sdk / "dist" / "v1" / "stable" / "acp.js"),
        "command": COMMAND,
        "cwd": str(cwd),
        "load": load,
        "prompts": prompts,
    }
    process = await asyncio.create_subprocess_exec(
        str(NODE),
        str(SCRIPT),
        json.dumps(order),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=stage.environ,
        cwd=cwd,
    )
    output, errors = await asyncio.wait_for(process.communicate(), 90)
    assert (process.returncode, errors.decode()) == (0, "")
    return json.loads(output)


def text_of(updates: list[dict[str, Any]], kind: str = "agent_message_chunk") -> str:
    return "".join(u["content"]["text"] for u in updates if u["sessionUpdate"] == kind)


async def test_new_prompt_approve_deny_cancel_and_load(stage: Stage) -> None:
    stage.provider.script(
        calls(Call("write_file", {"path": "allowed.txt", "content": "yes\n"}, id="ts-1")),
        say("Written."),
        calls(Call("write_file", {"path": "denied.txt", "content": "no\n"}, id="ts-2")),
        say("As you wish."),
        calls(Call("terminal", {"command": "sleep 60"}, id="ts-3")),
        say("Back again."),
    )
    cwd = stage.workspace()
    found = await drive(
        stage,
        cwd,
        {"text": "write it", "decide": "allow_once"},
        {"text": "write another", "decide": "reject_once"},
        {"text": "wait", "decide": "allow_once", "cancel": True},
    )
    assert found["hello"]["protocolVersion"] == 1
    assert found["session"]["modes"]["currentModeId"] == "default"
    allowed, denied, cancelled = found["turns"]
    assert [turn["stop"] for turn in found["turns"]] == ["end_turn", "end_turn", "cancelled"]
    assert (allowed["asked"], denied["asked"]) == (["Create allowed.txt"], ["Create denied.txt"])
    assert (cwd / "allowed.txt").read_text(encoding="utf-8") == "yes\n"
    assert not (cwd / "denied.txt").exists()
    assert text_of(allowed["updates"]) == "Written."
    assert text_of(denied["updates"]) == "As you wish."
    ends = {u["toolCallId"]: u["status"] for u in cancelled["updates"] if u.get("status")}
    assert ends == {"ts-3": "failed"}
    assert found["listed"] == [found["sessionId"]]
    assert found["refused"] == -32002
    assert found["exit"] == 0

    again = await drive(stage, cwd, {"text": "and?", "decide": ""}, load=found["sessionId"])
    assert text_of(again["replayed"], "user_message_chunk") == "write itwrite anotherwait"
    assert "Written." in text_of(again["replayed"])
    replayed = {u["toolCallId"]: u["status"] for u in again["replayed"] if u.get("status")}
    assert replayed == {"ts-1": "completed", "ts-2": "failed", "ts-3": "failed"}
    (turn,) = again["turns"]
    assert (turn["stop"], text_of(turn["updates"])) == ("end_turn", "Back again.")
