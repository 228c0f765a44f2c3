"""Sessions, prompts, cancels and loads in any order.

The client holds every message to its place in the order (see ``order``); here all of it happens at
once, the same for the same seed up to the moments at which things meet.
"""

import asyncio
import random
import threading
from typing import Any

import pytest

from tests.e2e.client import AcpClient
from tests.e2e.editor import ALLOW, CANCELLED, REJECT, AgentError, Session
from tests.fakes.provider import Call, Reply, Text, Wait, calls, say

pytestmark = pytest.mark.asyncio(loop_scope="module")

STEPS = 40
REASONS = {"end_turn", "cancelled"}
REFUSALS = {-32600, -32002, -32800}
"""Busy or being moved; closed meanwhile; the request was cancelled."""

Answers = list["asyncio.Future[Any]"]


class Chaos:
    """A client that does one thing after the other, waiting for none of them."""

    def __init__(self, agent: AcpClient, seed: int) -> None:
        self.agent = agent
        self.dice = random.Random(seed)
        self.sessions: list[Session] = []
        self.answers: Answers = []
        self.prompts = 0
        self.never = threading.Event()
        self._theirs = random.Random(seed + 1)
        self._lock = threading.Lock()
        self._calls = 0
        self._seed = seed

    def model(self, _: Any) -> Reply:
        """Answer a call of the model: with text, a command that asks, or without an end."""
        with self._lock:
            self._calls += 1
            kind, number = self._theirs.randrange(5), self._calls
        if kind == 0:
            return Reply([Text("and so on "), Wait(self.never)])
        if kind == 1:
            call = Call("terminal", {"command": "touch made"}, id=f"any-{self._seed}-{number}")
            return calls(call)
        return say("a ", "few ", "words")

    def decide(self, _: dict[str, Any]) -> Any:
        """Answer a question, or do not."""
        return self.dice.choice([ALLOW, REJECT, CANCELLED, None])

    async def step(self) -> None:
        """Do one thing."""
        session = self.dice.choice(self.sessions)
        about = {"sessionId": session.id}
        place = {**about, "cwd": str(session.cwd), "mcpServers": []}
        match self.dice.randrange(10):
            case 0 | 1 | 2:
                self.prompts += 1
                name = f"any-{self._seed}-{self.prompts}"
                self.answers.append(session.begin("go", request_id=name))
            case 3 | 4:
                session.cancel()
            case 5:
                last = {"requestId": f"any-{self._seed}-{self.prompts}"}
                self.agent.notify("$/cancel_request", last)
            case 6:
                self.answers.append(self.agent.begin("session/load", place))
            case 7:
                mode = {**about, "modeId": self.dice.choice(["default", "plan"])}
                self.answers.append(self.agent.begin("session/set_mode", mode))
            case 8:
                self.answers.append(self.agent.begin("session/list"))
            case _:
                self.answers.append(self.agent.begin("session/close", about))
                self.sessions.remove(session)
                self.sessions.append(await self.agent.new_session(session.cwd))
        if self.dice.random() < 0.5:
            await self.agent.request("session/list")  # let something happen

    async def run(self) -> None:
        """Do it all, then cancel what is left; every request has an answer in the end."""
        self.sessions = [await self.agent.new_session() for _ in range(2)]
        for _ in range(STEPS):
            await self.step()
        for session in self.sessions:
            session.cancel()
        for result in await asyncio.gather(*self.answers, return_exceptions=True):
            if isinstance(result, AgentError):
                assert result.code in REFUSALS, result
            else:
                assert isinstance(result, dict), result
                assert result.get("stopReason", "end_turn") in REASONS


@pytest.mark.parametrize("seed", range(5))
async def test_every_request_is_answered_in_order(agent: AcpClient, seed: int) -> None:
    chaos = Chaos(agent, seed)
    agent.stage.provider.handler = chaos.model
    agent.editor.decide = chaos.decide
    try:
        await chaos.run()
    finally:
        agent.stage.provider.handler = None
    agent.stage.provider.script(say("Here I am."))
    session = await agent.new_session()
    assert await session.prompt("still there?") == "end_turn"
    assert session.text == "Here I am."
