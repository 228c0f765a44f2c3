"""What was shown is stored: it survives a kill, and loads again as it was."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from tests.e2e.client import PATIENCE, AcpClient
from tests.e2e.editor import ALLOW, AgentError, Session
from tests.e2e.stage import Stage
from tests.fakes.provider import Call, Reasoning, Reply, Text, Usage, Wait, calls, say

CODE = "x = 1\n"


async def killed(stage: Stage, running: Callable[..., Any], work: Any) -> Session:
    """Run ``work(client)``, which returns a session, and kill the program then."""
    async with running(stage) as client:
        session: Session = await work(client)
        await client.kill()
    return session


async def test_a_finished_turn_loads_as_it_was_shown_after_a_kill(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.provider.script(
        Reply([Reasoning("Let me see."), Call("read_file", {"path": "a.py"}, id="kept-1")]),
        calls(Call("todo", {"steps": [{"content": "edit"}]}, id="kept-2")),
        calls(Call("patch", {"path": "a.py", "edits": [{"old": "1", "new": "2"}]}, id="kept-3")),
        Reply([Text("Done."), Usage(prompt=700, completion=70)]),
    )

    async def work(client: AcpClient) -> Session:
        client.editor.decide = lambda _: ALLOW
        session = await client.new_session(stage.workspace(a__py=CODE))
        about = {"sessionId": session.id, "modeId": "accept_edits"}
        await client.request("session/set_mode", about)
        await session.prompt("make it two")
        return session

    before = await killed(stage, running, work)
    async with running(stage) as client:
        after = await client.load_session(before.id, before.cwd)
        assert after.joined("user_message_chunk") == "make it two"
        assert after.joined("agent_thought_chunk") == before.joined("agent_thought_chunk")
        assert after.text == before.text
        assert after.of_kind("plan") == before.of_kind("plan")
        assert list(after.cards) == list(before.cards)
        for call_id, card in after.cards.items():
            shown = before.cards[call_id]
            for key in ("title", "kind", "status", "rawInput", "rawOutput", "content", "locations"):
                assert card.get(key) == shown.get(key), (call_id, key)
        titles = [update["title"] for update in after.of_kind("session_info_update")]
        assert titles == ["make it two"]
        [usage] = after.of_kind("usage_update")[-1:]
        assert usage == before.of_kind("usage_update")[-1]
        assert usage["used"] == 770
        assert after.opened["modes"]["currentModeId"] == "accept_edits"


async def test_the_model_remembers_after_a_kill(stage: Stage, running: Callable[..., Any]) -> None:
    stage.provider.script(say("Hello Ada."), say("You are Ada."))

    async def work(client: AcpClient) -> Session:
        session = await client.new_session()
        await session.prompt("I am Ada.")
        return session

    before = await killed(stage, running, work)
    async with running(stage) as client:
        session = await client.load_session(before.id, before.cwd)
        assert await session.prompt("Who am I?") == "end_turn"
    contents = [message["content"] for message in stage.provider.requests[-1].messages[1:]]
    assert contents == ["I am Ada.", "Hello Ada.", "Who am I?"]


async def test_a_kill_while_a_command_runs_leaves_a_card_that_says_so_and_a_usable_session(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.provider.script(
        Reply([Text("Running it."), Call("terminal", {"command": "sleep 600"}, id="open-1")])
    )

    async def work(client: AcpClient) -> Session:
        client.editor.decide = lambda _: ALLOW
        session = await client.new_session()
        session.begin("go").add_done_callback(lambda answer: answer.exception())
        await session.wait_for_card("in_progress")
        return session

    before = await killed(stage, running, work)
    stage.provider.script(say("I see."))
    async with running(stage) as client:
        session = await client.load_session(before.id, before.cwd)
        assert session.text == "Running it."
        assert session.card["status"] == "failed"
        assert "may have run" in session.card["rawOutput"]
        assert await session.prompt("what happened?") == "end_turn"
    (result,) = stage.provider.requests[-1].tool_results
    assert "may have run" in result


async def test_a_kill_in_the_middle_of_an_answer_keeps_what_was_shown_out_of_the_history(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.provider.script(Reply([Text("Once upon a time"), Wait(threading.Event())]))

    async def work(client: AcpClient) -> Session:
        session = await client.new_session()
        session.begin("tell me").add_done_callback(lambda answer: answer.exception())
        await session.wait_for_text("Once upon a time")
        return session

    before = await killed(stage, running, work)
    stage.provider.script(say("Where was I?"))
    async with running(stage) as client:
        session = await client.load_session(before.id, before.cwd)
        assert session.joined("user_message_chunk") == "tell me"
        assert await session.prompt("go on") == "end_turn"
    assert "Once upon a time" not in str(stage.provider.requests[-1].messages)


async def test_text_before_a_pause_of_the_model_survives_a_kill(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.provider.script(Reply([Text("Once upon"), Text(" a time"), Wait(threading.Event())]))

    async def work(client: AcpClient) -> Session:
        session = await client.new_session()
        session.begin("tell me").add_done_callback(lambda answer: answer.exception())
        await session.wait_for_text("Once upon a time")
        await asyncio.to_thread(_wait_until_stored, stage, "a time")
        return session

    before = await killed(stage, running, work)
    async with running(stage) as client:
        session = await client.load_session(before.id, before.cwd)
        assert session.text == "Once upon a time"


def _wait_until_stored(stage: Stage, text: str) -> None:
    """Wait until the display log holds ``text``; nothing else happens meanwhile."""
    deadline = time.monotonic() + PATIENCE
    query = "SELECT count(*) FROM shown WHERE event LIKE ?"
    with closing(sqlite3.connect(stage.home / "hermes_sessions.db")) as store:
        while store.execute(query, (f"%{text}%",)).fetchone() == (0,):
            assert time.monotonic() < deadline, f"{text!r} was not stored"
            threading.Event().wait(0.01)


async def test_a_cancelled_turn_is_marked_when_it_loads(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.provider.script(Reply([Text("Once upon a time"), Wait(threading.Event())]))
    async with running(stage) as client:
        session = await client.new_session()
        answer = session.begin("tell me")
        await session.wait_for_text("Once upon a time")
        session.cancel()
        assert await answer == {"stopReason": "cancelled"}
    async with running(stage) as client:
        session = await client.load_session(session.id, session.cwd)
        assert session.text == "Once upon a time"
        assert "Interrupted" in session.joined("agent_thought_chunk")


async def test_the_mode_and_the_folders_survive_and_new_folders_win(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.provider.script(
        say("Hello."), calls(Call("read_file", {"path": "a.txt"}, id="cwd-1")), say("Read.")
    )
    async with running(stage) as client:
        session = await client.new_session()
        await client.request(
            "session/set_mode", {"sessionId": session.id, "modeId": "accept_edits"}
        )
        await session.prompt("hi")
    elsewhere = stage.workspace(a__txt="elsewhere\n")
    async with running(stage) as client:
        loaded = await client.load_session(session.id, elsewhere)
        assert loaded.opened["modes"]["currentModeId"] == "accept_edits"
        await loaded.prompt("read a.txt")
        listed = await client.request("session/list", {"cwd": str(elsewhere)})
        assert [info["sessionId"] for info in listed["sessions"]] == [session.id]
    assert "elsewhere" in stage.provider.requests[-1].tool_results[-1]


async def test_odd_characters_of_a_prompt_survive(
    stage: Stage, running: Callable[..., Any]
) -> None:
    odd = "a\x00b\x1b[31mc\u202ed \ud800 é 🙂"
    stage.provider.script(say("Odd."))
    async with running(stage) as client:
        session = await client.new_session()
        assert await session.prompt(odd) == "end_turn"
    async with running(stage) as client:
        loaded = await client.load_session(session.id, session.cwd)
        assert loaded.joined("user_message_chunk") == odd.replace("\ud800", "\ufffd")


async def test_a_list_comes_in_pages_newest_first(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.provider.handler = lambda _: say("ok")
    async with running(stage) as client:
        cwd = stage.workspace()
        made = []
        for number in range(53):
            session = await client.new_session(cwd)
            await session.prompt(f"prompt {number}\nand more")
            made.append(session.id)
        await client.new_session(cwd)
        first = await client.request("session/list", {"cwd": str(cwd)})
        second = await client.request(
            "session/list", {"cwd": str(cwd), "cursor": first["nextCursor"]}
        )
    assert "nextCursor" not in second
    listed = first["sessions"] + second["sessions"]
    assert [info["sessionId"] for info in listed] == made[::-1]
    assert listed[0]["title"] == "prompt 52"
    assert listed[0]["updatedAt"].endswith("Z")
    assert listed[0]["cwd"] == str(cwd)


async def test_a_session_is_not_loaded_while_its_turn_runs(
    stage: Stage, running: Callable[..., Any]
) -> None:
    gate = threading.Event()
    stage.provider.script(Reply([Text("one"), Wait(gate), Text(" two")]))
    async with running(stage) as client:
        session = await client.new_session()
        answer = session.begin("go")
        await session.wait_for_text("one")
        with pytest.raises(AgentError) as refused:
            await client.load_session(session.id, session.cwd)
        assert refused.value.code == -32600
        gate.set()
        assert await answer == {"stopReason": "end_turn"}
        loaded = await client.load_session(session.id, session.cwd)
        assert loaded.text.endswith("one two")


async def test_two_programs_do_not_work_on_one_session(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.provider.script(say("Hello."))
    async with running(stage) as first:
        session = await first.new_session()
        await session.prompt("hi")
        async with running(stage) as second:
            with pytest.raises(AgentError) as refused:
                await second.load_session(session.id, session.cwd)
            assert "another Hermes" in refused.value.message
            assert (await second.new_session(session.cwd)).id != session.id


async def test_two_programs_share_one_store(stage: Stage, running: Callable[..., Any]) -> None:
    stage.provider.handler = lambda _: say("ok")
    async with running(stage) as first, running(stage) as second:
        sessions = [await client.new_session() for client in (first, second) for _ in range(3)]
        await asyncio.gather(*(session.prompt("hi") for session in sessions))
        listed = await first.request("session/list")
    assert {info["sessionId"] for info in listed["sessions"]} == {s.id for s in sessions}


async def test_a_store_of_a_newer_version_is_refused_unharmed(
    stage: Stage, running: Callable[..., Any]
) -> None:
    path = stage.home / "hermes_sessions.db"
    with closing(sqlite3.connect(path)) as store:
        store.execute("CREATE TABLE future (x)")
        store.execute("PRAGMA user_version = 9999")
    before = path.read_bytes()
    async with running(stage) as client:
        with pytest.raises(AgentError) as refused:
            await client.new_session()
        assert refused.value.code == -32603
        assert "newer" in refused.value.data["details"]
    assert path.read_bytes() == before
