"""Prompts that are typed while a turn runs: their order, their ends, what is shown of them."""

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from acp_server.cli.client import AcpClient
from acp_server.cli.connection import Params, RpcFailure, Then
from acp_server.cli.paper import PlainPaper
from acp_server.cli.transcript import Transcript
from acp_server.cli.turns import FAILED, Turns


class Agent:
    """An agent whose answers come when a test says so, each before anything else is noted."""

    def __init__(self) -> None:
        self.session_id = "s"
        self.asked: dict[str, tuple[asyncio.Future[Params], Then]] = {}

    async def prompt(self, text: str, then: Then) -> str:
        answer: asyncio.Future[Params] = asyncio.get_running_loop().create_future()
        self.asked[text] = answer, then
        return str((await answer)["stopReason"])

    def answer(self, text: str, reason: str = "end_turn") -> None:
        answer, then = self.asked[text]
        answer.set_result({"stopReason": reason})
        then(answer)

    def fail(self, text: str) -> None:
        answer, then = self.asked[text]
        answer.set_exception(RpcFailure(-32000, "The key was refused."))
        then(answer)

    async def hears(self, *texts: str) -> None:
        async with asyncio.timeout(30):
            while not set(texts) <= set(self.asked):
                await asyncio.sleep(0)


class Room:
    """A session on plain paper; the time that turns took is left out of what it shows."""

    def __init__(self) -> None:
        self.agent = Agent()
        self.written: list[str] = []
        self.transcript = Transcript(PlainPaper(self.written.append), Path("/repo"))
        self.turns = Turns(cast(AcpClient, self.agent), self.transcript, None, None)

    def says(self, text: str) -> None:
        chunk: dict[str, Any] = {"type": "text", "text": text}
        self.transcript.update({"sessionUpdate": "agent_message_chunk", "content": chunk})

    @property
    def shown(self) -> list[str]:
        rows = "".join(self.written).split("\n")
        return [row for row in rows if row and not row.endswith(" s")]


@pytest.fixture
def room() -> Room:
    return Room()


async def started(room: Room, *typed: str) -> "asyncio.Task[str]":
    """Begin a turn and type into it."""
    run = asyncio.ensure_future(room.turns.run("first"))
    await room.agent.hears("first")
    for line in typed:
        assert room.turns._take(line)
    await room.agent.hears(*typed)
    return run


async def test_what_waits_is_shown_when_it_begins_before_anything_of_its_turn(room: Room) -> None:
    run = await started(room, "second", "third")
    room.says("One.")
    assert room.shown == ["One."]
    for text, said in (("first", "Two."), ("second", "Three."), ("third", "")):
        room.agent.answer(text)
        room.says(said)
    assert await run == "end_turn"
    assert room.shown == ["One.", "› second", "Two.", "› third", "Three."]
    assert (room.turns.count, room.turns.typed) == (3, ["second", "third"])


async def test_what_is_answered_at_once_does_not_end_the_turn(room: Room) -> None:
    run = await started(room, "/steer left")
    assert room.shown == ["› /steer left"]
    call = {"sessionUpdate": "tool_call", "toolCallId": "1", "title": "Look", "status": "pending"}
    room.transcript.update(call)
    room.agent.answer("/steer left")
    assert room.shown == ["› /steer left"]
    room.agent.answer("first")
    assert await run == "end_turn"
    assert "not finished" in room.shown[-1]


async def test_what_is_cancelled_before_it_began_was_not_sent(room: Room) -> None:
    run = await started(room, "second", "third")
    room.agent.answer("third", "cancelled")
    assert room.shown == ["Not sent: third"]
    room.agent.answer("first", "cancelled")
    room.agent.answer("second")
    assert await run == "cancelled"
    assert room.shown == ["Not sent: third", "Stopped.", "› second"]


async def test_a_waiting_command_that_is_cancelled_was_not_sent_either(room: Room) -> None:
    run = await started(room, "/model other", "second")
    room.turns._stopping = True
    room.agent.answer("first", "cancelled")
    room.agent.answer("/model other", "cancelled")
    room.agent.answer("second", "cancelled")
    assert await run == "cancelled"
    assert room.shown[-2:] == ["Not sent: /model other", "Not sent: second"]
    assert room.shown.count("Stopped.") == 1


async def test_a_turn_that_fails_lets_the_next_one_begin(room: Room) -> None:
    run = await started(room, "second")
    room.agent.fail("first")
    assert room.shown[0] == "✗ The key was refused."
    assert room.shown[-1] == "› second"
    room.agent.answer("second")
    assert await run == FAILED


async def test_a_line_that_comes_right_after_the_last_answer_is_a_turn(room: Room) -> None:
    run = await started(room)
    room.agent.answer("first")
    assert room.turns._take("second")
    await room.agent.hears("second")
    assert room.shown == ["› second"]
    room.agent.answer("second", "max_tokens")
    assert await run == "max_tokens"


async def test_a_line_that_comes_when_all_is_over_is_not_taken(room: Room) -> None:
    run = await started(room)
    room.agent.answer("first")
    assert await run == "end_turn"
    assert not room.turns._take("second")
    assert list(room.agent.asked) == ["first"]


@pytest.mark.parametrize("line", ["/quit", " /exit ", "/new"])
async def test_what_is_the_clients_own_waits(room: Room, line: str) -> None:
    run = await started(room)
    assert not room.turns._take(line)
    assert room.shown == [f"{line.strip()} is for when nothing runs. Ctrl-C stops what runs."]
    room.agent.answer("first")
    await run
    assert list(room.agent.asked) == ["first"]
