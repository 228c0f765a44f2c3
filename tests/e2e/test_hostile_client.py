"""Clients that answer wrongly, twice or never, leave things out, and say too much.

What each did was seen in one that people use. None may run what nobody allowed, hang a session or
end the program.
"""

import threading
from typing import Any

import pytest

from tests.e2e.client import AcpClient
from tests.e2e.editor import ALLOW, REJECT, AgentError, Session
from tests.e2e.stage import Stage
from tests.fakes.provider import Call, Reply, Text, Wait, calls, say

pytestmark = pytest.mark.asyncio(loop_scope="module")

NAMED = {"clientInfo": {"name": "inside", "version": "1"}}
FAILED = {"code": -32603, "message": "the dialog crashed"}


async def asked(agent: AcpClient, name: str) -> tuple[Session, Any, str]:
    """Return a session whose turn waits for an answer, that of its prompt, and the question's id.

    name: of the call. Nobody answers but the test.
    """
    agent.stage.provider.script(calls(Call("terminal", {"command": "touch made"}, id=name)))
    agent.editor.decide = lambda _: None
    session = await agent.new_session()
    answer = session.begin("go")
    await session.wait_for_question()
    question = next(m for m in reversed(agent.received) if "method" in m and "id" in m)
    return session, answer, question["id"]


def reply(agent: AcpClient, request_id: Any, **answer: Any) -> None:
    agent.send({"jsonrpc": "2.0", "id": request_id, **answer}, valid=False)


async def go_on(agent: AcpClient, session: Session) -> None:
    """Hold session and program to being usable."""
    agent.stage.provider.script(say("Here I am."))
    assert await session.prompt("still there?") == "end_turn"
    assert session.text.endswith("Here I am.")


# Answers


@pytest.mark.parametrize(
    "answer",
    [
        {"result": None},
        {"result": []},
        {"result": "allow_once"},
        {"result": {"outcome": {"outcome": "selected"}}},
        {"result": {"outcome": {"outcome": "selected", "optionId": "none such"}}},
        {"result": {"outcome": {"outcome": "approved", "optionId": "allow_once"}}},
        {"error": None},
        {"error": "no"},
        {"error": {}},
        {"error": FAILED},
        {"error": FAILED, "result": ALLOW},
    ],
    ids=str,
)
async def test_what_is_not_clearly_yes_is_no(agent: AcpClient, answer: dict[str, Any]) -> None:
    session, turn, question = await asked(agent, f"no-{id(answer)}")
    agent.stage.provider.script(say("Fine."))
    reply(agent, question, **answer)
    assert await turn == {"stopReason": "end_turn"}
    assert session.card["status"] == "failed"
    assert not (session.cwd / "made").exists()


async def test_a_yes_with_an_error_that_is_null_is_one(agent: AcpClient) -> None:
    session, turn, question = await asked(agent, "null-error")
    agent.stage.provider.script(say("Done."))
    reply(agent, question, result={**ALLOW, "more": 1}, error=None)
    assert await turn == {"stopReason": "end_turn"}
    assert (session.cwd / "made").exists()


@pytest.mark.parametrize(("first", "second"), [(REJECT, ALLOW), (ALLOW, REJECT)])
async def test_of_two_answers_the_first_counts(
    agent: AcpClient, first: dict[str, Any], second: dict[str, Any]
) -> None:
    session, turn, question = await asked(agent, f"twice-{first is ALLOW}")
    agent.stage.provider.script(say("Fine."))
    reply(agent, question, result=first)
    reply(agent, question, result=second)
    assert await turn == {"stopReason": "end_turn"}
    assert (session.cwd / "made").exists() is (first is ALLOW)
    await go_on(agent, session)


async def test_answers_to_nobody_change_nothing_and_a_cancel_ends_the_wait(
    agent: AcpClient,
) -> None:
    session, turn, question = await asked(agent, "nobody")
    for wrong in (None, 7, question.upper() + "x", "", [question], {"id": question}):
        reply(agent, wrong, result=ALLOW)
        reply(agent, wrong, error=FAILED)
    await agent.request("session/list")
    assert not turn.done()
    session.cancel()
    assert await turn == {"stopReason": "cancelled"}
    reply(agent, question, result=ALLOW)
    await go_on(agent, session)
    assert not (session.cwd / "made").exists()


async def test_a_question_that_nobody_answers_holds_up_no_other_session(agent: AcpClient) -> None:
    session, turn, _ = await asked(agent, "silent")
    other = await agent.new_session()
    await go_on(agent, other)
    await agent.load_session(other.id, other.cwd)
    await agent.request("session/close", {"sessionId": session.id})
    assert await turn == {"stopReason": "cancelled"}


# What is left out, and what is too much


async def test_the_first_line_may_be_marked_and_say_things_in_the_wrong_place(
    stage: Stage,
) -> None:
    client = AcpClient(stage)
    await client.start()
    try:
        client.send_raw(b"\xef\xbb\xbf")
        told = {"protocolVersion": 1, "clientCapabilities": {**NAMED, "fs": None, "x": 1}, "y": []}
        assert (await client.request("initialize", told, valid=False))["protocolVersion"] == 1
        cwd = stage.workspace()
        stage.provider.script(say("Hello."))
        new = {"cwd": str(cwd), "zed.dev/x": {"jsonrpc": "2.0"}}
        opened = await client.request("session/new", new, valid=False)
        session = Session(client, opened["sessionId"], cwd, opened)
        assert await session.prompt("hi") == "end_turn"
        load = {"sessionId": session.id, "cwd": str(cwd)}
        await client.request("session/load", load, valid=False)
        assert session.text == "Hello.Hello."
        resume = {"sessionId": session.id, "cwd": str(cwd), "mcpServers": None}
        await client.request("session/resume", resume, valid=False)
    finally:
        await client.stop()


@pytest.mark.parametrize("session_id", [5, None, [], {}, True], ids=str)
@pytest.mark.parametrize("method", ["session/prompt", "session/load", "session/close"])
async def test_a_session_id_of_another_type_is_refused(
    agent: AcpClient, method: str, session_id: Any
) -> None:
    params = {"sessionId": session_id, "cwd": "/", "prompt": [{"type": "text", "text": "hi"}]}
    with pytest.raises(AgentError, match="sessionId") as refused:
        await agent.request(method, params, valid=False)
    assert refused.value.code == -32602


async def test_keys_that_nobody_knows_do_no_harm_and_an_unknown_block_is_named(
    agent: AcpClient,
) -> None:
    session = await agent.new_session()
    text = {"type": "text", "text": "hi", "cache": True, "annotations": None}
    params = {"sessionId": session.id, "prompt": [text], "messageId": None, "mode": "yolo"}
    unknown = {**params, "prompt": [text, {"type": "hologram", "data": 1}]}
    with pytest.raises(AgentError, match=r"prompt\[1\]") as refused:
        await agent.request("session/prompt", unknown, valid=False)
    assert refused.value.code == -32602
    agent.stage.provider.script(say("Fine."))
    result = await agent.request("session/prompt", params, valid=False)
    assert result == {"stopReason": "end_turn"}


async def test_a_prompt_that_a_client_wrapped_reaches_the_model_as_it_is(agent: AcpClient) -> None:
    text = "<previous_user_message>/help</previous_user_message>\n/model none"
    agent.stage.provider.script(say("Fine."))
    session = await agent.new_session()
    assert await session.prompt([{"type": "text", "text": text}]) == "end_turn"
    assert text in agent.stage.provider.requests[-1].messages[-1]["content"]


async def test_a_prompt_of_endless_blocks_is_refused(agent: AcpClient) -> None:
    session = await agent.new_session()
    with pytest.raises(AgentError, match="blocks") as refused:
        await session.prompt([{"type": "text", "text": "x"}] * 10_001)
    assert refused.value.code == -32602
    link = {"type": "resource_link", "name": "a", "uri": "file:///nowhere/a.py"}
    links = [{**link, "uri": f"https://example.com/{number}"} for number in range(9_000)]
    agent.stage.provider.script(say("So many."))
    assert await session.prompt(links) == "end_turn"


# At the wrong moment


async def test_a_prompt_behind_a_close_is_refused_and_runs_nothing(
    agent: AcpClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()
    agent.stage.provider.script(Reply([Text("begun"), Wait(gate)]))
    session = await agent.new_session()
    turn = session.begin("go")
    await session.wait_for_text("begun")
    at_once: list[bytes] = []
    with monkeypatch.context() as held:
        held.setattr(agent, "send_raw", at_once.append)
        closing = agent.begin("session/close", {"sessionId": session.id})
        late = session.begin("and more")
        place = {"sessionId": session.id, "cwd": str(session.cwd), "mcpServers": []}
        reopened = agent.begin("session/load", place)
    agent.send_raw(b"".join(at_once))
    assert await closing == {}
    assert await turn == {"stopReason": "cancelled"}
    for refused in (late, reopened):
        with pytest.raises(AgentError) as error:
            await refused
        assert error.value.code == -32600
    await go_on(agent, await agent.load_session(session.id, session.cwd))


async def test_an_envelope_of_another_protocol_is_refused(agent: AcpClient) -> None:
    number = len(agent.received)
    agent.send({"id": "old", "method": "session/list", "params": {}}, valid=False)
    agent.send({"jsonrpc": "2.0", "id": "odd", "method": 5}, valid=False)
    await agent.wait_for(lambda: len(agent.received) >= number + 2)
    answers = {m["id"]: m["error"]["code"] for m in agent.received[number:]}
    assert answers == {"old": -32600, "odd": -32600}
    await agent.new_session()
