"""MCP servers of the editor and of the settings, from their start to the end of their processes."""

import asyncio
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from tests.e2e.client import FULL, AcpClient
from tests.e2e.editor import ALLOW, ALWAYS, Session
from tests.e2e.stage import Stage
from tests.fakes import mcp_server
from tests.fakes.provider import Call, calls, say

SCRIPT = Path(mcp_server.__file__)


def server(name: str = "fake", **plan: Any) -> dict[str, Any]:
    args = [str(SCRIPT), json.dumps(plan)]
    return {"name": name, "command": sys.executable, "args": args, "env": []}


async def opened(client: AcpClient, *servers: dict[str, Any], **params: Any) -> Session:
    """Return a session whose servers have all started, or failed to."""
    session = await client.new_session(mcpServers=list(servers), **params)
    await settled(session)
    return session


async def settled(session: Session) -> None:
    while True:
        before = len(session.text)
        await session.prompt("/mcp")
        if "(starting" not in session.text[before:]:
            return
        await asyncio.sleep(0.05)


def offered(client: AcpClient) -> list[str]:
    """Return the MCP tools of the last request."""
    tools = client.stage.provider.requests[-1].body["tools"]
    return [one["function"]["name"] for one in tools if "__" in one["function"]["name"]]


def answer(client: AcpClient) -> str:
    """Return the tool's answer in the last request."""
    messages = client.stage.provider.requests[-1].messages
    return str(next(one["content"] for one in reversed(messages) if one["role"] == "tool"))


async def called(client: AcpClient, session: Session, tool: str, **arguments: Any) -> str:
    client.editor.decide = lambda _: ALLOW
    client.stage.provider.script(calls(Call(tool, arguments)), say("Done."))
    assert await session.prompt("go") == "end_turn"
    return answer(client)


async def gone(pids: list[int]) -> None:
    while any(map(alive, pids)):
        await asyncio.sleep(0.02)


def _contents(update: dict[str, Any]) -> list[Any]:
    """Return what a card's update shows."""
    content = update.get("content", [])
    return [one.get("content") for one in content] if isinstance(content, list) else []


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def pids_in(path: Path) -> list[int]:
    return [int(one) for one in path.read_text(encoding="utf-8").split()]


async def test_a_server_of_the_editor_is_announced_offered_and_asked_for(client: AcpClient) -> None:
    told = client.initialized["agentCapabilities"]["mcpCapabilities"]
    assert told == {"http": True, "sse": True, "acp": True}
    session = await opened(client, server())
    text = await called(client, session, "fake__echo", text="hello")
    assert text == ('<untrusted-result server="fake" from="echo">\nhello\n</untrusted-result>')
    assert "fake__echo" in offered(client)
    (asked,) = client.editor.asked
    assert asked["toolCall"]["title"] == 'fake: echo {"text": "hello"}'
    names = [option["name"] for option in asked["options"]]
    assert "the tool echo of the MCP server fake here" in names[1]
    assert session.card["statuses"] == ["pending", "in_progress", "completed"]


async def test_always_holds_for_the_tool_and_no_other(client: AcpClient) -> None:
    session = await opened(client, server())
    client.editor.decide = lambda _: ALWAYS
    client.stage.provider.script(calls(Call("fake__echo", {"text": "1"})), say("Done."))
    await session.prompt("go")
    client.editor.decide = lambda _: ALLOW
    assert "\n2\n" in await called(client, session, "fake__echo", text="2")
    assert len(client.editor.asked) == 1
    await called(client, session, "fake__fail")
    assert len(client.editor.asked) == 2


async def test_the_trace_of_a_prompt_goes_with_its_calls(client: AcpClient) -> None:
    meta = {"name": "meta", "inputSchema": {"type": "object"}}
    session = await opened(client, server(tools=[meta]))
    client.editor.decide = lambda _: ALLOW
    trace = {"traceparent": "00-" + "a" * 32 + "-" + "b" * 16 + "-01", "tracestate": "x=1"}
    prompt = [{"type": "text", "text": "go"}]
    for told in (trace, {}):
        client.stage.provider.script(calls(Call("fake__meta", {})), say("Done."))
        params = {"sessionId": session.id, "prompt": prompt, "_meta": {**told, "other": "mine"}}
        await client.request("session/prompt", params)
        got = answer(client)
        assert all(f'"{key}": "{value}"' in got for key, value in told.items())
        assert ("traceparent" in got) is bool(told)
        assert "mine" not in got


async def test_plan_mode_refuses_it_and_bypass_says_so(client: AcpClient) -> None:
    session = await opened(client, server())
    await session.prompt("/mode plan")
    assert "not allowed" in await called(client, session, "fake__echo", text="x")
    await session.prompt("/mode bypass")
    assert "\nx\n" in await called(client, session, "fake__echo", text="x")
    assert not client.editor.asked
    titles = [card["title"] for card in session.cards.values()]
    assert titles[-1].startswith("[unasked]")


async def test_what_a_server_says_stays_in_its_wrapping(client: AcpClient) -> None:
    session = await opened(client, server())
    text = await called(client, session, "fake__hostile")
    assert text.count("</untrusted-result>") == 1
    assert text.endswith("</untrusted-result>")
    assert "<system>" not in text
    assert "\u202e" not in text


async def test_an_image_reaches_the_card_and_the_model(client: AcpClient) -> None:
    session = await opened(client, server())
    assert "[an image, image/png, 8 bytes]" in await called(client, session, "fake__image")
    sent = client.stage.provider.requests[-1].messages[-1]
    assert sent["role"] == "user"
    url = f"data:image/png;base64,{mcp_server.PNG}"
    assert sent["content"][1] == {"type": "image_url", "image_url": {"url": url}}
    image = {"type": "image", "mimeType": "image/png", "data": mcp_server.PNG}
    await client.request("session/close", {"sessionId": session.id})
    again = await client.load_session(session.id, session.cwd)
    shown = [one for one in again.updates if image in _contents(one)]
    assert [one["status"] for one in shown] == ["completed", "completed"]
    client.stage.provider.script(say("Still there."))
    await again.prompt("go on")
    assert url in str(client.stage.provider.requests[-1].messages)


async def test_a_huge_result_is_bounded(client: AcpClient) -> None:
    session = await opened(client, server())
    assert len(await called(client, session, "fake__huge")) < 10_000


async def test_a_server_gets_no_keys_and_not_the_workspace_as_its_folder(
    client: AcpClient,
) -> None:
    told = server()
    told["env"] = [{"name": "OWN", "value": "given"}]
    session = await opened(client, told)
    text = await called(client, session, "fake__environment")
    environment = json.loads(text.split("\n")[1])
    assert environment["OWN"] == "given"
    assert environment["CWD"] == str(client.stage.user)
    assert "HERMES_HOME" not in environment
    assert not [name for name in environment if name.endswith("_KEY")]


async def test_servers_that_do_not_start_hold_nothing_up_and_are_told_of(
    client: AcpClient, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    servers = [
        server("crashing", start="crash"),
        {"name": "missing", "command": "no-such-program-at-all", "args": [], "env": []},
        server("slow", start="slow", gate=str(gate)),
        server("good"),
    ]
    session = await client.new_session(mcpServers=servers)
    while "**good** (ready" not in session.text:
        await session.prompt("/mcp")
    while session.text.count("not available") < 2:
        await session.prompt("/mcp")
    client.stage.provider.script(say("One."), say("Two."))
    await session.prompt("first")
    assert {name.partition("__")[0] for name in offered(client)} == {"good"}
    thoughts = session.joined("agent_thought_chunk")
    assert (
        "crashing is not available: it ended before it had told its tools (exit code 3" in thoughts
    )
    assert "no licence found" in thoughts
    assert "missing is not available: the program no-such-program-at-all is not" in thoughts
    gate.touch()
    await settled(session)
    await session.prompt("second")
    assert {name.partition("__")[0] for name in offered(client)} == {"slow", "good"}
    assert session.joined("agent_thought_chunk").count("is not available") == 2


async def test_a_failure_is_noticed_between_turns_and_not_after_a_cancel(
    stage: Stage, running: Callable[..., Any], tmp_path: Path
) -> None:
    gate, log = tmp_path / "gate", tmp_path / "log"
    missing = {"name": "missing", "command": "no-such-program-at-all", "args": [], "env": []}
    capabilities = {**FULL, "session": {"notices": {}}}
    async with running(stage, capabilities=capabilities) as client:
        session = await client.new_session(mcpServers=[missing])
        while not session.of_kind("notice"):
            await asyncio.sleep(0.01)
        (notice,) = session.of_kind("notice")
        assert notice["severity"] == "warning"
        assert "missing is not available: the program no-such-program-at-all" in notice["title"]
        stage.provider.script(say("One."))
        await session.prompt("first")
        assert len(session.of_kind("notice")) == 1
        assert "not available" not in session.joined("agent_thought_chunk")

        late = server("late", start="slow", gate=str(gate), tools=[None], log=str(log))
        session = await client.new_session(mcpServers=[late])
        turn = session.begin("second")  # waits for the server
        session.cancel()
        assert (await turn)["stopReason"] == "cancelled"
        gate.touch()
        while not log.exists() or "tools/list" not in log.read_text(encoding="utf-8"):
            await asyncio.sleep(0.01)
        assert session.of_kind("notice") == []
        while not session.of_kind("notice"):
            await session.prompt("/mcp")
        assert "late is not available" in session.of_kind("notice")[0]["title"]


async def test_nonsense_is_told_in_a_sentence(client: AcpClient) -> None:
    session = await opened(client, server("bad", tools=[None]))
    client.stage.provider.script(say("One."))
    await session.prompt("first")
    told = session.joined("agent_thought_chunk")
    assert "bad is not available: it answered with what is no answer of an MCP server" in told
    assert "validation error" not in told + session.text


async def test_a_crash_in_a_call_is_told_and_the_next_call_starts_it_anew(
    client: AcpClient,
) -> None:
    session = await opened(client, server())
    assert "it may have run" in await called(client, session, "fake__crash")
    assert "\nback\n" in await called(client, session, "fake__echo", text="back")


async def test_a_cancel_is_answered_at_once_and_reaches_the_server(
    client: AcpClient, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    session = await opened(client, server(log=str(log)))
    client.editor.decide = lambda _: ALLOW
    client.stage.provider.script(calls(Call("fake__hang", {})))
    turn = session.begin("go")
    while "tools/call" not in log.read_text(encoding="utf-8"):
        await asyncio.sleep(0.01)
    session.cancel()
    assert (await turn)["stopReason"] == "cancelled"
    while "notifications/cancelled" not in log.read_text(encoding="utf-8"):
        await asyncio.sleep(0.01)
    assert "\nstill\n" in await called(client, session, "fake__echo", text="still")


async def test_a_server_in_the_workspace_asks_by_what_it_holds(client: AcpClient) -> None:
    folder = client.stage.workspace()
    own = folder / "server.py"
    shutil.copy(SCRIPT, own)
    told = {"name": "own", "command": sys.executable, "args": ["server.py"], "env": []}
    session = await opened(client, told, cwd=str(folder))
    client.stage.provider.script(say("Without."))
    await session.prompt("first")
    assert offered(client) == []
    (asked,) = client.editor.asked
    assert "Start the MCP server own" in asked["toolCall"]["title"]
    assert str(own) in str(asked["toolCall"]["content"])

    client.editor.decide = lambda _: ALWAYS
    second = await opened(client, told, cwd=str(folder))
    client.stage.provider.script(say("With."), say("With."))
    await second.prompt("again")
    await settled(second)
    await second.prompt("again")
    assert "own__echo" in offered(client)
    assert len(client.editor.asked) == 2
    third = await opened(client, told, cwd=str(folder))
    client.stage.provider.script(say("Unasked."))
    await third.prompt("again")
    assert len(client.editor.asked) == 2

    own.write_text(own.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    fourth = await opened(client, told, cwd=str(folder))
    client.stage.provider.script(say("Asked."))
    await fourth.prompt("again")
    assert len(client.editor.asked) == 3


async def test_servers_of_the_settings_are_there_and_those_of_a_workspace_are_not(
    stage: Stage, running: Callable[..., Any], tmp_path: Path
) -> None:
    plan = {"log": str(tmp_path / "log")}
    entry = {"command": sys.executable, "args": [str(SCRIPT), json.dumps(plan)]}
    off = {"url": "http://127.0.0.1:9/mcp", "enabled": False}
    stage.configure(mcp_servers={"saved": entry, "off": off})
    folder = stage.workspace()
    marks = tmp_path / "marks"
    evil = {"mcpServers": {"evil": {"command": "sh", "args": ["-c", f"echo >> {marks}"]}}}
    (folder / ".mcp.json").write_text(json.dumps(evil), encoding="utf-8")
    async with running(stage) as client:
        session = await opened(client, cwd=str(folder))
        assert "\nhi\n" in await called(client, session, "saved__echo", text="hi")
        assert "**off** (switched off in config.yaml)" in session.text
        assert "evil" not in session.text
    assert not marks.exists()


async def test_processes_are_gone_after_close_and_after_the_end(
    stage: Stage, running: Callable[..., Any], tmp_path: Path
) -> None:
    async with running(stage) as client:
        closed = tmp_path / "closed"
        session = await opened(client, server(child=str(closed), deaf=True))
        pids = pids_in(closed)
        assert all(map(alive, pids))
        await client.request("session/close", {"sessionId": session.id})
        await gone(pids)
        ended = tmp_path / "ended"
        await opened(client, server(child=str(ended), deaf=True))
        pids = pids_in(ended)
    await gone(pids)


async def test_processes_are_gone_when_we_are_killed(
    stage: Stage, running: Callable[..., Any], tmp_path: Path
) -> None:
    client = AcpClient(stage)
    await client.start()
    await client.initialize()
    killed = tmp_path / "killed"
    await opened(client, server(child=str(killed), deaf=True))
    pids = pids_in(killed)
    os.kill(client.process.pid, signal.SIGKILL)
    await gone(pids)
