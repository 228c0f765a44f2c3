"""A cancel takes effect at once, in whatever state the turn is, and leaves a usable session."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psutil
import pytest

from tests.e2e.client import AcpClient
from tests.e2e.editor import ALLOW, Session
from tests.fakes.provider import Call, Reply, Text, Wait, calls, say

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def go_on(agent: AcpClient, session: Session) -> None:
    """Hold the session to being usable after a cancel."""
    end = len(session.updates)
    agent.stage.provider.script(say("Here I am."))
    assert await session.prompt("still there?") == "end_turn"
    assert session.text.endswith("Here I am.")
    assert {u["sessionUpdate"] for u in session.updates[end:]} <= {
        "agent_message_chunk",
        "usage_update",
        "session_info_update",  # held back since the cancel
    }


def never() -> threading.Event:
    return threading.Event()


async def test_before_the_provider_answers(agent: AcpClient) -> None:
    provider = agent.stage.provider
    number = len(provider.requests) + 1
    provider.script(Reply([Text("too late")], before=never()))
    session = await agent.new_session()
    answer = session.begin("go")
    request = await _in_thread(provider.wait_for_request, number)
    session.cancel()
    assert await answer == {"stopReason": "cancelled"}
    assert await _in_thread(request.gone.wait, 30)
    await go_on(agent, session)
    assert "too late" not in session.text


async def test_in_the_middle_of_the_answer(agent: AcpClient) -> None:
    provider = agent.stage.provider
    provider.script(Reply([Text("Once upon a "), Wait(never()), Text("too late")]))
    session = await agent.new_session()
    answer = session.begin("tell me")
    await session.wait_for_text("Once upon a ")
    session.cancel()
    assert await answer == {"stopReason": "cancelled"}
    assert await _in_thread(provider.requests[-1].gone.wait, 30)
    await go_on(agent, session)
    sent = provider.requests[-1].messages
    assert "Once upon a" not in str(sent)


async def test_in_the_middle_of_the_arguments_of_a_call(agent: AcpClient) -> None:
    agent.stage.provider.script(
        Reply([Text("Now"), Call("terminal", '{"command": "touch ma', id="half"), Wait(never())])
    )
    session = await agent.new_session()
    answer = session.begin("go")
    await session.wait_for_text("Now")
    session.cancel()
    assert await answer == {"stopReason": "cancelled"}
    assert session.cards == {}
    await go_on(agent, session)


async def test_while_a_command_runs(agent: AcpClient) -> None:
    text = "sleep 600.7131 & echo begun; sleep 600.7132; wait"
    agent.stage.provider.script(calls(Call("terminal", {"command": text}, id="run-1")))
    agent.editor.decide = lambda _: ALLOW
    session = await agent.new_session()
    answer = session.begin("go")
    await session.wait_for_card("in_progress")
    sleeping = await agent.wait_for(lambda: _sleeping("600.7131"))
    session.cancel()
    assert await answer == {"stopReason": "cancelled"}
    assert session.card["status"] == "failed"
    await go_on(agent, session)
    for process in sleeping:
        await _in_thread(_wait_until_gone, process)


async def test_while_tools_run_together(agent: AcpClient) -> None:
    agent.editor.silent_files = True
    agent.stage.provider.script(
        calls(*(Call("read_file", {"path": f"{n}.txt"}, id=f"together-{n}") for n in range(3)))
    )
    files = {f"{n}__txt": "x" for n in range(3)}
    session = await agent.new_session(agent.stage.workspace(**files))
    answer = session.begin("go")
    await agent.wait_for(lambda: agent.editor.reads)
    session.cancel()
    assert await answer == {"stopReason": "cancelled"}
    assert {card["status"] for card in session.cards.values()} <= {"failed"}
    assert agent.editor.withdrawn
    agent.editor.silent_files = False
    await go_on(agent, session)


async def test_while_a_question_waits(agent: AcpClient) -> None:
    agent.stage.provider.script(calls(Call("terminal", {"command": "touch made"}, id="wait-1")))
    agent.editor.decide = lambda _: None
    session = await agent.new_session()
    answer = session.begin("go")
    await session.wait_for_question()
    withdrawn = len(agent.editor.withdrawn)
    session.cancel()
    assert await answer == {"stopReason": "cancelled"}
    await agent.wait_for(lambda: len(agent.editor.withdrawn) == withdrawn + 1)
    assert session.card["status"] == "failed"
    assert not (session.cwd / "made").exists()
    agent.editor.decide = lambda _: ALLOW
    await go_on(agent, session)


async def test_an_answer_to_a_withdrawn_question_runs_nothing(agent: AcpClient) -> None:
    agent.stage.provider.script(calls(Call("terminal", {"command": "touch made"}, id="late-1")))
    agent.editor.decide = lambda _: None
    session = await agent.new_session()
    answer = session.begin("go")
    await session.wait_for_question()
    question = next(m for m in reversed(agent.received) if "method" in m and "id" in m)
    session.cancel()
    await answer
    for request_id in (question["id"], question["id"], "unknown", None):
        agent.send({"jsonrpc": "2.0", "id": request_id, "result": ALLOW}, valid=False)
    await go_on(agent, session)
    assert not (session.cwd / "made").exists()


async def test_right_after_the_prompt(agent: AcpClient) -> None:
    provider = agent.stage.provider
    gate = never()
    provider.handler = lambda _: Reply([Wait(gate), Text("too late")])
    try:
        for _ in range(10):
            session = await agent.new_session()
            answer = session.begin("go")
            session.cancel()
            assert await answer == {"stopReason": "cancelled"}
    finally:
        provider.handler = None
        gate.set()
    await go_on(agent, session)


async def test_twice_and_when_idle(agent: AcpClient) -> None:
    agent.stage.provider.script(Reply([Text("Well"), Wait(never())]))
    session = await agent.new_session()
    session.cancel()
    answer = session.begin("go")
    await session.wait_for_text("Well")
    session.cancel()
    session.cancel()
    assert await answer == {"stopReason": "cancelled"}
    session.cancel()
    await go_on(agent, session)


async def test_cancelling_one_session_leaves_the_other_running(agent: AcpClient) -> None:
    gate = threading.Event()
    provider = agent.stage.provider
    provider.handler = lambda _: Reply([Text("begun"), Wait(gate), Text(", ended")])
    try:
        first, second = await agent.new_session(), await agent.new_session()
        answers = [session.begin("go") for session in (first, second)]
        for session in (first, second):
            await session.wait_for_text("begun")
        first.cancel()
        assert await answers[0] == {"stopReason": "cancelled"}
        gate.set()
        assert await answers[1] == {"stopReason": "end_turn"}
    finally:
        provider.handler = None
    assert (first.text, second.text) == ("begun", "begun, ended")


@pytest.mark.parametrize("state", ["stream", "question"])
async def test_cancelling_the_request_itself_is_a_cancel_too(agent: AcpClient, state: str) -> None:
    reply: Reply = Reply([Text("Well"), Wait(never())])
    if state == "question":
        reply = calls(Call("terminal", {"command": "touch made"}, id="request-1"))
    agent.stage.provider.script(reply)
    agent.editor.decide = lambda _: None
    session = await agent.new_session()
    answer = session.begin("go", request_id=f"cancel-{state}")
    if state == "question":
        await session.wait_for_question()
    else:
        await session.wait_for_text("Well")
    agent.notify("$/cancel_request", {"requestId": f"cancel-{state}"})
    assert await answer == {"stopReason": "cancelled"}
    agent.notify("$/cancel_request", {"requestId": f"cancel-{state}"})
    await go_on(agent, session)


async def _in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    return await asyncio.to_thread(function, *arguments)


def _sleeping(seconds: str) -> list[psutil.Process]:
    """Return the processes that sleep for so long; a sandbox gives them other numbers within."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.cmdline()[-1:] == [seconds]:
                found.append(process)
    return found


def _wait_until_gone(process: psutil.Process) -> None:
    with suppress(psutil.NoSuchProcess):
        process.wait(timeout=30)
