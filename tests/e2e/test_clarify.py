"""Questions of the model to the person: a form where the editor has forms, else text."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.e2e.client import FULL, AcpClient
from tests.e2e.editor import Session
from tests.fakes.provider import call, say

pytestmark = pytest.mark.asyncio(loop_scope="module")

FORMS = {**FULL, "elicitation": {"form": {}}}
QUESTION = {"question": "Which colour?", "choices": ["red", "blue"]}


@pytest_asyncio.fixture(loop_scope="module")
async def editor(stage: Any, running: Any) -> AsyncIterator[AcpClient]:
    """A client that announced forms."""
    async with running(stage, capabilities=FORMS) as client:
        yield client


async def asking(client: AcpClient) -> tuple[Session, Any]:
    """Begin a turn whose model asks; return once the question is there."""
    client.stage.provider.script(call("clarify", QUESTION, id="ask-1"))
    session = await client.new_session()
    answer = session.begin("paint it")
    await client.wait_for(lambda: client.editor.forms)
    return session, answer


def result(client: AcpClient) -> str:
    """Return what the model was told last of a tool."""
    messages = client.stage.provider.requests[-1].messages
    return str([m["content"] for m in messages if m["role"] == "tool"][-1])


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ({"action": "accept", "content": {"answer": "red"}}, "The user answered: red"),
        ({"action": "accept", "content": {"other": "green"}}, "The user answered: green"),
        ({"action": "decline"}, "The user did not answer."),
        ({"action": "cancel"}, "The user did not answer."),
    ],
)
async def test_the_answer_of_the_form_is_the_tools_result(
    editor: AcpClient, reply: dict[str, Any], told: str
) -> None:
    editor.editor.fill = lambda _: reply
    editor.stage.provider.script(call("clarify", QUESTION, id="ask-1"), say("Done."))
    session = await editor.new_session()
    assert await session.prompt("paint it") == "end_turn"
    (params,) = editor.editor.forms
    assert (params["mode"], params["message"]) == ("form", "Which colour?")
    assert (params["sessionId"], params["toolCallId"]) == (session.id, "ask-1")
    assert params["requestedSchema"]["properties"]["answer"]["enum"] == ["red", "blue"]
    assert result(editor).startswith(told)
    assert session.card["statuses"] == ["pending", "in_progress", "completed"]
    assert session.text == "Done."


@pytest.mark.parametrize("reply", [{"action": "accept"}, {"action": 3}, {}, None, []])
async def test_a_client_that_answers_nonsense_has_not_answered(
    editor: AcpClient, reply: Any
) -> None:
    editor.editor.answers_are_valid = False
    editor.editor.fill = lambda _: reply
    editor.stage.provider.script(call("clarify", QUESTION), say("Done."))
    session = await editor.new_session()
    assert await session.prompt("paint it") == "end_turn"
    assert result(editor).startswith("The user did not answer.")


async def test_a_cancel_while_the_question_waits_ends_the_turn_at_once(editor: AcpClient) -> None:
    session, answer = await asking(editor)
    question = next(m for m in editor.received if m.get("method") == "elicitation/create")
    began = time.monotonic()
    session.cancel()
    assert await answer == {"stopReason": "cancelled"}
    assert time.monotonic() - began < 10
    await editor.wait_for(lambda: question["id"] in editor.editor.withdrawn)
    assert session.card["status"] == "failed"
    late = {"action": "accept", "content": {"answer": "red"}}
    editor.send({"jsonrpc": "2.0", "id": question["id"], "result": late}, valid=False)
    editor.stage.provider.script(say("Here."))
    assert await session.prompt("go on") == "end_turn"
    assert "red" not in result(editor)


async def test_a_steer_while_the_question_waits_comes_with_its_answer(editor: AcpClient) -> None:
    reply: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    editor.editor.fill = lambda _: reply
    session, answer = await asking(editor)
    editor.stage.provider.script(say("Done."))
    assert await session.prompt("/steer and quickly") == "end_turn"
    reply.set_result({"action": "accept", "content": {"answer": "blue"}})
    assert await answer == {"stopReason": "end_turn"}
    told = result(editor)
    assert told.startswith("The user answered: blue")
    assert "and quickly" in told


async def test_the_end_of_the_connection_while_a_question_waits_leaves_nothing(
    editor: AcpClient,
) -> None:
    _, answer = await asking(editor)
    assert editor.process.stdin
    editor.process.stdin.close()
    assert await answer == {"stopReason": "cancelled"}
    code, errors = await editor.wait_for_exit()
    assert (code, errors) == (0, b"")


async def test_without_forms_the_next_message_is_the_answer(agent: AcpClient) -> None:
    agent.stage.provider.script(call("clarify", QUESTION, id="ask-text"), say(" Blue then."))
    session = await agent.new_session()
    assert await session.prompt("paint it") == "end_turn"
    assert session.text == "Which colour?\n\n1. red\n2. blue"
    assert session.card["status"] == "completed"
    assert await session.prompt("2") == "end_turn"
    messages = agent.stage.provider.requests[-1].messages
    assert [message["role"] for message in messages] == [
        *("system", "user", "assistant", "tool", "assistant", "user")
    ]
    assert messages[3]["content"] == "Asked; the user's next message is the answer."
    assert messages[-1]["content"] == "2"
    shown = session.text
    again = await agent.load_session(session.id, session.cwd)
    assert again.text == 2 * shown


async def test_the_reason_of_a_rejection_reaches_the_model(agent: AcpClient) -> None:
    rejected = {"outcome": {"outcome": "selected", "optionId": "reject_once"}}
    agent.editor.decide = lambda _: {**rejected, "_meta": {"reason": "use make instead"}}
    agent.stage.provider.script(
        call("terminal", {"command": "touch made"}, id="why-1"), say("Make then.")
    )
    session = await agent.new_session()
    assert await session.prompt("go") == "end_turn"
    assert result(agent).endswith("The user says: use make instead")


REJECTED = {"outcome": {"outcome": "selected", "optionId": "reject_once"}}


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ({"action": "accept", "content": {"reason": "use make"}}, "The user says: use make"),
        ({"action": "accept", "content": {}}, "ask the user what to do instead"),
        ({"action": "decline"}, "ask the user what to do instead"),
    ],
)
async def test_whoever_rejects_is_asked_why(
    editor: AcpClient, reply: dict[str, Any], told: str
) -> None:
    editor.editor.reset()
    editor.editor.decide = lambda _: REJECTED
    editor.editor.fill = lambda _: reply
    editor.stage.provider.script(call("terminal", {"command": "touch x"}, id="no-1"), say("Ok."))
    session = await editor.new_session()
    assert await session.prompt("go") == "end_turn"
    (params,) = editor.editor.forms
    assert params["toolCallId"] == "no-1"
    assert params["message"].endswith("touch x")
    assert told in result(editor)
    assert not (session.cwd / "x").exists()


async def test_a_cancel_ends_the_question_why(editor: AcpClient) -> None:
    editor.editor.reset()
    editor.editor.decide = lambda _: REJECTED
    editor.stage.provider.script(call("terminal", {"command": "touch x"}, id="no-2"))
    session = await editor.new_session()
    turn = session.begin("go")
    await editor.wait_for(lambda: editor.editor.forms)
    session.cancel()
    assert (await turn)["stopReason"] == "cancelled"
    await editor.wait_for(lambda: editor.editor.withdrawn)
