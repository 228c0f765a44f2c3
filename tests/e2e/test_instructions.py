"""``systemPrompt``: the client's own instructions for a session."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.client import AcpClient
from tests.e2e.editor import AgentError
from tests.e2e.stage import Stage
from tests.fakes.provider import say


def prompt(mode: str, *texts: str) -> dict[str, Any]:
    return {"mode": mode, "content": [{"type": "text", "text": text} for text in texts]}


VERSE, HASTE = prompt("append", "Answer in verse.", "Rhyme."), prompt("override", "Be quick.")


def systems(stage: Stage) -> list[str]:
    """Return the system prompts that the provider was sent."""
    return [str(request.messages[0]["content"]) for request in stage.provider.requests]


async def test_they_reach_the_model_beside_ours_or_instead(client: AcpClient) -> None:
    client.stage.provider.script(say("One."), say("Two."), say("Three."))
    told = client.initialized["agentCapabilities"]["sessionCapabilities"]["systemPrompt"]
    assert told == {"mode": {"override": {}}}
    for given in (VERSE, HASTE, None):
        session = await client.new_session(systemPrompt=given)
        assert await session.prompt("go") == "end_turn"
    appended, instead, plain = systems(client.stage)
    assert "Answer in verse.\n\nRhyme.\n" in appended
    assert "You are Hermes" in appended
    assert instead.startswith("Be quick.\n")
    assert "You are Hermes" not in instead
    assert "Working folder" in instead or "# Environment" in instead
    assert "verse" not in plain


async def test_a_session_keeps_them_until_others_are_given(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.provider.script(*[say("Well.") for _ in range(4)])
    async with running(stage) as client:
        session = await client.new_session(systemPrompt=VERSE)
        await session.prompt("one")
    async with running(stage) as client:
        again = await client.load_session(session.id, session.cwd)
        await again.prompt("two")
        about = {"sessionId": session.id, "cwd": str(session.cwd), "mcpServers": []}
        forked = await client.request("session/fork", about)
        copy = {"sessionId": forked["sessionId"], "prompt": [{"type": "text", "text": "three"}]}
        await client.request("session/prompt", copy)
        await client.request("session/resume", {**about, "systemPrompt": HASTE})
        await again.prompt("four")
    first, second, third, fourth = systems(stage)
    assert first == second == third
    assert "Answer in verse." in first
    assert fourth.startswith("Be quick.\n")
    assert "verse" not in fourth


@pytest.mark.parametrize(
    "given",
    [
        "Be quick.",
        {"mode": "append"},
        {"mode": "append", "content": []},
        {"mode": "merge", "content": VERSE["content"]},
        {"mode": ["append"], "content": VERSE["content"]},
        {"mode": "append", "content": [{"type": "image", "data": "", "mimeType": "image/png"}]},
        {"mode": "append", "content": ["text"]},
        prompt("append", " "),
        prompt("override", "x" * 100_001),
    ],
)
async def test_what_cannot_be_applied_opens_nothing(client: AcpClient, given: Any) -> None:
    for method, more in (("session/new", {}), ("session/load", {"sessionId": "none"})):
        params = {"cwd": str(client.stage.workspace()), "mcpServers": [], **more}
        with pytest.raises(AgentError) as refused:
            await client.request(method, {**params, "systemPrompt": given}, valid=False)
        assert refused.value.code == -32602
        assert refused.value.message.startswith("systemPrompt: ")
        assert refused.value.data["field"] == "systemPrompt"
    assert (await client.request("session/list"))["sessions"] == []
