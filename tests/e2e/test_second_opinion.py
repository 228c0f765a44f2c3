"""A model of its own looks at what would run unasked; its doubt comes before the person."""

from collections.abc import Callable
from typing import Any

from tests.e2e.editor import ALLOW
from tests.e2e.stage import KEY, Stage
from tests.fakes.provider import Call, calls, say


async def test_a_doubt_asks_in_the_editor_and_costs_are_counted(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.configure(
        approvals={"second_opinion": True},
        auxiliary={
            "approval": {
                "model": "careful",
                "base_url": stage.provider.base_url,
                "api_key": KEY,
                "api_mode": "chat_completions",
            }
        },
    )
    looks = calls(Call("terminal", {"command": "cat notes"}, id="look"))
    stage.provider.script(looks, say("ask: notes may be private"), looks, say("Done."))
    async with running(stage) as client:
        client.editor.decide = lambda _: ALLOW
        session = await client.new_session(cwd=stage.workspace(notes="hello"))
        assert await session.prompt("go") == "end_turn"
        (asked,) = client.editor.asked
        assert asked["toolCall"]["title"] == "cat notes"
        told = asked["toolCall"]["content"][1]["content"]["text"]
        assert "careful, asked for a second opinion, says: notes may be private" in told
        models = [request.body["model"] for request in stage.provider.requests]
        assert models == ["test-model", "careful", "test-model", "test-model"]
        assert await session.prompt("/usage") == "end_turn"
        assert "careful" in session.text


async def test_in_bypass_a_card_says_unasked_only_where_nobody_was_asked(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.configure(approvals={"second_opinion": True})
    stage.provider.script(
        calls(Call("terminal", {"command": "touch a"}, id="a")),
        say("ask: it writes"),
        calls(Call("terminal", {"command": "touch b"}, id="b")),
        say("ok"),
        say("Done."),
    )
    async with running(stage) as client:
        client.editor.decide = lambda _: ALLOW
        session = await client.new_session()
        await client.request("session/set_mode", {"sessionId": session.id, "modeId": "bypass"})
        assert await session.prompt("go") == "end_turn"
        titles = [card["title"] for card in session.cards.values()]
    assert titles == ["touch a", "[unasked] touch b"]
    assert [asked["toolCall"]["title"] for asked in client.editor.asked] == ["touch a"]
