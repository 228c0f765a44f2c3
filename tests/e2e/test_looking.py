"""Commands that show what a session is made of, and what it did."""

import pytest

from tests.e2e.client import AcpClient
from tests.e2e.editor import ALLOW
from tests.fakes.provider import call, say

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_the_context_is_shown_before_and_after_a_turn(agent: AcpClient) -> None:
    agent.stage.provider.script(say("Hello there."))
    session = await agent.new_session()
    await session.prompt("/context")
    assert "system prompt" in session.text
    assert "your messages" not in session.text
    await session.prompt("hello")
    await session.prompt("/context")
    assert "your messages" in session.text
    assert "The provider counted" in session.text


async def test_a_loaded_session_shows_its_context(agent: AcpClient) -> None:
    agent.stage.provider.script(say("Hello there."))
    session = await agent.new_session()
    await session.prompt("hello")
    again = await agent.load_session(session.id, session.cwd)
    await again.prompt("/context")
    assert "your messages" in again.text


async def test_tools_are_listed(agent: AcpClient) -> None:
    session = await agent.new_session()
    await session.prompt("/tools")
    assert "| `terminal` |" in session.text
    await session.prompt("/tools terminal")
    assert '"command"' in session.text


async def test_the_difference_is_shown(agent: AcpClient) -> None:
    session = await agent.new_session(agent.stage.workspace(a__py="one\n"))
    await session.prompt("/diff")
    assert "changed no files so far" in session.text
    agent.editor.decide = lambda _: ALLOW
    agent.stage.provider.script(
        call("read_file", {"path": "a.py"}),
        call("write_file", {"path": "a.py", "content": "two\n"}),
        say("Done."),
    )
    await session.prompt("change it")
    await session.prompt("/diff a.py")
    assert "`a.py`: +1 \u22121" in session.text
    assert "-one\n+two" in session.text
    await session.prompt("/diff b.py")
    assert "changed nothing at 'b.py'" in session.text


async def test_the_doctor_and_the_logout_answer(agent: AcpClient) -> None:
    session = await agent.new_session()
    await session.prompt("/doctor")
    assert "Ready: a prompt can be sent." in session.text
    await session.prompt("/logout")
    assert "No key and no login is stored" in session.text


async def test_a_plan_is_made_in_plan_mode(agent: AcpClient) -> None:
    agent.stage.provider.script(say("First this."))
    session = await agent.new_session()
    assert await session.prompt("/plan how?") == "end_turn"
    assert session.of_kind("current_mode_update")[-1]["currentModeId"] == "plan"
    said = agent.stage.provider.requests[-1].messages[-1]["content"]
    assert said.startswith("how?\n\n[Hermes: plan mode.")
    count = len(agent.stage.provider.requests)
    await session.prompt("/init")
    assert "cannot be written in plan mode" in session.text
    assert len(agent.stage.provider.requests) == count


async def test_instructions_are_written_through_the_usual_question(agent: AcpClient) -> None:
    agent.stage.provider.script(
        call("write_file", {"path": "AGENTS.md", "content": "# Rules\n"}), say("Written.")
    )
    session = await agent.new_session()
    agent.editor.decide = lambda _: ALLOW
    assert await session.prompt("/init briefly") == "end_turn"
    assert (session.cwd / "AGENTS.md").read_text() == "# Rules\n"
    assert agent.editor.asked
    assert "briefly" in str(agent.stage.provider.requests[-2].messages)
