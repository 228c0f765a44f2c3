"""The chain inside an editor's session: it happens, it is said once, and the primary returns."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.e2e.client import AcpClient
from tests.e2e.editor import AgentError
from tests.e2e.stage import KEY, Stage
from tests.fakes.canaries import canary
from tests.fakes.provider import Cut, FakeProvider, Finish, Reply, call, fail, say

pytestmark = pytest.mark.asyncio(loop_scope="module")

SPARE_KEY = canary("spare")
NOTICES = {"session": {"notices": {}}}


@pytest.fixture
def spare() -> Iterator[FakeProvider]:
    """A second provider, which stands in."""
    with FakeProvider(owners=["spare"]) as provider:
        yield provider


def with_chain(stage: Stage, *spares: FakeProvider, **model: Any) -> None:
    """Configure the stage's provider, and the others as its fallbacks."""
    names = {f"spare{i}": {"base_url": one.base_url} for i, one in enumerate(spares)}
    for entry in names.values():
        entry["api_key"] = SPARE_KEY
    chain = [{"provider": f"custom:{name}", "model": f"{name}-model"} for name in names]
    more: dict[str, Any] = {"model": model} if model else {}
    settings = {"agent": {"api_max_retries": 0}, "providers": names, **more}
    stage.configure(fallback_providers=chain, **settings)


def told(session: Any) -> list[str]:
    """Return what the person was told on the side."""
    text: str = session.joined("agent_thought_chunk")
    return [line for line in text.splitlines() if "Going on with" in line]


TRIGGERS = {
    "401": fail(401, "bad key"),
    "402": fail(402, "no credit"),
    "403": fail(403, "not yours"),
    "404": fail(404, "no such model"),
    "429": fail(429, "slow down", retry_after="3600"),
    "500": fail(500, "oops"),
    "503": fail(503, "busy"),
    "cut": Reply([Cut()]),
    "empty": Reply(body=""),
    "no choices": Reply(body='{"choices": null}'),
}


@pytest.mark.parametrize("failure", TRIGGERS.values(), ids=TRIGGERS)
async def test_each_trigger(agent: AcpClient, spare: FakeProvider, failure: Reply) -> None:
    with_chain(agent.stage, spare)
    agent.stage.provider.script(failure)
    spare.script(say("The spare answers."))
    before = len(agent.stage.provider.requests)
    session = await agent.new_session()
    assert await session.prompt("hi") == "end_turn"
    assert session.text == "The spare answers."
    assert len(told(session)) == 1
    assert told(session)[0].endswith("Going on with spare0-model through custom:spare0.")
    first, other = agent.stage.provider.requests[before], spare.requests[0]
    assert first.headers["authorization"] == f"Bearer {KEY}"
    assert other.headers["authorization"] == f"Bearer {SPARE_KEY}"
    assert (first.body["model"], other.body["model"]) == ("test-model", "spare0-model")
    agent.stage.configure()


async def test_the_spare_keeps_the_turn_and_the_primary_takes_the_next(
    agent: AcpClient, spare: FakeProvider
) -> None:
    with_chain(agent.stage, spare)
    session = await agent.new_session()
    (session.cwd / "a.txt").write_text("content")
    agent.stage.provider.script(fail(500, "oops"), say("The primary is back."))
    spare.script(call("read_file", {"path": "a.txt"}), say("Read."))
    await session.prompt("read")
    assert spare.requests[-1].tool_results
    await session.prompt("again")
    assert session.text == "Read.The primary is back."
    assert len(told(session)) == 1
    agent.stage.configure()


async def test_two_empty_answers(agent: AcpClient, spare: FakeProvider) -> None:
    with_chain(agent.stage, spare)
    agent.stage.provider.script(Reply([Finish("stop")]), Reply([Finish("stop")]))
    spare.script(say("The spare answers."))
    session = await agent.new_session()
    assert await session.prompt("hi") == "end_turn"
    assert session.text == "The spare answers."
    assert "answered nothing, 2 times now." in told(session)[0]
    agent.stage.configure()


async def test_when_all_fail_the_turn_ends_with_the_last_failure(
    agent: AcpClient, spare: FakeProvider
) -> None:
    with_chain(agent.stage, spare)
    agent.stage.provider.script(fail(500, "oops"))
    spare.script(fail(503, "busy too"))
    session = await agent.new_session()
    with pytest.raises(AgentError) as error:
        await session.prompt("hi")
    assert "busy too" in error.value.data["details"]
    assert "All 2 providers" in error.value.data["details"]
    agent.stage.configure()


async def test_what_another_provider_could_not_help_with(
    agent: AcpClient, spare: FakeProvider
) -> None:
    with_chain(agent.stage, spare)
    agent.stage.provider.script(
        fail(400, "maximum context length is 8"), fail(400, "content_policy_violation")
    )
    session = await agent.new_session()
    with pytest.raises(AgentError) as error:
        await session.prompt("hi")
    assert error.value.data["kind"] == "ContextOverflow"
    assert await session.prompt("hi") == "refusal"
    assert spare.requests == []
    agent.stage.configure()


async def test_a_chosen_provider_without_a_key(agent: AcpClient, spare: FakeProvider) -> None:
    with_chain(agent.stage, spare, provider="openrouter", default="a/b")
    spare.script(say("The spare answers."))
    session = await agent.new_session()
    assert await session.prompt("hi") == "end_turn"
    assert "OPENROUTER_API_KEY" in told(session)[0]
    agent.stage.configure()


async def test_a_notice_is_given_where_the_client_takes_them(
    stage: Stage, running: Callable[..., Any], spare: FakeProvider
) -> None:
    with_chain(stage, spare)
    stage.provider.script(fail(500, "oops"))
    spare.script(say("The spare answers."))
    async with running(stage, capabilities=NOTICES) as client:
        session = await client.new_session()
        await session.prompt("hi")
        (notice,) = session.of_kind("notice")
        assert notice["severity"] == "warning"
        assert "Going on with spare0-model" in notice["title"]
        assert told(session) == []


async def test_a_choice_and_a_chain_made_at_the_prompt(
    stage: Stage, running: Callable[..., Any], spare: FakeProvider
) -> None:
    with_chain(stage, spare)
    cwd = stage.workspace()
    spare.script(say("one"), say("two"))
    async with running(stage) as client:
        session = await client.new_session(cwd)
        await session.prompt("/fallback clear")
        await session.prompt("/model other --provider custom:spare0")
        assert "`other` through `custom:spare0`" in session.text
        await session.prompt("/provider")
        assert "provider custom:spare0: asked for" in session.text
        await session.prompt("hi")
    async with running(stage) as client:
        again = await client.load_session(session.id, cwd)
        await again.prompt("again")
        await again.prompt("/fallback")
        assert "no fallbacks" in again.text
    assert [request.body["model"] for request in spare.requests] == ["other", "other"]
    assert {r.headers["authorization"] for r in spare.requests} == {f"Bearer {SPARE_KEY}"}
    assert SPARE_KEY not in str(session.updates)
