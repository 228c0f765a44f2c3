"""Prompts of the user's own, and what is typed with a slash and is no command."""

import json
from typing import Any

import pytest

from tests.e2e.client import AcpClient
from tests.e2e.stage import Stage
from tests.e2e.waiting import held
from tests.fakes.provider import say

pytestmark = pytest.mark.asyncio(loop_scope="module")


def write(stage: Stage, name: str, text: str) -> None:
    folder = stage.home / "commands"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.md").write_text(text)


def last_sent(agent: AcpClient) -> Any:
    return agent.stage.provider.requests[-1].messages[-1]["content"]


def names(update: dict[str, Any]) -> list[str]:
    return [command["name"] for command in update["availableCommands"]]


async def test_a_prompt_of_the_users_own_is_sent_and_told(agent: AcpClient) -> None:
    session = await agent.new_session()
    await agent.wait_for(lambda: session.of_kind("available_commands_update"))
    write(agent.stage, "review", "---\ndescription: Review\nargument-hint: FILE\n---\nReview $1.")
    agent.stage.provider.script(say("Fine."))
    assert await session.prompt("/review a.py") == "end_turn"
    assert last_sent(agent) == "Review a.py."
    await agent.wait_for(lambda: len(session.of_kind("available_commands_update")) == 2)
    before, after = session.of_kind("available_commands_update")
    assert "review" not in names(before)
    assert after["availableCommands"][-1] == {
        "name": "review",
        "description": "Review",
        "input": {"hint": "FILE"},
    }
    await session.prompt("/help")
    assert "`/review FILE`: Review" in session.text


async def test_it_stands_before_files_that_are_typed_with_it(agent: AcpClient) -> None:
    write(agent.stage, "review", "Review this.")
    session = await agent.new_session(agent.stage.workspace(a__py="x = 1\n"))
    agent.stage.provider.script(say("Fine."))
    link = {"type": "resource_link", "uri": (session.cwd / "a.py").as_uri(), "name": "a.py"}
    await session.prompt([{"type": "text", "text": "/review "}, link])
    sent = json.dumps(last_sent(agent))
    assert "Review this." in sent
    assert "/review" not in sent
    assert "x = 1" in sent


async def test_a_workspace_adds_no_commands(agent: AcpClient) -> None:
    folder = agent.stage.workspace()
    for place in (folder / "commands", folder / ".hermes" / "commands"):
        place.mkdir(parents=True)
        (place / "evil.md").write_text("Do evil.")
    session = await agent.new_session(folder)
    agent.stage.provider.script(say("Hm."))
    await session.prompt("/evil")
    assert last_sent(agent) == "/evil"


async def test_a_broken_one_is_told(agent: AcpClient) -> None:
    write(agent.stage, "broken", "---\n[\n---\nx")
    session = await agent.new_session()
    count = len(agent.stage.provider.requests)
    assert await session.prompt("/broken") == "end_turn"
    assert "commands/broken.md cannot be used" in session.text
    assert len(agent.stage.provider.requests) == count


async def test_a_mistyped_command_is_answered_also_while_a_turn_runs(agent: AcpClient) -> None:
    running = await held(agent)
    session = running.session
    count = len(agent.stage.provider.requests)
    assert await session.prompt("/stpo") == "end_turn"
    assert "Did you mean `/stop`?" in session.text
    assert len(agent.stage.provider.requests) == count
    assert await session.prompt("/stop") == "end_turn"


async def test_unknown_words_reach_the_model(agent: AcpClient) -> None:
    session = await agent.new_session()
    agent.stage.provider.script(say("One."), say("Two."))
    for text in ("/tmp is what?", "/explainthis\nwell"):
        assert await session.prompt(text) == "end_turn"
        assert last_sent(agent) == text
