"""A conversation that is too long for its model, in an editor's session."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.client import FULL, AcpClient
from tests.e2e.editor import Session
from tests.e2e.stage import KEY, Stage
from tests.fakes.provider import Reply, Text, Wait, say
from tests.hermes_core.agent.compression.talker import SUMMARY, Talker

SHOWS = {**FULL, "session": {"compaction": {}, "notices": {}}}
LONG = "Look at this. " * 1_000
"""About 3,500 tokens."""


@pytest.fixture
def talker(stage: Stage) -> Talker:
    talker = Talker()
    stage.provider.handler = talker
    model = {
        "provider": "custom",
        "default": "test-model",
        "base_url": stage.provider.base_url,
        "api_key": KEY,
        "context_length": 48_000,
    }
    stage.configure(model=model)
    return talker


async def talk(session: Session, prompts: int) -> None:
    for number in range(prompts):
        assert await session.prompt(f"{number}: {LONG}") == "end_turn"


def compactions(session: Session) -> list[str]:
    return [update["status"] for update in session.of_kind("compaction_update")]


async def test_a_long_conversation_is_summarised_and_goes_on_after_a_kill(
    stage: Stage, talker: Talker, running: Callable[..., Any]
) -> None:
    async with running(stage, capabilities=SHOWS) as client:
        session = await client.new_session()
        await talk(session, 8)
        assert compactions(session)[:2] == ["in_progress", "completed"]
        begun, done = session.of_kind("compaction_update")[:2]
        assert begun["compactionId"] == done["compactionId"]
        assert SUMMARY in done["summary"][0]["text"]
        sizes = done["_meta"]["hermes"]
        assert sizes["afterTokens"] < sizes["beforeTokens"]
        sent = talker.chats[-1].body["messages"]
        await client.kill()
    made = len(talker.summaries)
    async with running(stage, capabilities=SHOWS) as client:
        again = await client.load_session(session.id, session.cwd)
        assert compactions(again) == ["completed"] * made
        assert again.joined("user_message_chunk").count("Look at this.") == 8_000
        assert await again.prompt("go on") == "end_turn"
    after = talker.chats[-1].body["messages"]
    assert after[: len(sent)] == sent
    assert any(SUMMARY in str(message["content"]) for message in after)
    assert after[-1]["content"] == "go on"
    assert len(talker.summaries) == made


async def test_it_can_be_asked_for_and_is_a_status_for_other_clients(
    stage: Stage, talker: Talker, running: Callable[..., Any]
) -> None:
    async with running(stage) as client:
        session = await client.new_session()
        assert await session.prompt("/compress") == "end_turn"
        assert "nothing to summarise yet" in session.text
        await talk(session, 5)
        assert await session.prompt("/compress the parser") == "end_turn"
        assert "messages were summarised" in session.text
        assert "Summarising the conversation" in session.joined("agent_thought_chunk")
        assert "the parser" in str(talker.summaries[-1].messages)
        assert session.of_kind("compaction_update") == []
        assert await session.prompt("go on") == "end_turn"
    assert any(SUMMARY in str(message["content"]) for message in talker.chats[-1].messages)


async def test_a_kill_in_the_middle_of_a_summary_leaves_the_conversation_whole(
    stage: Stage, talker: Talker, running: Callable[..., Any]
) -> None:
    talker.summarises = [Reply([Text("## Goal"), Wait(threading.Event())])]
    async with running(stage, capabilities=SHOWS) as client:
        session = await client.new_session()
        await talk(session, 5)
        before = talker.chats[-1].body["messages"]
        session.begin("/compress").add_done_callback(lambda answer: answer.exception())
        await wait_for(client, lambda: len(talker.summaries) == 1)
        await client.kill()
    talker.summarises = [say(SUMMARY)]
    async with running(stage, capabilities=SHOWS) as client:
        session = await client.load_session(session.id, session.cwd)
        assert compactions(session) == []
        assert await session.prompt("go on") == "end_turn"
    assert talker.chats[-1].body["messages"][: len(before)] == before


async def test_a_cancel_during_the_summary_is_answered_and_changes_nothing(
    stage: Stage, talker: Talker, running: Callable[..., Any]
) -> None:
    talker.summarises = [Reply([Text("## Goal"), Wait(threading.Event())]), say(SUMMARY)]
    async with running(stage, capabilities=SHOWS) as client:
        session = await client.new_session()
        await talk(session, 5)
        before = talker.chats[-1].body["messages"]
        asked = session.begin("/compress")
        await wait_for(client, lambda: len(talker.summaries) == 1)
        session.cancel()
        assert (await asked)["stopReason"] == "cancelled"
        assert compactions(session) == ["in_progress", "cancelled"]
        assert await session.prompt("go on") == "end_turn"
    assert talker.chats[-1].body["messages"][: len(before)] == before


async def wait_for(_client: AcpClient, holds: Callable[[], bool]) -> None:
    """Wait until the provider has seen something; nothing else is to be waited for."""
    while not holds():
        await asyncio.sleep(0.01)
