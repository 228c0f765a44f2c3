"""However the connection ends: turns are cancelled, work is saved, no child is left, exit 0."""

import asyncio
import json
import re
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psutil
import pytest

from tests.e2e.client import AcpClient
from tests.e2e.editor import ALLOW, Session
from tests.e2e.stage import COMMAND, Stage
from tests.e2e.waits import wait_until_idle, wait_until_stored
from tests.fakes.provider import Call, Reply, Text, Wait, calls, say

SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
PATIENCE = 10.0
"""Seconds from the end of the connection to the end of the process; it takes three at most."""


async def ends_in_time(client: AcpClient) -> None:
    began = time.monotonic()
    assert await client.wait_for_exit() == (0, b"")
    assert time.monotonic() - began < PATIENCE


def gone(pid: int) -> None:
    """Wait for a process that is not our child to end."""
    with suppress(psutil.NoSuchProcess):
        psutil.Process(pid).wait(timeout=30)


async def with_running_command(client: AcpClient, text: str) -> tuple[Session, list[int]]:
    """Begin a turn that runs ``text``, which prints process ids after the word pids."""
    client.stage.provider.script(calls(Call("terminal", {"command": text}, id="end-1")))
    client.editor.decide = lambda _: ALLOW
    session = await client.new_session()
    session.begin("go").add_done_callback(lambda answer: answer.exception())

    def printed() -> re.Match[str] | None:
        return re.search(
            r"\npids ([\d ]+)", session.cards["end-1"]["content"][0]["content"]["text"]
        )

    await session.wait_for_card("in_progress")
    found = await client.wait_for(printed)
    return session, [int(pid) for pid in found.group(1).split()]


async def test_end_of_input_when_idle(client: AcpClient) -> None:
    client.process.stdin.close()
    await ends_in_time(client)


async def test_end_of_input_in_the_middle_of_a_line(client: AcpClient) -> None:
    client.send_raw(b'{"jsonrpc":"2.0","id":9,"meth')
    client.process.stdin.close()
    await ends_in_time(client)


async def test_end_of_input_before_initialize(stage: Stage) -> None:
    client = AcpClient(stage)
    await client.start()
    client.process.stdin.close()
    await ends_in_time(client)


async def test_end_of_input_during_an_answer_saves_the_turn(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.provider.script(Reply([Text("Once upon a time"), Wait(threading.Event())]))
    async with running(stage) as client:
        session = await client.new_session()
        session.begin("tell me").add_done_callback(lambda answer: answer.exception())
        await session.wait_for_text("Once upon a time")
        client.process.stdin.close()
        await ends_in_time(client)
    async with running(stage) as client:
        loaded = await client.load_session(session.id, session.cwd)
        assert loaded.joined("user_message_chunk") == "tell me"
        assert loaded.text == "Once upon a time"
        assert "Interrupted" in loaded.joined("agent_thought_chunk")


@pytest.mark.parametrize(
    "command",
    [
        "sleep 600 & echo pids $$ $!; wait",
        "trap '' TERM; echo pids $$; while :; do sleep 600; done",
        "setsid sleep 600 & echo pids $$ $!; wait",
    ],
    ids=["group", "stubborn", "setsid"],
)
async def test_end_of_input_while_a_command_runs_leaves_no_child(
    client: AcpClient, command: str
) -> None:
    _, pids = await with_running_command(client, command)
    client.process.stdin.close()
    await ends_in_time(client)
    for pid in pids:
        await asyncio.to_thread(gone, pid)


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
async def test_a_signal_when_idle(client: AcpClient, number: signal.Signals) -> None:
    client.process.send_signal(number)
    await ends_in_time(client)


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
async def test_a_signal_while_a_command_runs(client: AcpClient, number: signal.Signals) -> None:
    _, pids = await with_running_command(client, "sleep 600 & echo pids $$ $!; wait")
    client.process.send_signal(number)
    await ends_in_time(client)
    for pid in pids:
        await asyncio.to_thread(gone, pid)


async def test_a_kill_takes_running_commands_along(client: AcpClient) -> None:
    _, pids = await with_running_command(client, "sleep 600 & echo pids $$ $!; wait")
    await client.kill()
    for pid in pids:
        await asyncio.to_thread(gone, pid)


async def test_a_question_that_waits_does_not_keep_the_program(client: AcpClient) -> None:
    client.stage.provider.script(calls(Call("terminal", {"command": "touch made"}, id="wait-1")))
    client.editor.decide = lambda _: None
    session = await client.new_session()
    session.begin("go").add_done_callback(lambda answer: answer.exception())
    await session.wait_for_question()
    client.process.stdin.close()
    await ends_in_time(client)
    assert not (session.cwd / "made").exists()


async def test_a_client_that_is_gone_ends_the_program(stage: Stage) -> None:
    gate = threading.Event()
    stage.provider.script(Reply([Text("one"), Wait(gate), *[Text("more ")] * 100]))
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=stage.environ,
    )
    assert process.stdin
    assert process.stdout
    assert process.stderr
    call = {"jsonrpc": "2.0"}
    cwd = str(stage.workspace())
    prompt = [{"type": "text", "text": "go"}]
    process.stdin.write(_line(call, 1, "initialize", {"protocolVersion": 1}))
    process.stdin.write(_line(call, 2, "session/new", {"cwd": cwd, "mcpServers": []}))
    await process.stdout.readline()
    session_id = json.loads(await process.stdout.readline())["result"]["sessionId"]
    params = {"sessionId": session_id, "prompt": prompt}
    process.stdin.write(_line(call, 3, "session/prompt", params))
    while b'"one"' not in await process.stdout.readline():
        pass
    process._transport.get_pipe_transport(1).close()
    gate.set()
    began = time.monotonic()
    assert await asyncio.wait_for(process.wait(), 30) == 0
    assert time.monotonic() - began < PATIENCE
    assert await process.stderr.read() == b""
    process.stdin.close()
    process._transport.close()


def _line(call: dict[str, Any], number: int, method: str, params: dict[str, Any]) -> bytes:
    return json.dumps({**call, "id": number, "method": method, "params": params}).encode() + b"\n"


async def test_a_client_that_does_not_read_can_still_cancel(
    stage: Stage, running: Callable[..., Any]
) -> None:
    """The pipe is full, the queue is full, the model talks on: a cancel ends the turn."""
    piece = Text("x" * 10_000)
    flood = [piece] * 3_000
    stage.provider.script(Reply([Text("begun"), *flood, Wait(threading.Event())]))
    async with running(stage) as client:
        session = await client.new_session()
        answer = session.begin("talk")
        await session.wait_for_text("begun")
        client.pause()
        program = psutil.Process(client.process.pid)
        await asyncio.to_thread(wait_until_idle, program)
        used = program.memory_info().rss
        session.cancel()
        await asyncio.to_thread(wait_until_stored, stage, "TurnInterrupted")
        client.resume()
        assert await answer == {"stopReason": "cancelled"}
        assert used < 150 << 20
        stage.provider.script(say("Still here."))
        assert await session.prompt("and now?") == "end_turn"
