"""Slash commands, and what is told right after a session opens."""

import pytest

from hermes_core.commands.table import COMMANDS
from tests.e2e.client import AcpClient
from tests.fakes.provider import say

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_commands_are_told_after_the_answer(agent: AcpClient) -> None:
    session = await agent.new_session()
    await agent.wait_for(lambda: session.updates)
    (update,) = session.of_kind("available_commands_update")
    names = [command["name"] for command in update["availableCommands"]]
    assert names == list(COMMANDS)
    about = [message for message in agent.received if session.id in str(message)]
    assert "result" in about[0]


async def test_help_is_answered_without_a_model(agent: AcpClient) -> None:
    session = await agent.new_session()
    assert await session.prompt("/help") == "end_turn"
    for part in (str(session.cwd), "test-model", "custom", "`terminal`", "`todo`", "/mode NAME"):
        assert part in session.text


async def test_a_mode_can_be_typed(agent: AcpClient) -> None:
    session = await agent.new_session()
    assert await session.prompt("/mode accept_edits") == "end_turn"
    assert session.of_kind("current_mode_update")[-1]["currentModeId"] == "accept_edits"
    await session.prompt("/mode yolo")
    assert "There is no mode" in session.text
    assert len(session.of_kind("current_mode_update")) == 1


async def test_what_only_looks_like_a_command_reaches_the_model(agent: AcpClient) -> None:
    agent.stage.provider.script(say("A program."))
    session = await agent.new_session()
    await session.prompt("/usr/bin/env is what?")
    assert agent.stage.provider.requests[-1].messages[-1]["content"] == "/usr/bin/env is what?"


async def test_help_says_why_there_is_no_model(agent: AcpClient) -> None:
    agent.stage.configure(model={"provider": "openrouter", "default": "x"})
    session = await agent.new_session()
    await session.prompt("/help")
    assert "OPENROUTER_API_KEY" in session.text
    agent.stage.configure()


async def test_commands_and_their_answers_load_again_and_reach_no_model(agent: AcpClient) -> None:
    agent.stage.provider.script(say("Hello."))
    session = await agent.new_session()
    await session.prompt("  /mode accept_edits ")
    await session.prompt("hi")
    roles = [message["role"] for message in agent.stage.provider.requests[-1].messages]
    assert roles == ["system", "user"]
    await session.prompt("/help")
    shown = session.text
    assert "Hello." in shown
    again = await agent.load_session(session.id, session.cwd)
    asked = [update["content"]["text"] for update in again.of_kind("user_message_chunk")]
    assert asked == ["/mode accept_edits", "hi", "/help"]
    assert again.text == 2 * shown


async def test_a_key_that_is_typed_is_kept_nowhere_and_reaches_no_model(agent: AcpClient) -> None:
    key = "sk-canary-typed-0123456789"
    agent.stage.provider.script(say("Hello."))
    session = await agent.new_session()
    assert await session.prompt(f"/login openrouter {key}") == "end_turn"
    await session.prompt("hi")
    assert key not in str(agent.stage.provider.requests[-1].raw)
    assert key not in str(session.updates)
    home = agent.stage.home
    files = [path for path in home.rglob("*") if path.is_file()]
    assert any(path.name.startswith("hermes_sessions.db") for path in files)
    assert [path for path in files if key.encode() in path.read_bytes()] == []
