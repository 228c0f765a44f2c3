"""A provider in trouble: what the editor shows at once, and how the turn ends."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.client import AcpClient
from tests.e2e.editor import AgentError, Session
from tests.e2e.stage import KEY, Stage
from tests.fakes.provider import FakeProvider, fail, say

NOTICES = {"session": {"notices": {}}}


def shown_when(client: AcpClient, session: Session, pattern: str) -> Any:
    """Return a condition: something that the session was told on the side matches."""

    def matches() -> re.Match[str] | None:
        text = session.joined("agent_thought_chunk")
        text += "".join(notice["title"] for notice in session.of_kind("notice"))
        return re.search(pattern, text)

    del client
    return matches


@pytest.mark.parametrize("capabilities", [{}, NOTICES], ids=["thoughts", "notices"])
async def test_a_wait_is_told_at_once_with_its_end_and_what_comes_next(
    stage: Stage, running: Callable[..., Any], capabilities: dict[str, Any]
) -> None:
    stage.configure(agent={"api_max_retries": 2})
    stage.provider.script(fail(429, "slow down", retry_after="600"))
    async with running(stage, capabilities=capabilities) as client:
        session = await client.new_session()
        turn = session.begin("hi")
        said = await client.wait_for(
            shown_when(
                client,
                session,
                r"(custom.*429.*) Trying again in (\d+) s, at (\d\d:\d\d:\d\d) "
                r"\(1 of 2, then the turn ends\)",
            )
        )
        assert 600 <= int(said[2]) <= 660
        assert not turn.done()
        session.cancel()
        assert (await turn)["stopReason"] == "cancelled"
    assert len(stage.provider.requests) == 1


async def test_the_fallback_that_comes_next_is_named(
    stage: Stage, running: Callable[..., Any]
) -> None:
    with FakeProvider(owners=["custom"], models=[]) as spare:
        stage.configure(
            agent={"api_max_retries": 1},
            providers={"spare": {"base_url": spare.base_url, "api_key": KEY}},
            fallback_providers=[{"provider": "custom:spare", "model": "small"}],
        )
        stage.provider.script(fail(503, "busy", retry_after="1"), fail(503, "busy"))
        spare.script(say("Here I am."))
        async with running(stage) as client:
            session = await client.new_session()
            assert await session.prompt("hi") == "end_turn"
            assert shown_when(client, session, r"then small through custom:spare is asked")()
            assert shown_when(client, session, r"Going on with small through custom:spare")()
            assert session.text == "Here I am."


async def test_a_refused_key_ends_the_turn_with_its_cause(client: AcpClient) -> None:
    client.stage.provider.script(fail(401, "invalid key"))
    session = await client.new_session()
    with pytest.raises(AgentError) as error:
        await session.prompt("hi")
    assert error.value.code == -32000
    assert error.value.data["kind"] == "AuthFailed"
    assert "custom" in error.value.message
    assert "401" in error.value.data["details"]
    assert error.value.data["details"].strip() in session.text


async def test_what_the_provider_asks_for_stands_in_the_error(client: AcpClient) -> None:
    client.stage.provider.script(fail(429, "come back tomorrow", retry_after="86400"))
    session = await client.new_session()
    with pytest.raises(AgentError) as error:
        await session.prompt("hi")
    assert error.value.code == -32603
    assert error.value.data["kind"] in ("RateLimited", "QuotaExhausted")
    assert error.value.data["retryAfter"] == 86400
    assert "1 d" in error.value.data["details"]
    assert "\n" not in error.value.message


async def test_a_server_that_is_not_there_is_told_with_its_address(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.configure(
        model={
            "provider": "custom",
            "default": "test-model",
            "base_url": "http://127.0.0.1:9/v1",
            "api_key": KEY,
        },
        agent={"api_max_retries": 0},
    )
    async with running(stage) as client:
        session = await client.new_session()
        with pytest.raises(AgentError) as error:
            await session.prompt("hi")
    assert error.value.data["kind"] == "ConnectionFailed"
    assert "127.0.0.1:9" in error.value.data["details"]
    assert session.text


async def test_a_cancelled_request_cancels_its_turn(client: AcpClient) -> None:
    client.stage.provider.script(fail(503, "busy", retry_after="600"))
    client.stage.configure(agent={"api_max_retries": 3})
    session = await client.new_session()
    turn = session.begin("hi", request_id="mine")
    await client.wait_for(shown_when(client, session, "Trying again in"))
    client.notify("$/cancel_request", {"requestId": "mine"})
    assert (await turn)["stopReason"] == "cancelled"
