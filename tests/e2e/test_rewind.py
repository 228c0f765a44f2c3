"""Going back to before a prompt in an editor: diffs, a question, files, and what loads again."""

from collections.abc import Callable
from typing import Any

from tests.e2e.client import AcpClient
from tests.e2e.editor import ALLOW, REJECT, Session
from tests.e2e.stage import Stage
from tests.fakes.provider import call, say


async def begun(stage: Stage, client: AcpClient) -> Session:
    """Return a session of two turns, each of which changed a file."""
    stage.provider.script(
        call("patch", {"path": "a.py", "edits": [{"old": "1", "new": "2"}]}),
        say("Two."),
        call("terminal", {"command": "printf 3 > b.py; rm a.py"}),
        say("Three."),
    )
    client.editor.decide = lambda _: ALLOW
    session = await client.new_session(stage.workspace(a__py="x = 1\n"))
    await session.prompt("make it two")
    await session.prompt("make it three")
    return session


async def test_a_turn_is_taken_back_with_its_files(
    stage: Stage, running: Callable[..., Any]
) -> None:
    async with running(stage) as client:
        session = await begun(stage, client)
        asked: list[dict[str, Any]] = []

        def decide(params: dict[str, Any]) -> Any:
            asked.append(params)
            return ALLOW

        client.editor.decide = decide
        assert await session.prompt("/undo") == "end_turn"
        assert sorted(p.name for p in session.cwd.iterdir()) == ["a.py"]
        assert (session.cwd / "a.py").read_text() == "x = 2\n"
        (question,) = asked
        shown = {part["path"] for part in question["toolCall"]["content"] if part["type"] == "diff"}
        assert shown == {str(session.cwd / "a.py")}
        assert any("b.py" in str(part) for part in question["toolCall"]["content"])
        card = session.cards[question["toolCall"]["toolCallId"]]
        assert card["status"] == "completed"
        stage.provider.script(say("Ok."))
        await session.prompt("go on")
        said = [m["content"] for m in stage.provider.requests[-1].messages if m["role"] == "user"]
        assert said == ["make it two", "go on"]
        await client.kill()
    async with running(stage) as client:
        again = await client.load_session(session.id, session.cwd)
        assert again.joined("user_message_chunk") == "make it two/undogo on"


async def test_it_is_declined_or_done_again(stage: Stage, running: Callable[..., Any]) -> None:
    async with running(stage) as client:
        session = await begun(stage, client)
        client.editor.decide = lambda _: REJECT
        await session.prompt("/undo 2")
        assert (session.cwd / "b.py").exists()
        client.editor.decide = lambda _: ALLOW
        await session.prompt("/rewind 1")
        assert {p.name: p.read_text() for p in session.cwd.iterdir()} == {"a.py": "x = 1\n"}
        await session.prompt("/redo")
        assert {p.name: p.read_text() for p in session.cwd.iterdir()} == {"b.py": "3"}
        await session.prompt("/checkpoints")
        assert "1. " in session.text
        assert "before: make it three (changed files)" in session.text
        await session.prompt("/undo many")
        assert "takes a number of turns" in session.text


async def test_a_fork_takes_back_what_it_inherited_and_only_where_it_works(
    stage: Stage, running: Callable[..., Any]
) -> None:
    async with running(stage) as client:
        session = await begun(stage, client)
        elsewhere = stage.workspace(other__py="")
        for cwd, found in ((elsewhere, {"b.py": "3"}), (session.cwd, {"a.py": "x = 1\n"})):
            params = {"sessionId": session.id, "cwd": str(cwd)}
            result = await client.request("session/fork", params)
            copy = Session(client, result["sessionId"], cwd, result)
            assert await copy.prompt("/undo 2") == "end_turn"
            assert {p.name: p.read_text() for p in session.cwd.iterdir()} == found
        await client.request("session/delete", {"sessionId": session.id})
        assert await copy.prompt("/redo") == "end_turn"
        assert {p.name: p.read_text() for p in session.cwd.iterdir()} == {"b.py": "3"}
