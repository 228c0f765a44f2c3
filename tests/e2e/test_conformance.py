"""What the protocol demands of every agent, one demand a test.

That every line is a JSON-RPC message which the official schema allows, in UTF-8, and that each
answer belongs to one request, is checked by the client for every test of this folder.
"""

import pytest

from tests.e2e.client import AcpClient
from tests.e2e.editor import AgentError
from tests.fakes.provider import Call, calls, say

pytestmark = pytest.mark.asyncio(loop_scope="module")

STOP_REASONS = {"end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"}


# Messages


@pytest.mark.parametrize("request_id", [7001, "seven", -3, "", 2**53])
async def test_an_id_is_echoed_in_type_and_value(agent: AcpClient, request_id: int | str) -> None:
    await agent.request("session/list", request_id=request_id)
    answer = next(m for m in reversed(agent.received) if "result" in m)
    assert answer["id"] == request_id
    assert type(answer["id"]) is type(request_id)


async def test_a_notification_gets_no_answer(agent: AcpClient) -> None:
    before = len(agent.received)
    agent.notify("session/cancel", {"sessionId": "nobody"})
    agent.notify("_vendor/noise", {"a": 1})
    agent.notify("no/such", {}, valid=False)
    await agent.request("session/list")
    assert len(agent.received) == before + 1


async def test_an_unknown_method_is_not_found(agent: AcpClient) -> None:
    with pytest.raises(AgentError) as error:
        await agent.request("no/such", valid=False)
    assert error.value.code == -32601


async def test_an_extension_request_gets_some_answer(agent: AcpClient) -> None:
    with pytest.raises(AgentError) as error:
        await agent.request("_vendor/thing", {"a": 1})
    assert error.value.code == -32601


async def test_the_agent_is_usable_after_an_error(agent: AcpClient) -> None:
    with pytest.raises(AgentError):
        await agent.request("session/new", {"cwd": "relative", "mcpServers": []})
    assert (await agent.new_session()).id


async def test_an_error_has_a_code_and_a_message_of_one_line(agent: AcpClient) -> None:
    with pytest.raises(AgentError) as error:
        await agent.request("session/prompt", {"sessionId": "nobody", "prompt": []})
    assert isinstance(error.value.code, int)
    assert error.value.message.strip()
    assert "\n" not in error.value.message


async def test_meta_is_accepted_everywhere(agent: AcpClient) -> None:
    agent.stage.provider.script(say("traced"))
    meta = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "x/y": {}}
    session = await agent.new_session(_meta=meta)
    params = {
        "sessionId": session.id,
        "prompt": [{"type": "text", "text": "hi", "_meta": meta}],
        "_meta": meta,
    }
    assert (await agent.request("session/prompt", params))["stopReason"] == "end_turn"


# Initialization


async def test_version_1_is_answered_with_version_1(agent: AcpClient) -> None:
    assert agent.initialized["protocolVersion"] == 1


@pytest.mark.parametrize("version", [0, 2, 65535])
async def test_an_unknown_version_is_answered_with_our_own(agent: AcpClient, version: int) -> None:
    assert (await agent.initialize(version))["protocolVersion"] == 1


async def test_the_agent_says_what_it_is(agent: AcpClient) -> None:
    info = agent.initialized["agentInfo"]
    assert info["name"] == "hermes"
    assert info["version"]


async def test_auth_methods_have_unique_ids_and_one_is_of_the_agent(agent: AcpClient) -> None:
    methods = agent.initialized["authMethods"]
    assert len({method["id"] for method in methods}) == len(methods)
    assert any(method.get("type", "agent") == "agent" for method in methods)


async def test_a_terminal_method_is_not_told_to_a_client_that_has_none(agent: AcpClient) -> None:
    assert all(method.get("type") != "terminal" for method in agent.initialized["authMethods"])


async def test_after_authenticating_a_session_opens(agent: AcpClient) -> None:
    for method in agent.initialized["authMethods"]:
        assert await agent.request("authenticate", {"methodId": method["id"]}) == {}
    assert (await agent.new_session()).id


# Sessions


async def test_a_session_opens_without_mcp_servers(agent: AcpClient) -> None:
    assert (await agent.new_session(mcpServers=[])).id


async def test_sessions_have_ids_of_their_own(agent: AcpClient) -> None:
    cwd = agent.stage.workspace()
    ids = [(await agent.new_session(cwd)).id for _ in range(3)]
    assert len(set(ids)) == 3


async def test_additional_directories_are_accepted_as_announced(agent: AcpClient) -> None:
    assert "additionalDirectories" in agent.initialized["agentCapabilities"]["sessionCapabilities"]
    agent.stage.provider.script(say("Hello."))
    more = str(agent.stage.workspace())
    session = await agent.new_session(additionalDirectories=[more])
    await session.prompt("hi")
    listed = await agent.request("session/list", {"cwd": str(session.cwd)})
    assert listed["sessions"][0]["additionalDirectories"] == [more]


async def test_options_are_not_boolean_unless_announced(agent: AcpClient) -> None:
    options = (await agent.new_session()).opened.get("configOptions", [])
    assert all(option["type"] != "boolean" for option in options)


async def test_the_current_mode_is_one_of_those_there_are(agent: AcpClient) -> None:
    modes = (await agent.new_session()).opened["modes"]
    assert modes["currentModeId"] in [mode["id"] for mode in modes["availableModes"]]


async def test_a_mode_can_be_set_and_is_told(agent: AcpClient) -> None:
    session = await agent.new_session()
    for mode in reversed(session.opened["modes"]["availableModes"]):
        params = {"sessionId": session.id, "modeId": mode["id"]}
        assert await agent.request("session/set_mode", params) == {}
        await agent.wait_for(
            lambda mode=mode: (
                {"sessionUpdate": "current_mode_update", "currentModeId": mode["id"]}
                in session.updates
            )
        )


async def test_the_list_of_another_folder_is_empty(agent: AcpClient) -> None:
    result = await agent.request("session/list", {"cwd": str(agent.stage.workspace())})
    assert result == {"sessions": []}


async def test_a_prompted_session_is_listed_and_loads_with_all_of_it_before_the_answer(
    agent: AcpClient,
) -> None:
    agent.stage.provider.script(say("It is a test."))
    session = await agent.new_session()
    await session.prompt("What is this?")
    listed = await agent.request("session/list", {"cwd": str(session.cwd)})
    assert [info["sessionId"] for info in listed["sessions"]] == [session.id]
    seen = len(session.updates)
    loaded = await agent.load_session(session.id, session.cwd)
    assert loaded.opened["modes"]["currentModeId"] == "default"
    replayed = session.updates[seen:]
    assert [u["sessionUpdate"] for u in replayed][:2] == [
        "user_message_chunk",
        "agent_message_chunk",
    ]
    assert replayed[0]["content"]["text"] == "What is this?"
    assert replayed[1]["content"]["text"] == "It is a test."


# Prompts


async def test_a_prompt_ends_with_a_known_reason_and_nothing_comes_after(agent: AcpClient) -> None:
    agent.stage.provider.script(say("Hello", ", ", "world"), say("again"))
    session = await agent.new_session()
    assert await session.prompt("hi") in STOP_REASONS
    end = len(agent.received)
    await agent.request("session/list")
    assert len(agent.received) == end + 1
    assert await session.prompt("and again") == "end_turn"


async def test_updates_belong_to_their_session(agent: AcpClient) -> None:
    agent.stage.provider.script(say("for the first"))
    first, second = await agent.new_session(), await agent.new_session()
    await first.prompt("hi")
    assert first.text == "for the first"
    assert second.text == ""


async def test_a_resource_link_is_accepted_and_reaches_the_model(agent: AcpClient) -> None:
    agent.stage.provider.script(say("I see."))
    session = await agent.new_session()
    link = {"type": "resource_link", "uri": (session.cwd / "a.py").as_uri(), "name": "a.py"}
    assert await session.prompt([{"type": "text", "text": "Look at "}, link]) == "end_turn"
    sent = agent.stage.provider.requests[-1].messages[-1]["content"]
    assert sent.startswith("Look at [@a.py](a.py)\n\n[a.py: not read: a.py does not exist.")


async def test_an_embedded_resource_is_accepted_as_announced(agent: AcpClient) -> None:
    assert agent.initialized["agentCapabilities"]["promptCapabilities"]["embeddedContext"]
    agent.stage.provider.script(say("I see."))
    session = await agent.new_session()
    resource = {"uri": (session.cwd / "a.py").as_uri(), "text": "answer = 42"}
    assert await session.prompt([{"type": "resource", "resource": resource}]) == "end_turn"
    assert "answer = 42" in agent.stage.provider.requests[-1].messages[-1]["content"]


async def test_a_cancelled_prompt_ends_cancelled_and_nothing_comes_after(agent: AcpClient) -> None:
    agent.stage.provider.script(
        calls(Call("terminal", {"command": "touch made"}, id="cancelled-1")),
        say("after the cancel"),
    )
    session = await agent.new_session()
    agent.editor.decide = lambda _: None
    answer = session.begin("wait")
    await session.wait_for_question()
    session.cancel()
    assert await answer == {"stopReason": "cancelled"}
    end = len(agent.received)
    await agent.request("session/list")
    assert len(agent.received) == end + 1
    assert await session.prompt("go on") == "end_turn"


async def test_text_of_any_kind_is_one_line_of_utf_8(agent: AcpClient) -> None:
    text = "Grüße, 世界 🙂\r\nnext\u2028line\x0b\x85 \x00 end\n"
    agent.stage.provider.script(say(text))
    session = await agent.new_session()
    await session.prompt("Say something odd.")
    assert session.text == text


# Capabilities of the client


async def test_a_client_without_files_and_terminals_is_asked_for_none(bare: AcpClient) -> None:
    bare.stage.provider.script(
        calls(Call("read_file", {"path": "a.txt"}, id="bare-1")),
        calls(Call("write_file", {"path": "b.txt", "content": "new\n"}, id="bare-2")),
        calls(Call("terminal", {"command": "touch made"}, id="bare-3")),
        say("done"),
    )
    session = await bare.new_session(bare.stage.workspace(a__txt="old\n"))
    bare.editor.decide = lambda _: {"outcome": {"outcome": "selected", "optionId": "allow_once"}}
    assert await session.prompt("work") == "end_turn"
    asked = {m["method"] for m in bare.received if "id" in m and "method" in m}
    assert asked == {"session/request_permission"}
    assert (session.cwd / "b.txt").read_text(encoding="utf-8") == "new\n"
