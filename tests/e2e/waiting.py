"""Turns that go on as long as a test wants, and what waits behind them."""

import threading
from typing import Any

from hermes_core.sessions.queue import Queue
from hermes_core.sessions.store import FILE_NAME, Store
from tests.e2e.client import AcpClient
from tests.e2e.editor import Session
from tests.e2e.stage import Stage
from tests.fakes.provider import Reply, Text, Wait


class Held:
    """A turn that goes on as long as a test wants."""

    def __init__(self, agent: AcpClient, session: Session) -> None:
        self.gate = threading.Event()
        self.session = session
        agent.stage.provider.script(Reply([Text("begun"), Wait(self.gate), Text(", ended.")]))
        self.answer = session.begin("first")

    async def begun(self) -> None:
        await self.session.wait_for_text("begun")


async def held(agent: AcpClient) -> Held:
    turn = Held(agent, await agent.new_session())
    await turn.begun()
    return turn


async def queued(agent: AcpClient, session: Session, number: int, text: str) -> Any:
    """Send a prompt that has to wait; return the future of its answer once it waits."""
    answer = session.begin(text)
    await agent.wait_for(lambda: f"Queued as number {number}:" in thoughts(session))
    return answer


def thoughts(session: Session) -> str:
    return session.joined("agent_thought_chunk")


def waiting(stage: Stage, session_id: str) -> list[Any]:
    """Return what the store of the stage says waits."""
    store = Store(stage.home / FILE_NAME)
    try:
        return [message.content for message in Queue(store, session_id).all()]
    finally:
        store.close()


def sent(agent: AcpClient, number: int = -1) -> list[Any]:
    """Return role and content of what a request sent, the system prompt aside."""
    messages = agent.stage.provider.requests[number].messages[1:]
    return [(message["role"], message["content"]) for message in messages]
