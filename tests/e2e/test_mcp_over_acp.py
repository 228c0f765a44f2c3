"""MCP servers that the editor serves itself, over the connection that it has to us."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from tests.e2e.client import PATIENCE, AcpClient
from tests.e2e.editor import ALLOW, AgentError, Editor, Session
from tests.e2e.test_mcp import called, offered, opened, settled
from tests.fakes import mcp_server
from tests.fakes.mcp_provider import UNKNOWN_SERVER, NoServer, Provider, tools
from tests.fakes.provider import Call, calls, say

TOOLS = {"type": "acp", "name": "tools", "serverId": "id-1"}
STRAY = {"serverId": "id-1", "requestId": "no-such", "method": "notifications/progress"}

Answer = Callable[[dict[str, Any]], Any]


class Serving(Editor):
    """An editor that serves MCP servers.

    instead: answers in the place of the servers, a result or a future; None lets them answer.
    """

    def __init__(self, client: AcpClient) -> None:
        super().__init__()
        self.hanging = asyncio.Event()
        self.provider = Provider({"id-1": tools(self.hanging)}, self._tell)
        self.instead: Answer = lambda _: None
        self.client = client

    async def answer(self, method: str, params: dict[str, Any]) -> Any:
        if method != "mcp/message":
            return await super().answer(method, params)
        other = self.instead(params)
        if other is not None:
            return await other if isinstance(other, asyncio.Future) else other
        try:
            return await self.provider.answer(params)
        except NoServer:
            error = {"code": UNKNOWN_SERVER, "message": "Unknown MCP server"}
            raise AgentError(error) from None

    def messages(self, method: str) -> list[dict[str, Any]]:
        """Return the messages of one method."""
        return [one for one in self.provider.asked if one["method"] == method]

    def _tell(self, params: dict[str, Any]) -> None:
        self.client.notify("mcp/message", params)


@pytest.fixture
async def editor(client: AcpClient) -> AsyncIterator[Serving]:
    made = client.editor = Serving(client)
    yield made
    await made.provider.close()


def never(_: dict[str, Any]) -> "asyncio.Future[Any]":
    return asyncio.get_running_loop().create_future()


def older(params: dict[str, Any]) -> dict[str, Any]:
    """Answer as a server that shakes hands first."""
    result = mcp_server.Server({}).result(params["method"], params.get("params", {})) or {}
    return {"error" if "code" in result else "result": result}


async def test_it_is_announced_offered_asked_for_and_called(
    client: AcpClient, editor: Serving
) -> None:
    assert client.initialized["agentCapabilities"]["mcpCapabilities"]["acp"] is True
    session = await opened(client, TOOLS)
    text = await called(client, session, "tools__echo", text="hello")
    assert text == '<untrusted-result server="tools" from="echo">\nhello\n</untrusted-result>'
    assert "tools__echo" in offered(client)
    (asked,) = editor.asked
    assert asked["toolCall"]["title"] == 'tools: echo {"text": "hello"}'
    assert session.card["statuses"] == ["pending", "in_progress", "completed"]
    assert "**tools** (ready, 5 tools) `over the editor's own connection`" in session.text
    assert not editor.messages("initialize")
    ids = [one["requestId"] for one in editor.provider.asked]
    assert len(set(ids)) == len(ids)


async def test_progress_is_shown_and_results_are_bounded(
    client: AcpClient, editor: Serving
) -> None:
    session = await opened(client, TOOLS)
    assert "\ndone\n" in await called(client, session, "tools__slowly")
    shown = str(session.of_kind("tool_call_update"))
    assert "half (1 of 2)" in shown
    assert len(await called(client, session, "tools__huge")) < 10_000
    assert "Error executing tool fail" in await called(client, session, "tools__fail")


async def test_a_cancel_is_answered_at_once_and_reaches_the_server(
    client: AcpClient, editor: Serving
) -> None:
    session = await opened(client, TOOLS)
    editor.decide = lambda _: ALLOW
    client.stage.provider.script(calls(Call("tools__hang", {})))
    turn = session.begin("go")
    await asyncio.wait_for(editor.hanging.wait(), PATIENCE)
    session.cancel()
    assert (await turn)["stopReason"] == "cancelled"
    while not editor.provider.cancelled:
        await asyncio.sleep(0.01)
    assert editor.provider.cancelled == ["tools/call"]
    assert "\nstill\n" in await called(client, session, "tools__echo", text="still")


async def test_the_trace_of_a_prompt_goes_with_its_calls(
    client: AcpClient, editor: Serving
) -> None:
    session = await opened(client, TOOLS)
    editor.decide = lambda _: ALLOW
    client.stage.provider.script(calls(Call("tools__echo", {"text": "x"})), say("Done."))
    trace = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    prompt = [{"type": "text", "text": "go"}]
    params = {"sessionId": session.id, "prompt": prompt, "_meta": trace}
    await client.request("session/prompt", params)
    (sent,) = editor.messages("tools/call")
    assert sent["_meta"] == trace
    assert "_meta" not in editor.messages("tools/list")[0]


async def test_every_way_to_open_a_session_takes_it(client: AcpClient, editor: Serving) -> None:
    session = await opened(client, TOOLS)
    assert "\none\n" in await called(client, session, "tools__echo", text="one")
    where = {"sessionId": session.id, "cwd": str(session.cwd), "mcpServers": [TOOLS]}
    forked = await client.request("session/fork", where)
    copy = Session(client, forked["sessionId"], session.cwd, forked)
    await settled(copy)
    assert "\ntwo\n" in await called(client, copy, "tools__echo", text="two")
    assert "\nthree\n" in await called(client, session, "tools__echo", text="three")
    for method in ("session/load", "session/resume"):
        await client.request("session/close", {"sessionId": session.id})
        await client.request(method, where)
        await settled(session)
        assert "\nfour\n" in await called(client, session, "tools__echo", text="four")


async def test_an_older_server_is_spoken_to_without_the_end_of_its_handshake(
    client: AcpClient, editor: Serving
) -> None:
    editor.instead = older
    session = await opened(client, TOOLS)
    assert "\nhello\n" in await called(client, session, "tools__echo", text="hello")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({}, "it answered with what is no answer of an MCP server"),
        ({"result": None}, "it answered with what is no answer of an MCP server"),
        ({"result": [1]}, "it answered with what is no answer of an MCP server"),
        ({"error": {"code": "x"}}, "it answered with what is no answer of an MCP server"),
        ({"error": {"code": -1, "message": "go\naway"}}, "go away"),
        ([], "the editor's line to it is closed"),
    ],
)
async def test_answers_of_any_shape_are_told_in_a_sentence(
    client: AcpClient, editor: Serving, answer: Any, told: str
) -> None:
    editor.answers_are_valid = False
    editor.instead = lambda _: answer
    session = await opened(client, TOOLS)
    editor.answers_are_valid = True
    client.stage.provider.script(say("All the same."))
    assert await session.prompt("go") == "end_turn"
    assert f"tools is not available: {told}" in session.joined("agent_thought_chunk")
    assert offered(client) == []


async def test_a_server_that_is_not_served_holds_nothing_up(
    client: AcpClient, editor: Serving
) -> None:
    session = await opened(client, {**TOOLS, "serverId": "other"}, {**TOOLS, "name": "good"})
    assert "\nyes\n" in await called(client, session, "good__echo", text="yes")
    told = "tools is not available: the editor's line to it is closed (Unknown MCP server)"
    assert told in session.joined("agent_thought_chunk")


async def test_one_that_never_answers_holds_nothing_up(client: AcpClient, editor: Serving) -> None:
    editor.instead = never
    session = await client.new_session(mcpServers=[TOOLS])
    client.stage.provider.script(say("Without."))
    assert await session.prompt("go") == "end_turn"
    assert offered(client) == []
    withdrawn = len(editor.withdrawn)
    await client.request("session/close", {"sessionId": session.id})
    await client.wait_for(lambda: len(editor.withdrawn) > withdrawn)


async def test_a_call_is_opened_once_more_after_the_line_was_lost(
    client: AcpClient, editor: Serving
) -> None:
    session = await opened(client, TOOLS)
    error = AgentError({"code": UNKNOWN_SERVER, "message": "Gone"})

    def lost(_: dict[str, Any]) -> None:
        raise error

    editor.instead = lost
    assert "it may have run" in await called(client, session, "tools__echo", text="x")
    editor.instead = lambda _: None
    assert "\nback\n" in await called(client, session, "tools__echo", text="back")


async def test_messages_that_belong_to_nothing_harm_nothing(
    client: AcpClient, editor: Serving
) -> None:
    session = await opened(client, TOOLS)
    client.notify("mcp/message", STRAY)
    used = editor.provider.asked[-1]["requestId"]
    client.notify("mcp/message", {**STRAY, "requestId": used})
    client.notify("mcp/message", {**STRAY, "serverId": "other", "requestId": used})
    client.notify("mcp/message", {"serverId": 5}, valid=False)
    client.notify("mcp/message", [], valid=False)
    with pytest.raises(AgentError) as refused:
        await client.request("mcp/message", STRAY, valid=False)
    assert refused.value.code == -32601
    assert "\nok\n" in await called(client, session, "tools__echo", text="ok")
    await client.request("session/close", {"sessionId": session.id})
    client.notify("mcp/message", {**STRAY, "requestId": used})
    again = await opened(client, TOOLS)
    assert "\nok\n" in await called(client, again, "tools__echo", text="ok")


async def test_a_flood_within_a_call_leaves_the_call_whole(
    client: AcpClient, editor: Serving
) -> None:
    session = await opened(client, TOOLS)

    def flood(params: dict[str, Any]) -> None:
        note = {key: params[key] for key in ("serverId", "requestId")}
        for number in range(2_000):
            more = {"level": "info", "data": number}
            told = {**note, "method": "notifications/message", "params": more}
            client.notify("mcp/message", told)

    editor.instead = flood
    assert "\nx\n" in await called(client, session, "tools__echo", text="x")
