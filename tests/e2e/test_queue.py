"""Prompts that come while a turn runs: each has its turn and its answer, whatever happens."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.e2e.client import AcpClient
from tests.e2e.editor import Session
from tests.e2e.stage import Stage
from tests.e2e.waiting import held, queued, sent, thoughts, waiting
from tests.fakes.provider import Reply, Text, Wait, say

pytestmark = pytest.mark.asyncio(loop_scope="module")


def place_of(agent: AcpClient, matches: Callable[[dict[str, Any]], bool]) -> list[int]:
    return [place for place, message in enumerate(agent.received) if matches(message)]


async def test_each_has_its_turn_in_order_and_its_own_answer(agent: AcpClient) -> None:
    turn = await held(agent)
    session = turn.session
    agent.stage.provider.script(say("two"), say("three"))
    answers = [await queued(agent, session, n, text) for n, text in ((1, "b"), (2, "c"))]
    assert waiting(agent.stage, session.id) == ["b", "c"]
    turn.gate.set()
    for answer in (turn.answer, *answers):
        assert await answer == {"stopReason": "end_turn"}
    assert session.text == "begun, ended.twothree"
    assert [content for role, content in sent(agent) if role == "user"] == ["first", "b", "c"]
    assert waiting(agent.stage, session.id) == []


async def test_nothing_of_a_turn_comes_after_its_answer(agent: AcpClient) -> None:
    turn = await held(agent)
    session = turn.session
    agent.stage.provider.script(*(say(f"answer {n}") for n in range(5)))
    begun = len(agent.received)
    answers = [session.begin(f"prompt {n}", request_id=f"order-{n}") for n in range(5)]
    await agent.wait_for(lambda: "Queued as number 5:" in thoughts(session))
    turn.gate.set()
    await asyncio.gather(turn.answer, *answers)
    ends = [place_of(agent, lambda m, n=n: m.get("id") == f"order-{n}")[-1] for n in range(5)]
    texts = [place_of(agent, lambda m, n=n: f"answer {n}" in str(m)) for n in range(5)]
    assert ends == sorted(ends)
    edges = [begun, *ends]
    for n, places in enumerate(texts):
        own = [place for place in places if place >= begun]
        assert own
        assert all((edges[n] < place or n == 0) and place < edges[n + 1] for place in own)


async def test_a_flood_keeps_its_order(agent: AcpClient) -> None:
    turn = await held(agent)
    session = turn.session
    names = [f"m{n}" for n in range(30)]
    agent.stage.provider.script(*(say(name) for name in names))
    answers = [session.begin(name) for name in names]
    turn.gate.set()
    results = await asyncio.gather(turn.answer, *answers)
    assert results == [{"stopReason": "end_turn"}] * 31
    assert session.text == "begun, ended." + "".join(names)
    assert [c for role, c in sent(agent) if role == "user"] == ["first", *names]


async def test_a_cancel_drops_the_turn_and_all_that_waits(agent: AcpClient) -> None:
    turn = await held(agent)
    session = turn.session
    answers = [await queued(agent, session, n, text) for n, text in ((1, "b"), (2, "c"))]
    late = session.begin("d")
    session.cancel()
    for answer in (turn.answer, *answers, late):
        assert await answer == {"stopReason": "cancelled"}
    assert await session.prompt("/queue") == "end_turn"
    assert session.text.endswith("Nothing waits.")
    assert waiting(agent.stage, session.id) == []
    agent.stage.provider.script(say(" Here."))
    assert await session.prompt("go on") == "end_turn"
    users = [content for role, content in sent(agent) if role == "user"]
    assert users == ["first", "go on"]


async def test_cancelling_a_request_removes_that_one_alone(agent: AcpClient) -> None:
    turn = await held(agent)
    session = turn.session
    agent.stage.provider.script(say(" third."))
    second = session.begin("second", request_id="second")
    await agent.wait_for(lambda: "Queued as number 1:" in thoughts(session))
    third = await queued(agent, session, 2, "third")
    agent.notify("$/cancel_request", {"requestId": "second"})
    assert await second == {"stopReason": "cancelled"}
    assert waiting(agent.stage, session.id) == ["third"]
    turn.gate.set()
    assert await turn.answer == {"stopReason": "end_turn"}
    assert await third == {"stopReason": "end_turn"}
    assert [c for role, c in sent(agent) if role == "user"] == ["first", "third"]


async def test_stop_ends_the_turn_and_the_queue_goes_on(agent: AcpClient) -> None:
    turn = await held(agent)
    session = turn.session
    agent.stage.provider.script(say(" second."))
    second = await queued(agent, session, 1, "second")
    assert await session.prompt("/stop") == "end_turn"
    assert await turn.answer == {"stopReason": "cancelled"}
    assert await second == {"stopReason": "end_turn"}
    assert session.text == "begun second."
    assert await session.prompt("/stop") == "end_turn"
    assert "Nothing runs." in thoughts(session)


async def test_the_queue_is_listed_and_dropped_from_while_a_turn_runs(agent: AcpClient) -> None:
    turn = await held(agent)
    session = turn.session
    agent.stage.provider.script(say(" third."))
    second = await queued(agent, session, 1, "second\nline")
    third = await queued(agent, session, 2, "third")
    assert await session.prompt("/queue") == "end_turn"
    assert "1. second line\n2. third\n" in session.text
    assert "/queue run" not in session.text
    assert await session.prompt("/queue drop 3") == "end_turn"
    assert "'3' is no place in the queue" in session.text
    assert await session.prompt("/queue drop 1") == "end_turn"
    assert await second == {"stopReason": "cancelled"}
    assert await session.prompt("/queue run") == "end_turn"
    assert "Nothing was left over" in session.text
    turn.gate.set()
    assert await turn.answer == {"stopReason": "end_turn"}
    assert await third == {"stopReason": "end_turn"}


async def test_the_queue_can_be_cleared(agent: AcpClient) -> None:
    turn = await held(agent)
    session = turn.session
    answers = [await queued(agent, session, n, text) for n, text in ((1, "b"), (2, "c"))]
    assert await session.prompt("/queue clear") == "end_turn"
    for answer in answers:
        assert await answer == {"stopReason": "cancelled"}
    turn.gate.set()
    assert await turn.answer == {"stopReason": "end_turn"}


async def test_other_commands_wait_like_prompts(agent: AcpClient) -> None:
    turn = await held(agent)
    session = turn.session
    answer = session.begin("/provider")
    await agent.wait_for(lambda: "Queued as number 1:" in thoughts(session))
    assert await session.prompt("/help") == "end_turn"
    assert "Commands:" in session.text
    assert not answer.done()
    turn.gate.set()
    await turn.answer
    assert await answer == {"stopReason": "end_turn"}
    assert waiting(agent.stage, session.id) == []


async def test_retry_sends_the_last_message_again(agent: AcpClient) -> None:
    session = await agent.new_session()
    await session.prompt("/retry")
    assert "nothing to send again" in session.text
    agent.stage.provider.script(say(" one."), say(" two."))
    await session.prompt("the task")
    assert await session.prompt("/retry") == "end_turn"
    assert session.text.endswith(" one. two.")
    assert [c for role, c in sent(agent) if role == "user"] == ["the task", "the task"]


async def test_an_idle_queue_command_says_that_nothing_waits(agent: AcpClient) -> None:
    session = await agent.new_session()
    for typed in ("/queue", "/queue clear"):
        await session.prompt(typed)
    assert session.text == "Nothing waits.Nothing waits."


class TestRestart:
    """What waited is there again, is told, and is not run by itself."""

    @pytest.fixture
    def stage(self) -> Iterator[Stage]:
        made = Stage()
        yield made
        made.close()

    async def _leave(self, stage: Stage, running: Any, end: str) -> tuple[Session, list[Any]]:
        async with running(stage) as client:
            turn = await held(client)
            session = turn.session
            answers = [await queued(client, session, n, text) for n, text in ((1, "b"), (2, "c"))]
            if end == "kill":
                await client.kill()
            elif end == "eof":
                assert client.process.stdin
                client.process.stdin.close()
                await client.wait_for_exit()
            turn.gate.set()
            return session, [turn.answer, *answers]

    @pytest.mark.parametrize("end", ["kill", "eof"])
    async def test_it_is_told_listed_and_run_when_asked_for(
        self, stage: Stage, running: Any, end: str
    ) -> None:
        session, answers = await self._leave(stage, running, end)
        outcomes = await asyncio.gather(*answers, return_exceptions=True)
        if end == "eof":
            assert outcomes == [{"stopReason": "cancelled"}] * 3
        assert waiting(stage, session.id) == ["b", "c"]
        requests = len(stage.provider.requests)
        async with running(stage) as client:
            again = await client.load_session(session.id, session.cwd)
            told = thoughts(again)
            assert "2 messages were waiting: “b”, “c”." in told
            await again.prompt("/queue")
            assert "1. b\n2. c\n" in again.text
            assert len(stage.provider.requests) == requests
            stage.provider.script(say("new."), say("for b."), say("for c."))
            assert await again.prompt("something new") == "end_turn"
            assert waiting(stage, session.id) == ["b", "c"]
            assert await again.prompt("/queue run") == "end_turn"
            assert again.text.endswith("new.for b.for c.")
            users = [content for role, content in sent(client) if role == "user"]
            assert users == ["first", "something new", "b", "c"]
            assert waiting(stage, session.id) == []
            await again.prompt("/queue run")
            assert len(stage.provider.requests) == requests + 3
        async with running(stage) as client:
            last = await client.load_session(session.id, session.cwd)
            assert "waiting" not in thoughts(last)
            asked = [chunk["content"]["text"] for chunk in last.of_kind("user_message_chunk")]
            assert [text for text in asked if text in ("b", "c")] == ["b", "c"]

    async def test_it_can_be_dropped(self, stage: Stage, running: Any) -> None:
        session, answers = await self._leave(stage, running, "kill")
        await asyncio.gather(*answers, return_exceptions=True)
        async with running(stage) as client:
            again = await client.load_session(session.id, session.cwd)
            await again.prompt("/queue drop")
            assert "Forgotten: “b”, “c”." in again.text
            assert waiting(stage, session.id) == []

    async def test_a_stop_leaves_what_was_not_begun(self, stage: Stage, running: Any) -> None:
        session, answers = await self._leave(stage, running, "kill")
        await asyncio.gather(*answers, return_exceptions=True)
        async with running(stage) as client:
            again = await client.load_session(session.id, session.cwd)
            stage.provider.script(Reply([Text("on b"), Wait(threading.Event())]))
            run = again.begin("/queue run")
            await again.wait_for_text("on b")
            await again.prompt("/stop")
            assert await run == {"stopReason": "cancelled"}
            assert waiting(stage, session.id) == ["c"]

    async def test_a_cancel_drops_what_was_to_be_sent(self, stage: Stage, running: Any) -> None:
        session, answers = await self._leave(stage, running, "kill")
        await asyncio.gather(*answers, return_exceptions=True)
        async with running(stage) as client:
            again = await client.load_session(session.id, session.cwd)
            stage.provider.script(Reply([Text("on b"), Wait(threading.Event())]))
            run = again.begin("/queue run")
            await again.wait_for_text("on b")
            again.cancel()
            assert await run == {"stopReason": "cancelled"}
            await again.prompt("/queue")
            assert waiting(stage, session.id) == []


async def test_a_kill_in_the_middle_of_a_queued_turn_leaves_only_what_was_not_begun(
    stage: Stage, running: Any
) -> None:
    async with running(stage) as client:
        turn = await held(client)
        session = turn.session
        stage.provider.script(Reply([Text(" on b"), Wait(threading.Event())]))
        answers = [await queued(client, session, n, text) for n, text in ((1, "b"), (2, "c"))]
        turn.gate.set()
        await session.wait_for_text(" on b")
        await client.kill()
        await asyncio.gather(turn.answer, *answers, return_exceptions=True)
    assert waiting(stage, session.id) == ["c"]
    async with running(stage) as client:
        again = await client.load_session(session.id, session.cwd)
        stage.provider.script(say("for c."))
        assert await again.prompt("/queue run") == "end_turn"
        users = [content for role, content in sent(client) if role == "user"]
        assert users == ["first", "b", "c"]
