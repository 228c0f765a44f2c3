"""Every kind of wrong input and failure gets an answer that says what is wrong."""

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.client import AcpClient
from tests.e2e.editor import AgentError
from tests.e2e.stage import KEY, Stage
from tests.fakes.provider import Cut, Reply, Text, Wait, fail, say

pytestmark = pytest.mark.asyncio(loop_scope="module")

PROMPT = [{"type": "text", "text": "hi"}]


async def raw_answer(agent: AcpClient, line: bytes) -> dict[str, Any]:
    """Send a line as it is; return the one message that comes next, an error with the id null."""
    number = len(agent.received)
    agent.send_raw(line + b"\n")
    await agent.wait_for(lambda: len(agent.received) > number)
    answer = agent.received[number]
    assert answer["id"] is None
    error: dict[str, Any] = answer["error"]
    return error


async def refusal(agent: AcpClient, method: str, params: Any) -> AgentError:
    with pytest.raises(AgentError) as error:
        await agent.request(method, params, valid=False)
    return error.value


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{nope", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"x":NaN}}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}', -32700),
        (b"[" * 100_000, -32700),
        (b'[{"jsonrpc":"2.0","id":1,"method":"session/list"}]', -32600),
        (b"[]", -32600),
        (b"42", -32600),
        (b"null", -32600),
        (b'"session/list"', -32600),
    ],
    ids=["json", "nan", "utf8", "deep", "batch", "empty batch", "number", "null", "string"],
)
async def test_a_line_that_is_no_message(agent: AcpClient, line: bytes, code: int) -> None:
    assert (await raw_answer(agent, line))["code"] == code
    await agent.request("session/list")


async def test_blank_lines_and_carriage_returns_are_no_messages(agent: AcpClient) -> None:
    number = len(agent.received)
    agent.send_raw(b"\n  \n\r\n")
    message = {"jsonrpc": "2.0", "id": "crlf", "method": "session/list", "params": {}}
    agent.send(message, end=b"\r\n")
    await agent.wait_for(lambda: len(agent.received) > number)
    assert agent.received[number]["id"] == "crlf"


@pytest.mark.parametrize(
    ("method", "params", "field"),
    [
        ("session/new", {}, "cwd"),
        ("session/new", {"cwd": "/", "mcpServers": "none"}, "mcpServers"),
        ("session/new", {"cwd": None, "mcpServers": []}, "cwd"),
        ("session/new", {"cwd": "here", "mcpServers": []}, "cwd"),
        ("session/new", {"cwd": "/no/such/folder", "mcpServers": []}, "cwd"),
        ("session/new", {"cwd": "/\ud800", "mcpServers": []}, "cwd"),
        ("session/new", {"cwd": "/", "mcpServers": [{"name": "x"}]}, "mcpServers[0]"),
        ("session/new", {"cwd": "/", "mcpServers": [], "additionalDirectories": ["x"]}, "[0]"),
        ("session/load", {"cwd": "/", "mcpServers": []}, "sessionId"),
        ("session/list", {"cursor": "nonsense"}, "cursor"),
        ("session/prompt", {"prompt": PROMPT}, "sessionId"),
        ("session/prompt", {"sessionId": "SESSION"}, "prompt"),
        ("session/prompt", {"sessionId": "SESSION", "prompt": []}, "prompt"),
        ("session/prompt", {"sessionId": "SESSION", "prompt": [{"type": "text"}]}, "text"),
        ("session/prompt", {"sessionId": "SESSION", "prompt": "hi"}, "prompt"),
        ("session/set_mode", {"sessionId": "SESSION", "modeId": "yolo"}, "modeId"),
        ("session/set_mode", {"sessionId": "SESSION"}, "modeId"),
        ("authenticate", {"methodId": "none such"}, "methodId"),
        ("authenticate", {}, "methodId"),
    ],
)
async def test_wrong_params_are_refused_by_the_name_of_the_field(
    agent: AcpClient, method: str, params: dict[str, Any], field: str
) -> None:
    if params.get("sessionId") == "SESSION":
        params = params | {"sessionId": (await agent.new_session()).id}
    error = await refusal(agent, method, params)
    assert error.code == -32602
    assert field in error.message


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("session/prompt", {"prompt": PROMPT}),
        ("session/load", {"cwd": "/", "mcpServers": []}),
        ("session/set_mode", {"modeId": "default"}),
    ],
)
async def test_an_unknown_session_is_not_found_and_never_made_up(
    agent: AcpClient, method: str, params: dict[str, Any]
) -> None:
    error = await refusal(agent, method, params | {"sessionId": "nobody"})
    assert error.code == -32002
    assert error.data == {"sessionId": "nobody"}


async def test_an_id_in_use_is_refused(agent: AcpClient) -> None:
    gate = threading.Event()
    agent.stage.provider.script(Reply([Text("one"), Wait(gate), Text(" two")]))
    session = await agent.new_session()
    answer = session.begin("go", request_id="twice")
    await session.wait_for_text("one")
    agent.expect_answer("twice", "session/prompt")
    agent.send(
        {"jsonrpc": "2.0", "id": "twice", "method": "session/list", "params": {}}, valid=False
    )
    with pytest.raises(AgentError) as refused:
        await answer
    assert refused.value.code == -32600
    gate.set()
    await agent.wait_for(lambda: agent.received[-1].get("result") == {"stopReason": "end_turn"})
    assert session.text == "one two"


@pytest.mark.parametrize(
    ("replies", "kind"),
    [
        ([fail(400, "the model is on fire")], "BadRequest"),
        ([fail(404, "no such model")], "ModelNotFound"),
        ([Reply(status=200, body="<html>captive portal</html>")] * 2, "MalformedResponse"),
    ],
    ids=["400", "404", "html"],
)
async def test_a_failure_of_the_provider_is_told_as_text_and_then_as_an_error(
    agent: AcpClient, replies: list[Reply], kind: str
) -> None:
    agent.stage.provider.script(*replies)
    session = await agent.new_session()
    with pytest.raises(AgentError) as error:
        await session.prompt("hi")
    assert error.value.code == -32603
    assert error.value.data["kind"] == kind
    assert error.value.data["details"].strip() in session.text
    agent.stage.provider.script(say("Back again."))
    assert await session.prompt("again") == "end_turn"


async def test_a_refused_key_asks_for_authentication_and_is_not_shown(agent: AcpClient) -> None:
    agent.stage.provider.script(fail(401, f"bad key {KEY}"))
    session = await agent.new_session()
    with pytest.raises(AgentError) as error:
        await session.prompt("hi")
    assert error.value.code == -32000
    assert session.text
    assert KEY not in json.dumps(agent.received)


async def test_a_stream_that_is_cut_is_told(agent: AcpClient) -> None:
    agent.stage.provider.script(Reply([Text("Once upon "), Cut()]))
    session = await agent.new_session()
    with pytest.raises(AgentError) as error:
        await session.prompt("tell me")
    assert error.value.data["kind"] == "StreamCut"
    assert session.text.startswith("Once upon ")
    assert session.text.count("Once upon ") == 1


async def test_a_client_that_takes_an_error_for_a_broken_agent_gets_text_and_an_end(
    running: Callable[..., Any], stage: Stage
) -> None:
    stage.provider.script(fail(400, "the model is on fire"))
    async with running(stage, name="toad") as client:
        session = await client.new_session()
        assert await session.prompt("hi") == "end_turn"
        assert "the model is on fire" in session.text


async def test_without_a_key_a_session_opens_and_the_prompt_says_what_to_do(
    running: Callable[..., Any], stage: Stage
) -> None:
    stage.configure(model={"provider": "openrouter", "default": "test-model"})
    async with running(stage) as client:
        session = await client.new_session()
        with pytest.raises(AgentError) as error:
            await session.prompt("hi")
        assert error.value.code == -32000
        assert "OPENROUTER_API_KEY" in session.text
        with pytest.raises(AgentError) as refused:
            await client.request("authenticate", {"methodId": "provider"})
        assert refused.value.code == -32000
        stage.configure()
        stage.provider.script(say("Now it works."))
        assert await client.request("authenticate", {"methodId": "provider"}) == {}
        assert await session.prompt("and now?") == "end_turn"


async def test_a_broken_configuration_names_file_and_line(
    running: Callable[..., Any], stage: Stage
) -> None:
    text = "model:\n  default: [1, 2]\n"
    (stage.home / "config.yaml").write_text(text, encoding="utf-8")
    async with running(stage) as client:
        with pytest.raises(AgentError) as error:
            await client.new_session()
        assert error.value.code == -32603
        assert "config.yaml" in error.value.message
        assert "2" in error.value.message


async def test_an_unknown_setting_is_told_once_with_the_one_that_was_meant(
    running: Callable[..., Any], stage: Stage
) -> None:
    stage.configure(modle={})
    stage.provider.script(say("one"), say("two"))
    async with running(stage) as client:
        session = await client.new_session()
        await session.prompt("hi")
        assert "model" in session.joined("agent_thought_chunk")
        await session.prompt("hi")
        assert session.joined("agent_thought_chunk").count("modle") == 1


async def test_a_request_before_initialize_is_refused(stage: Stage) -> None:
    client = AcpClient(stage)
    await client.start()
    error = await refusal(client, "session/new", {"cwd": str(stage.folder), "mcpServers": []})
    assert error.code == -32600
    await client.initialize()
    assert (await client.new_session()).id
    await client.stop()


async def test_a_home_inside_the_workspace_is_refused(
    running: Callable[..., Any], stage: Stage
) -> None:
    async with running(stage) as client:
        error = await refusal(client, "session/new", {"cwd": str(stage.home), "mcpServers": []})
        assert error.code == -32602
        assert "HERMES_HOME" in error.message
