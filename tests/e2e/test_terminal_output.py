"""Commands in terminals of the client's, where it announced that it shows them."""

from typing import Any

from tests.e2e.client import FULL, AcpClient
from tests.e2e.editor import ALLOW, Session
from tests.e2e.stage import Stage
from tests.fakes.provider import Call, calls, say

SHOWS = {**FULL, "_meta": {"terminal_output": True}}
COMMAND = "echo one; while [ ! -e go ]; do sleep 0.01; done; echo two; exit 3"


def metas(session: Session) -> list[dict[str, Any]]:
    cards = session.of_kind("tool_call", "tool_call_update")
    return [card["_meta"] for card in cards if "_meta" in card]


def screen(session: Session) -> str:
    told = [meta.get("terminal_output", {}) for meta in metas(session)]
    return "".join(output.get("data", "") for output in told)


async def test_a_command_runs_in_a_terminal(stage: Stage, running: Any) -> None:
    async with running(stage, capabilities=SHOWS) as client:
        stage.provider.script(calls(Call("terminal", {"command": COMMAND}, id="t-1")), say("Done."))
        client.editor.decide = lambda _: ALLOW
        session = await client.new_session()
        turn = session.begin("go")
        await client.wait_for(lambda: "one\n" in screen(session))
        (session.cwd / "go").touch()
        assert (await turn)["stopReason"] == "end_turn"
        (asked,) = client.editor.asked
        assert COMMAND in asked["toolCall"]["content"][0]["content"]["text"]
        check(session)
        assert screen(session) == "one\ntwo\n[exit code 3]"
    async with running(stage, capabilities=SHOWS) as client:
        again = await client.load_session(session.id, session.cwd)
        check(again)
        assert screen(again).endswith("one\ntwo\n[exit code 3]")


def check(session: Session) -> None:
    card = session.card
    assert card["content"] == [{"type": "terminal", "terminalId": "t-1"}]
    first, *_, last = metas(session)
    assert first["terminal_info"] == {"terminal_id": "t-1", "cwd": str(session.cwd)}
    assert last["terminal_exit"] == {"terminal_id": "t-1", "exit_code": 3}


async def test_others_get_content_that_grows(client: AcpClient) -> None:
    client.stage.provider.script(calls(Call("terminal", {"command": "ls"}, id="t-1")), say("Done."))
    session = await client.new_session()
    await session.prompt("go")
    assert metas(session) == []
    assert session.card["content"][0]["content"]["text"].startswith("```console\n$ ls\n")
