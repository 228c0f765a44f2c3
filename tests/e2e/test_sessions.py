"""Sessions as editors handle them: resumed, closed, deleted, forked, put away, retitled."""

import asyncio
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.client import AcpClient
from tests.e2e.editor import ALLOW, AgentError, Session
from tests.e2e.order import CONTENT
from tests.e2e.stage import Stage
from tests.fakes.provider import Call, Reply, Text, Wait, calls, say


async def resumed(client: AcpClient, session: Session, cwd: Path | None = None) -> Session:
    params = {"sessionId": session.id, "cwd": str(cwd or session.cwd)}
    return Session(client, session.id, session.cwd, await client.request("session/resume", params))


async def listed(client: AcpClient, **params: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await client.request("session/list", params))["sessions"]
    return found


async def fork(client: AcpClient, session: Session, message_id: str = "") -> Session:
    params: dict[str, Any] = {"sessionId": session.id, "cwd": str(session.cwd)}
    if message_id:
        params["_meta"] = {"hermes": {"messageId": message_id}}
    result = await client.request("session/fork", params)
    return Session(client, result["sessionId"], session.cwd, result)


def value_of(opened: dict[str, Any], option: str) -> str:
    (found,) = [one for one in opened["configOptions"] if one["id"] == option]
    return str(found["currentValue"])


async def test_all_that_is_announced_answers(client: AcpClient) -> None:
    told = client.initialized["agentCapabilities"]["sessionCapabilities"]
    assert {"resume", "close", "delete", "fork", "archive", "status", "title"} <= set(told)


async def test_a_resumed_session_shows_nothing_and_goes_on_as_it_was(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.provider.script(say("Hello Ada."), say("You are Ada."))
    async with running(stage) as client:
        before = await client.new_session()
        await before.prompt("I am Ada.")
        for option, value in (("mode", "accept_edits"), ("thought_level", "high")):
            params = {"sessionId": before.id, "configId": option, "value": value}
            await client.request("session/set_config_option", params)
        params = {"sessionId": before.id, "configId": "model", "value": "custom/other-model"}
        await client.request("session/set_config_option", params)
    elsewhere = stage.workspace()
    async with running(stage) as client:
        after = await resumed(client, before, elsewhere)
        assert not after.of_kind(*CONTENT)
        assert after.opened["modes"]["currentModeId"] == "accept_edits"
        assert value_of(after.opened, "mode") == "accept_edits"
        assert value_of(after.opened, "model") == "custom/other-model"
        assert value_of(after.opened, "thought_level") == "high"
        assert await after.prompt("Who am I?") == "end_turn"
        assert after.text == "You are Ada."
        (row,) = await listed(client)
        assert row["cwd"] == str(elsewhere)
    request = stage.provider.requests[-1]
    assert request.body["model"] == "other-model"
    assert request.body["reasoning_effort"] == "high"
    assert [m["content"] for m in request.messages[1:]] == [
        "I am Ada.",
        "Hello Ada.",
        "Who am I?",
    ]


async def test_closing_ends_what_runs_and_lets_others_in(
    stage: Stage, running: Callable[..., Any], tmp_path: Path
) -> None:
    never = threading.Event()
    stage.provider.script(Reply([Text("Working"), Wait(never)]), say("Again."))
    async with running(stage) as client, running(stage) as other:
        session = await client.new_session()
        first = session.begin("do it")
        await client.wait_for(lambda: "Working" in session.text)
        second = session.begin("and this")
        await client.wait_for(lambda: "Queued" in session.joined("agent_thought_chunk"))
        params = {"sessionId": session.id, "cwd": str(session.cwd), "mcpServers": []}
        with pytest.raises(AgentError, match="open in another"):
            await other.request("session/load", params)
        answers: list[str] = []
        closing = client.begin("session/close", {"sessionId": session.id})
        for name, future in (("first", first), ("second", second), ("close", closing)):
            future.add_done_callback(lambda _, name=name: answers.append(name))
        assert await closing == {}
        assert {(await first)["stopReason"], (await second)["stopReason"]} == {"cancelled"}
        assert answers[-1] == "close"
        count = len(session.updates)
        with pytest.raises(AgentError) as gone:
            await session.prompt("still there?")
        assert gone.value.code == -32002
        assert len(session.updates) == count
        there = await other.load_session(session.id, session.cwd)
        assert await there.prompt("again") == "end_turn"
        assert "waiting" not in there.joined("agent_thought_chunk")


async def test_closing_leaves_no_child_process(client: AcpClient) -> None:
    client.editor.decide = lambda _: ALLOW
    command = "exec 3>alive; echo here >&3; trap '' TERM; while :; do sleep 1; done"
    client.stage.provider.script(calls(Call("terminal", {"command": command}, id="long-1")))
    session = await client.new_session()
    os.mkfifo(session.cwd / "alive")
    held = os.open(session.cwd / "alive", os.O_RDONLY | os.O_NONBLOCK)

    def said() -> bytes | None:
        """Return what the command wrote, nothing where it is not there, None if it is silent."""
        try:
            return os.read(held, 100)
        except BlockingIOError:
            return None

    turn = session.begin("wait")
    while said() != b"here\n":
        await asyncio.sleep(0.01)
    await client.request("session/close", {"sessionId": session.id})
    assert (await turn)["stopReason"] == "cancelled"
    assert said() == b""
    os.close(held)


async def test_deleting_takes_all_of_it_and_needs_nothing_to_be_there(
    client: AcpClient,
) -> None:
    client.editor.decide = lambda _: ALLOW
    client.stage.provider.script(
        calls(Call("write_file", {"path": "a.txt", "content": "new\n"}, id="w-1")), say("Done.")
    )
    session = await client.new_session(client.stage.workspace(a__txt="old\n"))
    await session.prompt("write")
    shadow = client.stage.home / "snapshots"

    def refs() -> list[str]:
        return [str(path) for path in shadow.rglob("*") if session.id in str(path)]

    assert refs()
    for _ in range(2):
        assert await client.request("session/delete", {"sessionId": session.id}) == {}
    assert await client.request("session/delete", {"sessionId": "never there"}) == {}
    assert await listed(client) == []
    assert refs() == []
    with pytest.raises(AgentError) as gone:
        await client.load_session(session.id, session.cwd)
    assert gone.value.code == -32002


async def test_a_running_session_is_cancelled_before_it_is_deleted(client: AcpClient) -> None:
    client.stage.provider.script(Reply([Text("Working"), Wait(threading.Event())]))
    session = await client.new_session()
    turn = session.begin("do it")
    await client.wait_for(lambda: "Working" in session.text)
    assert await client.request("session/delete", {"sessionId": session.id}) == {}
    assert (await turn)["stopReason"] == "cancelled"
    assert await listed(client) == []


async def test_a_fork_knows_all_and_changes_nothing_at_its_origin(client: AcpClient) -> None:
    client.stage.provider.script(say("Hello Ada."), say("You are Ada."), say("Who are you?"))
    session = await client.new_session()
    await session.prompt("I am Ada.")
    copy = await fork(client, session)
    assert not copy.of_kind(*CONTENT)
    assert await copy.prompt("Who am I?") == "end_turn"
    assert copy.text == "You are Ada."
    await session.prompt("Bye.")
    sent = [[m["content"] for m in one.messages[1:]] for one in client.stage.provider.requests]
    assert sent[1] == ["I am Ada.", "Hello Ada.", "Who am I?"]
    assert sent[2] == ["I am Ada.", "Hello Ada.", "Bye."]
    titles = {row["sessionId"]: row["title"] for row in await listed(client)}
    assert titles == {session.id: "I am Ada.", copy.id: "I am Ada. (fork)"}


async def test_a_fork_begins_at_the_message_that_is_named(client: AcpClient) -> None:
    client.stage.provider.script(say("One."), say("Two."), say("Other."), say("Third."))
    session = await client.new_session()
    await session.prompt("first")
    await session.prompt("second")
    answers = {u["content"]["text"]: u["messageId"] for u in session.of_kind("agent_message_chunk")}
    copy = await fork(client, session, answers["One."])
    await copy.prompt("instead")
    loaded = await client.load_session(session.id, session.cwd)
    asked = {u["content"]["text"]: u["messageId"] for u in loaded.of_kind("user_message_chunk")}
    other = await fork(client, session, asked["second"])
    await other.prompt("rather")
    sent = [[m["content"] for m in one.messages[1:]] for one in client.stage.provider.requests]
    assert sent[2:] == [["first", "One.", "instead"], ["first", "One.", "rather"]]
    again = await client.load_session(copy.id, copy.cwd)
    assert again.joined("user_message_chunk") == "firstinstead"
    with pytest.raises(AgentError) as wrong:
        await fork(client, session, "no such message")
    assert wrong.value.code == -32602


async def test_sessions_are_put_away_and_brought_back(client: AcpClient) -> None:
    client.stage.provider.script(say("Hello."))
    session = await client.new_session()
    await session.prompt("hi")
    about = {"sessionId": session.id}
    await client.request("session/archive", about)
    assert await listed(client) == await listed(client, archived="exclude") == []
    (row,) = await listed(client, archived="only")
    assert row["archived"] is True
    assert len(await listed(client, archived="include")) == 1
    await client.request("session/unarchive", about)
    (row,) = await listed(client)
    assert row["archived"] is False
    with pytest.raises(AgentError) as wrong:
        await listed(client, archived="sometimes")
    assert wrong.value.code == -32602
    for method in ("session/archive", "session/unarchive", "session/status"):
        with pytest.raises(AgentError) as unknown:
            await client.request(method, {"sessionId": "unknown"})
        assert unknown.value.code == -32002


async def test_the_status_tells_whether_it_is_open_here(client: AcpClient) -> None:
    session = await client.new_session()
    about = {"sessionId": session.id}
    assert await client.request("session/status", about) == {"status": "open"}
    await client.request("session/close", about)
    assert await client.request("session/status", about) == {"status": "saved"}


async def test_each_turn_ends_with_when_that_was_as_the_list_has_it(client: AcpClient) -> None:
    client.stage.provider.script(say("Hello."), say("Still here."))
    session = await client.new_session()
    await session.prompt("hi")
    first = session.of_kind("session_info_update")[-1]
    assert first == session.updates[-1]
    (row,) = await listed(client)
    assert {key: row[key] for key in ("title", "updatedAt")} == {
        key: first[key] for key in ("title", "updatedAt")
    }
    await session.prompt("and now?")
    second = session.of_kind("session_info_update")[-1]
    assert second["title"] == first["title"] == "hi"
    assert second["updatedAt"] > first["updatedAt"]
    loaded = await client.load_session(session.id, session.cwd)
    assert loaded.of_kind("session_info_update")[-1] == second


async def test_a_title_of_the_persons_own(client: AcpClient) -> None:
    client.stage.provider.script(say("Hello."))
    session = await client.new_session()
    await session.prompt("hi")
    about = {"sessionId": session.id}
    params = {**about, "title": "  My\n title "}
    assert await client.request("session/set_title", params) == {"title": "My title"}
    assert session.of_kind("session_info_update")[-1]["title"] == "My title"
    await client.request("session/close", about)
    assert await client.request("session/set_title", {**about, "title": "Closed"}) == {
        "title": "Closed"
    }
    (row,) = await listed(client)
    assert row["title"] == "Closed"
    for wrong, code in (
        (params | {"title": " \n"}, -32602),
        ({"sessionId": "x", "title": "t"}, -32002),
    ):
        with pytest.raises(AgentError) as refused:
            await client.request("session/set_title", wrong)
        assert refused.value.code == code
