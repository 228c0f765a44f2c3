"""Models that misbehave, in an editor: an answer or a clear stop, each message once."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.client import AcpClient
from tests.e2e.editor import ALLOW, AgentError
from tests.fakes.provider import Call, Finish, Reasoning, Reply, Text, call, calls, say

pytestmark = pytest.mark.asyncio(loop_scope="module")


def messages(session: Any) -> set[str]:
    return {chunk["messageId"] for chunk in session.of_kind("agent_message_chunk")}


async def test_an_answer_cut_by_length_is_continued_as_one_message(agent: AcpClient) -> None:
    agent.stage.provider.script(
        Reply([Text("one "), Finish("length")]),
        Reply([Text("two "), Finish("length")]),
        say("three"),
    )
    session = await agent.new_session()
    assert await session.prompt("count") == "end_turn"
    assert session.text == "one two three"
    assert len(messages(session)) == 1
    loaded = await agent.load_session(session.id, session.cwd)
    assert loaded.text.removeprefix("one two three") == "one two three"


async def test_an_answer_that_is_cut_again_and_again(agent: AcpClient) -> None:
    agent.stage.provider.script(*[Reply([Text("x"), Finish("length")])] * 5)
    session = await agent.new_session()
    assert await session.prompt("go") == "max_tokens"
    assert session.text == "xxxxx"


async def test_a_cut_call_is_not_run_and_asked_for_again(agent: AcpClient) -> None:
    cut = Reply([Call("write_file", '{"path": "made", "content": "a'), Finish("length")])
    whole = call("write_file", {"path": "made", "content": "all"})
    agent.stage.provider.script(cut, whole, say("done"))
    agent.editor.decide = lambda _: ALLOW
    session = await agent.new_session()
    assert await session.prompt("go") == "end_turn"
    assert (session.cwd / "made").read_text() == "all"
    assert len(session.cards) == 1


@pytest.mark.parametrize(
    ("answer", "count", "words"),
    [(say(""), 2, "empty answer twice"), (Reply([Reasoning("Hm.")]), 3, "gave no answer")],
    ids=["empty", "thought"],
)
async def test_no_answer_at_all_is_an_error(
    agent: AcpClient, answer: Reply, count: int, words: str
) -> None:
    agent.stage.provider.script(*[answer] * count)
    session = await agent.new_session()
    with pytest.raises(AgentError) as error:
        await session.prompt("go")
    assert words in str(error.value)
    assert words in session.text
    agent.stage.provider.script(say("back"))
    assert await session.prompt("again") == "end_turn"


async def test_tools_that_do_not_exist_end_the_turn_in_words(agent: AcpClient) -> None:
    agent.stage.provider.script(*[call(f"wish_{n}") for n in range(3)])
    session = await agent.new_session()
    assert await session.prompt("go") == "end_turn"
    assert "tools that do not exist" in session.text
    assert {card["status"] for card in session.cards.values()} == {"failed"}


async def test_a_call_that_fails_on_and_on_is_said_and_stopped(agent: AcpClient) -> None:
    agent.stage.provider.script(*[call("read_file", {"path": "missing"})] * 5)
    session = await agent.new_session()
    assert await session.prompt("go") == "end_turn"
    assert "failed 2 times" in session.joined("agent_thought_chunk")
    assert "the same call 5 times" in session.text


async def test_a_call_made_twice_in_one_answer_is_run_once(agent: AcpClient) -> None:
    twice = [Call("terminal", {"command": "echo x >> log"}, id=f"twice-{n}") for n in range(2)]
    agent.stage.provider.script(calls(*twice), say("done"))
    agent.editor.decide = lambda _: ALLOW
    session = await agent.new_session()
    assert await session.prompt("go") == "end_turn"
    assert (Path(session.cwd) / "log").read_text() == "x\n"
    assert [card["status"] for card in session.cards.values()] == ["completed"] * 2


async def test_a_replay_tells_what_was_not_run(agent: AcpClient) -> None:
    both = [Call("terminal", {"command": f"sleep 600; echo {n}"}, id=f"stop-{n}") for n in range(2)]
    agent.stage.provider.script(calls(*both))
    agent.editor.decide = lambda _: ALLOW
    session = await agent.new_session()
    turn = session.begin("go")
    await session.wait_for_card("in_progress")
    session.cancel()
    assert (await turn)["stopReason"] == "cancelled"
    loaded = await agent.load_session(session.id, session.cwd)
    assert "Not run: terminal sleep 600; echo 1." in loaded.joined("agent_thought_chunk")
