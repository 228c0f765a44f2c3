"""Children of a session as its editor sees them: on their parent's card, or in their own sessions.

The model is a function of the request, since children ask side by side in any order.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import psutil
import pytest

from tests.e2e.client import FULL
from tests.e2e.editor import ALLOW, REJECT, AgentError, Session
from tests.e2e.stage import Stage
from tests.e2e.waits import wait_until_idle, wait_until_stored
from tests.fakes.provider import Call, Recorded, Reply, Text, Wait, call, calls, say

SHOWS_CHILDREN = {**FULL, "subagents": {}}


class Family:
    """A model that delegates at ``go``, and whose children each run one command."""

    def __init__(self, *tasks: str) -> None:
        self.tasks = tasks
        self.results: list[str] = []

    def __call__(self, request: Recorded) -> Reply:
        messages = request.messages
        asked = [m for m in messages if m["role"] == "user"][-1]["content"]
        answered = messages[-1]["role"] == "tool"
        if asked.startswith("go"):
            if answered:
                self.results.append(messages[-1]["content"])
                return say("All done.")
            tasks = [{"task": task} for task in self.tasks]
            return calls(Call("delegate_task", {"tasks": tasks}, id=f"give-{len(messages)}"))
        return self.child(asked.split()[0], answered=answered)

    def child(self, word: str, *, answered: bool) -> Reply:
        if answered:
            return say(f"{word} is finished.")
        return call("terminal", {"command": f"echo {word} > {word}.txt"}, id="run")


@pytest.fixture
def show(stage: Stage) -> Iterator[Callable[..., Family]]:
    def make(*tasks: str) -> Family:
        family = Family(*tasks)
        stage.provider.handler = family
        return family

    return make


def children_of(session: Session) -> dict[str, list[dict[str, Any]]]:
    """Return the updates about each child, by its id, in the order of their beginnings."""
    told: dict[str, list[dict[str, Any]]] = {}
    for update in session.of_kind("subagent_update"):
        told.setdefault(update["sessionId"], []).append(update)
    return told


def in_child(session: Session, child: str) -> Session:
    return Session(session.client, child, session.cwd, {})


async def test_children_on_their_parents_card(
    stage: Stage, running: Any, show: Callable[..., Family]
) -> None:
    family = show("alpha", "beta")
    async with running(stage) as client:
        client.editor.decide = lambda p: ALLOW if "alpha" in p["toolCall"]["title"] else REJECT
        session = await client.new_session()
        assert await session.prompt("go") == "end_turn"
        assert session.text == "All done."
        assert (session.cwd / "alpha.txt").exists()
        assert not (session.cwd / "beta.txt").exists()
        assert len(client.editor.asked) == 2
        assert {asked["sessionId"] for asked in client.editor.asked} == {session.id}
        for asked in client.editor.asked:
            word = asked["toolCall"]["rawInput"]["command"].split()[1]
            reason = asked["toolCall"]["content"][-1]["content"]["text"]
            assert reason.startswith(f"Asked for the task “{word}”.")
        cards = session.cards
        parent = cards.pop("give-2")
        assert parent["statuses"][0] == "pending"
        assert parent["statuses"].count("completed") == 1
        told = [part["content"]["text"] for part in parent["content"]]
        assert [text.splitlines()[-1] for text in told] == [
            "alpha is finished.",
            "beta is finished.",
        ]
        assert sorted(card["status"] for card in cards.values()) == ["completed", "failed"]
        (result,) = family.results
        assert "## 1. alpha: completed after 2 steps\nalpha is finished." in result
        before = session.cards
    async with running(stage) as client:
        again = await client.load_session(session.id, session.cwd)
        assert {k: (c["status"], c["content"]) for k, c in again.cards.items()} == {
            k: (c["status"], c["content"]) for k, c in before.items()
        }
        assert [s["sessionId"] for s in (await client.request("session/list"))["sessions"]] == [
            session.id
        ]


async def test_children_in_sessions_of_their_own(
    stage: Stage, running: Any, show: Callable[..., Family]
) -> None:
    show("alpha", "beta")
    async with running(stage, capabilities=SHOWS_CHILDREN) as client:
        client.editor.decide = lambda p: ALLOW if "alpha" in p["toolCall"]["title"] else REJECT
        session = await client.new_session()
        assert await session.prompt("go") == "end_turn"
        told = children_of(session)
        assert sorted(updates[0]["title"] for updates in told.values()) == ["alpha", "beta"]
        for child, updates in told.items():
            assert updates[0]["state"] == {"state": "running"}
            assert updates[0]["capabilities"] == {"cancel": {}}
            assert updates[-1]["state"] == {"state": "idle", "stopReason": "end_turn"}
            states = [update["state"]["state"] for update in updates if "state" in update]
            assert states == ["running", "requires_action", "running", "idle"]
            seen, word = in_child(session, child), updates[0]["title"]
            message = seen.updates[0]
            assert message["sessionUpdate"] == "session_message"
            assert message["senderSessionId"] == session.id
            assert message["content"][0]["text"].startswith(word)
            assert list(seen.cards) == ["run"]
            assert seen.cards["run"]["status"] == ("completed" if word == "alpha" else "failed")
            assert seen.text == f"{word} is finished."
        assert {asked["sessionId"] for asked in client.editor.asked} == told.keys()
        assert list(session.cards) == ["give-2"]
        before = {child: in_child(session, child).cards for child in told}
        with pytest.raises(AgentError):
            await client.load_session(next(iter(told)), session.cwd)
    async with running(stage, capabilities=SHOWS_CHILDREN) as client:
        again = await client.load_session(session.id, session.cwd)
        for child, updates in children_of(again).items():
            assert "capabilities" not in updates[0]
            assert updates[-1]["state"]["stopReason"] == "end_turn"
            seen = in_child(again, child)
            assert seen.updates[0]["sessionUpdate"] == "session_message"
            assert seen.text.endswith("is finished.")
            assert seen.cards["run"]["status"] == before[child]["run"]["status"]
        assert list(again.cards) == ["give-2"]


@pytest.mark.parametrize("capabilities", [FULL, SHOWS_CHILDREN], ids=["card", "sessions"])
async def test_a_cancel_takes_the_children_along(
    stage: Stage, running: Any, show: Callable[..., Family], capabilities: dict[str, Any]
) -> None:
    show("alpha", "beta")
    async with running(stage, capabilities=capabilities) as client:
        client.editor.decide = lambda _: None
        session = await client.new_session()
        answer = session.begin("go")
        await session.wait_for_question()
        session.cancel()
        assert (await answer)["stopReason"] == "cancelled"
        assert session.cards["give-2"]["status"] == "failed"
        for updates in children_of(session).values():
            assert updates[-1]["state"] == {"state": "idle", "stopReason": "cancelled"}
        client.editor.decide = lambda _: REJECT
        assert await session.prompt("go again") == "end_turn"
        assert session.text.endswith("All done.")
    assert not list(session.cwd.iterdir())


async def test_one_child_is_cancelled_alone(
    stage: Stage, running: Any, show: Callable[..., Family]
) -> None:
    family = show("alpha", "beta")
    async with running(stage, capabilities=SHOWS_CHILDREN) as client:
        answers: dict[str, asyncio.Future[Any]] = {}
        loop = asyncio.get_running_loop()

        def decide(params: dict[str, Any]) -> Any:
            return answers.setdefault(params["sessionId"], loop.create_future())

        client.editor.decide = decide
        session = await client.new_session()
        answer = session.begin("go")
        first = (await session.wait_for_question())["sessionId"]
        client.notify("session/cancel", {"sessionId": first})
        second = (await session.wait_for_question(2))["sessionId"]
        answers[second].set_result(ALLOW)
        assert (await answer)["stopReason"] == "end_turn"
        states = {child: told[-1]["state"] for child, told in children_of(session).items()}
        assert states[first] == {"state": "idle", "stopReason": "cancelled"}
        assert states[second] == {"state": "idle", "stopReason": "end_turn"}
        assert "interrupted by the user after 1 step" in family.results[0]
        assert "completed after 2 steps" in family.results[0]


async def test_questions_of_children_wait_for_each_other(
    stage: Stage, running: Any, show: Callable[..., Family]
) -> None:
    show("alpha", "beta", "gamma")
    async with running(stage) as client:
        loop = asyncio.get_running_loop()
        answers: list[asyncio.Future[Any]] = []

        def decide(_params: dict[str, Any]) -> Any:
            assert all(answer.done() for answer in answers), "two questions at once"
            answers.append(loop.create_future())
            return answers[-1]

        client.editor.decide = decide
        session = await client.new_session()
        answer = session.begin("go")
        await client.wait_for(lambda: len(session.cards) == 4)  # each of them wants to ask
        for number, choice in enumerate((ALLOW, REJECT, ALLOW), 1):
            await session.wait_for_question(number)
            answers[-1].set_result(choice)
        assert (await answer)["stopReason"] == "end_turn"
        assert len(list(session.cwd.iterdir())) == 2


async def test_the_connection_ends_while_children_ask(
    stage: Stage, running: Any, show: Callable[..., Family]
) -> None:
    show("alpha", "beta")
    async with running(stage) as client:
        client.editor.decide = lambda _: None
        session = await client.new_session()
        session.begin("go").add_done_callback(lambda answer: answer.exception())
        await session.wait_for_question()
    assert not list(session.cwd.iterdir())
    async with running(stage) as client:
        again = await client.load_session(session.id, session.cwd)
        assert {card["status"] for card in again.cards.values()} == {"failed"}


@pytest.mark.parametrize("capabilities", [FULL, SHOWS_CHILDREN], ids=["card", "sessions"])
async def test_a_client_that_does_not_read_can_still_cancel_children(
    stage: Stage, running: Any, capabilities: dict[str, Any]
) -> None:
    paused, flood = threading.Event(), [Text("x" * 10_000)] * 400

    class Flood(Family):
        def child(self, word: str, *, answered: bool) -> Reply:
            return Reply([Wait(paused), *flood, Wait(threading.Event())])

    stage.provider.handler = Flood("alpha", "beta")
    async with running(stage, capabilities=capabilities) as client:
        session = await client.new_session()
        answer = session.begin("go")
        await asyncio.to_thread(stage.provider.wait_for_request, 3)
        client.pause()
        paused.set()
        await asyncio.to_thread(wait_until_idle, psutil.Process(client.process.pid))
        session.cancel()
        await asyncio.to_thread(wait_until_stored, stage, "TurnInterrupted")
        client.resume()
        assert (await answer)["stopReason"] == "cancelled"
        stage.provider.handler = lambda _: say("Still here.")
        assert await session.prompt("and now?") == "end_turn"


@pytest.mark.parametrize("capabilities", [FULL, SHOWS_CHILDREN], ids=["card", "sessions"])
async def test_children_of_a_killed_process(
    stage: Stage, running: Any, show: Callable[..., Family], capabilities: dict[str, Any]
) -> None:
    show("alpha", "beta")
    async with running(stage, capabilities=capabilities) as client:
        client.editor.decide = lambda _: None
        session = await client.new_session()
        session.begin("go").add_done_callback(lambda answer: answer.exception())
        await session.wait_for_question()
        await client.kill()
    async with running(stage, capabilities=capabilities) as client:
        again = await client.load_session(session.id, session.cwd)
        assert {card["status"] for card in again.cards.values()} == {"failed"}
        for updates in children_of(again).values():
            assert updates[-1]["state"] == {"state": "idle"}
        stage.provider.handler = lambda request: say(
            "It may." if "it may have run" in str(request.messages) else "No."
        )
        assert await again.prompt("what now") == "end_turn"
        assert again.text.endswith("It may.")
