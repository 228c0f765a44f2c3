"""Pages that the editor leads to, and what MCP servers ask the person, on the wire."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import pytest_asyncio

from tests.e2e.client import FULL, AcpClient
from tests.e2e.editor import ALLOW, AgentError, Session
from tests.e2e.stage import KEY, Stage
from tests.e2e.test_mcp import SCRIPT, answer, opened
from tests.fakes import mcp_server
from tests.fakes.logins import CLIENT_ID, LoginService, refused
from tests.fakes.provider import Call, calls, say

pytestmark = pytest.mark.asyncio(loop_scope="module")

BOTH = {**FULL, "elicitation": {"form": {}, "url": {}}}
FORM = {
    "message": "Which colour,\u202e and how many?",
    "requestedSchema": {
        "type": "object",
        "properties": {
            "colour": {"type": "string", "enum": ["red", "blue"]},
            "count": {"type": "integer", "minimum": 1},
        },
        "required": ["colour"],
    },
}
PAGE = {
    "mode": "url",
    "message": "Agree there.",
    "url": "https://login.example/agree?x=1",
    "elicitationId": "their-own-1",
}


@pytest_asyncio.fixture(loop_scope="module")
async def editor(stage: Stage, running: Any) -> AsyncIterator[AcpClient]:
    """A client that shows forms and pages."""
    async with running(stage, capabilities=BOTH) as client:
        client.editor.decide = lambda _: ALLOW
        yield client


@pytest.fixture
def service(stage: Stage) -> Iterator[LoginService]:
    """A login service of Nous that is set up, and asks to be asked each second."""
    with LoginService() as made:
        made.invitation["interval"] = 1
        own = {"device_url": f"{made.url}/code", "token_url": f"{made.url}/token"}
        stage.configure(auth={"nous": {"client_id": CLIENT_ID, **own}})
        yield made


def shop() -> dict[str, Any]:
    plan = {"tools": mcp_server.ASKING, "version": "2025-11-25"}
    args = [str(SCRIPT), json.dumps(plan)]
    return {"name": "shop", "command": sys.executable, "args": args, "env": []}


async def asking(client: AcpClient, ask: Any, then: str = "Done.") -> tuple[Session, Any]:
    """Begin a turn in which the server asks; return once the person is shown it."""
    client.stage.provider.script(calls(Call("shop__ask", {"ask": ask})), say(then))
    session = await opened(client, shop())
    turn = session.begin("buy it")
    await client.wait_for(lambda: client.editor.forms)
    return session, turn


def completed(client: AcpClient) -> list[str]:
    told = [m for m in client.received if m.get("method") == "elicitation/complete"]
    return [message["params"]["elicitationId"] for message in told]


def request(client: AcpClient) -> Any:
    """Return the id of the last question."""
    asked = [m for m in client.received if m.get("method") == "elicitation/create"]
    return asked[-1]["id"]


async def test_a_form_of_a_server_is_shown_as_the_servers(editor: AcpClient) -> None:
    filled = {"colour": "blue", "count": 2}
    editor.editor.fill = lambda _: {"action": "accept", "content": filled}
    session, turn = await asking(editor, FORM)
    assert await turn == {"stopReason": "end_turn"}
    (params,) = editor.editor.forms
    assert params["mode"] == "form"
    assert params["message"].startswith("The MCP server shop asks (it is the server that asks")
    assert "\\u202e" in params["message"]
    assert (params["sessionId"], params["toolCallId"]) == (session.id, session.card["toolCallId"])
    assert list(params["requestedSchema"]["properties"]) == ["colour", "count"]
    told = {"action": "accept", "content": filled}
    assert json.dumps([told]) in answer(editor)


async def test_a_page_of_a_server_is_shown_whole_and_told_to_be_done(editor: AcpClient) -> None:
    editor.editor.fill = lambda _: {"action": "accept"}
    session, turn = await asking(editor, PAGE)
    assert await turn == {"stopReason": "end_turn"}
    (params,) = editor.editor.forms
    assert (params["mode"], params["url"]) == ("url", PAGE["url"])
    assert "shop" in params["message"]
    assert completed(editor) == []
    done = {"id": PAGE["elicitationId"]}
    editor.stage.provider.script(calls(Call("shop__done", done, id="c2")), say("Done."))
    await session.prompt("go on")
    await editor.wait_for(lambda: completed(editor))
    assert completed(editor) == [params["elicitationId"]]


async def test_a_call_that_wants_a_page_first_says_to_call_again(editor: AcpClient) -> None:
    editor.editor.fill = lambda _: {"action": "accept"}
    need = calls(Call("shop__need", {"pages": [PAGE]}))
    editor.stage.provider.script(need, say("Tell me when you are done."))
    session = await opened(editor, shop())
    assert await session.prompt("go") == "end_turn"
    assert editor.editor.forms[0]["url"] == PAGE["url"]
    assert session.card["status"] == "failed"
    assert "call the tool again" in answer(editor)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ({"action": "decline"}, "decline"),
        ({"action": "cancel"}, "cancel"),
        ({"action": "_novel", "content": {"colour": "red"}}, "cancel"),
        ({"action": "accept"}, "cancel"),
        ({"action": "accept", "content": {"colour": "green"}}, "cancel"),
        ({"action": "accept", "content": {"colour": ["red"]}}, "cancel"),
        ({"action": "accept", "content": {"colour": "red", "count": "2"}}, "cancel"),
        ({"action": "accept", "content": {"colour": "red", "count": 0}}, "cancel"),
        ({"action": "accept", "content": {"colour": {"a": 1}}}, "cancel"),
        ({"action": "accept", "content": "red"}, "cancel"),
        ({"action": 3}, "cancel"),
        ({}, "cancel"),
        ([], "cancel"),
        (None, "cancel"),
    ],
)
async def test_what_is_no_answer_to_the_form_is_none_to_the_server(
    editor: AcpClient, reply: Any, told: str
) -> None:
    editor.editor.answers_are_valid = False
    editor.editor.fill = lambda _: reply
    _, turn = await asking(editor, FORM)
    assert await turn == {"stopReason": "end_turn"}
    assert json.dumps([{"action": told}]) in answer(editor)


async def test_a_second_answer_changes_nothing(editor: AcpClient) -> None:
    editor.editor.fill = lambda _: {"action": "decline"}
    session, turn = await asking(editor, FORM)
    assert await turn == {"stopReason": "end_turn"}
    late = {"action": "accept", "content": {"colour": "red"}}
    editor.send({"jsonrpc": "2.0", "id": request(editor), "result": late}, valid=False)
    editor.stage.provider.script(say("Here."))
    assert await session.prompt("go on") == "end_turn"
    assert '"red"' not in answer(editor)


async def test_a_cancel_withdraws_the_question_and_its_late_answer_is_none(
    editor: AcpClient,
) -> None:
    session, turn = await asking(editor, PAGE)
    session.cancel()
    assert await turn == {"stopReason": "cancelled"}
    await editor.wait_for(lambda: request(editor) in editor.editor.withdrawn)
    editor.send(
        {"jsonrpc": "2.0", "id": request(editor), "result": {"action": "accept"}}, valid=False
    )
    assert await session.prompt("/mcp") == "end_turn"
    assert completed(editor) == []


async def test_a_secret_is_not_asked_for_in_a_form(editor: AcpClient) -> None:
    fields = {"value": {"type": "string", "title": "API key"}}
    ask = {"message": "m", "requestedSchema": {"type": "object", "properties": fields}}
    editor.stage.provider.script(calls(Call("shop__ask", {"ask": ask})), say("Done."))
    session = await opened(editor, shop())
    assert await session.prompt("go") == "end_turn"
    assert editor.editor.forms == []
    assert '[{"action": "decline"}]' in answer(editor)
    assert "asks for a secret" in json.dumps(session.card["content"])


@pytest.mark.parametrize(
    ("announced", "ask"),
    [({"form": {}}, PAGE), ({"url": {}}, FORM), ({"form": None, "url": {}}, FORM)],
)
async def test_what_the_editor_does_not_show_is_declined(
    stage: Stage, running: Any, announced: Any, ask: Any
) -> None:
    async with running(stage, capabilities={**FULL, "elicitation": announced}) as client:
        client.editor.decide = lambda _: ALLOW
        stage.provider.script(calls(Call("shop__ask", {"ask": ask})), say("Done."))
        session = await opened(client, shop())
        assert await session.prompt("go") == "end_turn"
        assert client.editor.forms == []
        assert '[{"action": "decline"}]' in answer(client)


# Logins


@asynccontextmanager
async def connected(stage: Stage, running: Any) -> AsyncIterator[AcpClient]:
    async with running(stage, capabilities=BOTH) as client:
        yield client
        text = json.dumps(client.received)
        assert "canary" not in text.replace(KEY, "")


def login(client: AcpClient, **more: Any) -> "asyncio.Future[Any]":
    return client.begin("authenticate", {"methodId": "login", **more}, request_id="login-1")


async def test_authenticate_leads_to_the_page_and_ends_by_itself(
    stage: Stage, running: Any, service: LoginService
) -> None:
    async with connected(stage, running) as client:
        assert "login" in [method["id"] for method in client.initialized["authMethods"]]
        assert await login(client) == {}
        (params,) = client.editor.forms
        assert (params["mode"], params["requestId"]) == ("url", "login-1")
        assert params["url"] == service.invitation["verification_uri"]
        assert "nous" in params["message"]
        assert "WDJB-MJHT" in params["message"]
        assert "sessionId" not in params
        assert completed(client) == [params["elicitationId"]]
        await client.wait_for(lambda: request(client) in client.editor.withdrawn)
        assert "canary-access-1" in (stage.home / "auth.json").read_text()


async def test_who_accepts_is_waited_for_and_a_session_uses_the_login(
    stage: Stage, running: Any, service: LoginService
) -> None:
    service.polls.append(refused("authorization_pending"))
    async with connected(stage, running) as client:
        client.editor.fill = lambda _: {"action": "accept"}
        session = await client.new_session()
        assert await session.prompt("/login nous") == "end_turn"
        (params,) = client.editor.forms
        assert (params["mode"], params["sessionId"]) == ("url", session.id)
        assert "You are logged in with nous." in json.dumps(session.updates)
        assert completed(client) == [params["elicitationId"]]
        assert client.editor.withdrawn == []


@pytest.mark.parametrize("reply", [{"action": "decline"}, {"action": "cancel"}, {"action": "_new"}])
async def test_who_does_not_go_there_is_not_logged_in(
    stage: Stage, running: Any, service: LoginService, reply: Any
) -> None:
    service.invitation["interval"] = 60
    async with connected(stage, running) as client:
        client.editor.fill = lambda _: reply
        with pytest.raises(AgentError) as failed:
            await login(client)
        assert failed.value.code == -32000
        assert "page was not opened" in failed.value.data["details"]
        session = await client.new_session()
        assert await session.prompt("/login nous") == "end_turn"
        assert "page was not opened" in json.dumps(session.updates)
        assert completed(client) == []
        assert not (stage.home / "auth.json").exists()


async def test_a_login_that_is_given_up_is_withdrawn(
    stage: Stage, running: Any, service: LoginService
) -> None:
    service.invitation["interval"] = 60
    async with connected(stage, running) as client:
        waiting = login(client)
        await client.wait_for(lambda: client.editor.forms)
        client.notify("$/cancel_request", {"requestId": "login-1"})
        with pytest.raises(AgentError) as failed:
            await waiting
        assert failed.value.code == -32800
        await client.wait_for(lambda: client.editor.withdrawn == [request(client)])
        session = await client.new_session()
        turn = session.begin("/login nous")
        await client.wait_for(lambda: len(client.editor.forms) == 2)
        session.cancel()
        assert await turn == {"stopReason": "cancelled"}
        await client.wait_for(lambda: request(client) in client.editor.withdrawn)
        assert completed(client) == []


async def test_a_login_beside_a_turn_is_told_and_not_begun(
    stage: Stage, running: Any, service: LoginService
) -> None:
    async with connected(stage, running) as client:
        client.editor.decide = lambda _: None
        stage.provider.script(calls(Call("write_file", {"path": "a", "content": "b"})))
        session = await client.new_session()
        turn = session.begin("go")
        await session.wait_for_question()
        assert await session.prompt("/login nous") == "end_turn"
        assert client.editor.forms == []
        session.cancel()
        assert await turn == {"stopReason": "cancelled"}


async def test_nobody_is_logged_in_with_what_is_not_set_up(editor: AcpClient) -> None:
    with pytest.raises(AgentError) as failed:
        await editor.request("authenticate", {"methodId": "login"})
    assert "No provider is set up" in failed.value.message
    named = {"methodId": "login", "_meta": {"hermes": {"provider": "nobody"}}}
    with pytest.raises(AgentError, match="no provider"):
        await editor.request("authenticate", named)
    assert editor.editor.forms == []


async def test_without_pages_there_is_no_such_login(
    agent: AcpClient,
) -> None:
    assert "login" not in [method["id"] for method in agent.initialized["authMethods"]]
    with pytest.raises(AgentError) as failed:
        await agent.request("authenticate", {"methodId": "login"})
    assert failed.value.code == -32602
    session = await agent.new_session()
    assert await session.prompt("/login nous") == "end_turn"
    assert "Log in in a terminal" in json.dumps(session.updates)
    assert agent.editor.forms == []
