"""Sessions across editors and the command line: titles, searching, resuming, usage."""

import asyncio
import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.stage import Stage
from tests.fakes.provider import Call, FakeProvider, Reply, Text, Wait, calls, fail, say

HERMES = [sys.executable, "-m", "acp_server.cli.main"]
TITLES = {"enabled": True}


async def hermes(stage: Stage, cwd: Path, *words: str) -> str:
    """Run the command line on the stage; return what it wrote."""
    process = await asyncio.create_subprocess_exec(
        *HERMES,
        *words,
        cwd=cwd,
        env=stage.environ,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    told, _ = await asyncio.wait_for(process.communicate(), 60)
    return told.decode()


def titles(session: Any) -> list[str]:
    return [update["title"] for update in session.of_kind("session_info_update")]


class TestTitles:
    async def test_one_by_a_model_comes_after_the_answer_and_is_kept(
        self, stage: Stage, running: Callable[..., Any]
    ) -> None:
        stage.configure(titles=TITLES)
        gate = threading.Event()
        stage.provider.script(say("It is mended."), Reply([Wait(gate), Text("Mending a parser")]))
        async with running(stage) as client:
            session = await client.new_session()
            assert await session.prompt("please mend the parser") == "end_turn"
            assert titles(session) == ["please mend the parser"]
            answered = len(client.received)
            gate.set()
            await client.wait_for(lambda: len(titles(session)) == 2)
            assert titles(session)[1] == "Mending a parser"
            (late,) = client.received[answered:]
            assert late["params"]["update"]["sessionUpdate"] == "session_info_update"
            listed = await client.request("session/list")
            assert [info["title"] for info in listed["sessions"]] == ["Mending a parser"]
        async with running(stage) as client:
            again = await client.load_session(session.id, session.cwd)
            assert titles(again) == ["Mending a parser"]

    async def test_a_failure_is_silent(self, stage: Stage, running: Callable[..., Any]) -> None:
        stage.configure(titles=TITLES)
        stage.provider.script(say("Done."), fail(400, "no titles here"))
        async with running(stage) as client:
            session = await client.new_session()
            await session.prompt("go")
            await asyncio.to_thread(stage.provider.wait_for_request, 2)
            assert await session.prompt("/title") == "end_turn"
            assert "called “go”" in session.text
            assert "no titles" not in str(client.received)

    async def test_the_end_of_the_program_waits_for_none(
        self, stage: Stage, running: Callable[..., Any]
    ) -> None:
        stage.configure(titles=TITLES)
        stage.provider.script(say("Done."), Reply([Wait(threading.Event()), Text("late")]))
        async with running(stage) as client:
            session = await client.new_session()
            await session.prompt("go")
            request = await asyncio.to_thread(stage.provider.wait_for_request, 2)
        assert await asyncio.to_thread(request.gone.wait, 30)

    async def test_a_typed_one_is_shown_and_stays(
        self, stage: Stage, running: Callable[..., Any]
    ) -> None:
        stage.configure(titles=TITLES)
        stage.provider.script(say("Done."))
        async with running(stage) as client:
            session = await client.new_session()
            await session.prompt("/title My \x1b[31mtitle")
            await session.prompt("go")
            assert titles(session) == ["My [31mtitle"]
            told = await hermes(stage, session.cwd, "sessions", "rename", session.id, "Yours")
            assert "is called “Yours” now" in told
            await session.prompt("/title")
            assert "called “Yours”" in session.text


async def test_sessions_are_listed_and_searched(stage: Stage, running: Callable[..., Any]) -> None:
    stage.provider.script(say("In the cellar."), say("Hello."))
    async with running(stage) as client:
        cwd = stage.workspace()
        first = await client.new_session(cwd)
        await first.prompt("where is the frobnicator?")
        second = await client.new_session(cwd)
        await second.prompt("hello")
        await second.prompt("/sessions")
        assert f"`{first.id[:8]}` where is the frobnicator?" in second.text
        assert "(this one)" in second.text
        await second.prompt("/sessions CELLAR")
        assert "assistant: In the cellar." in second.text
    assert "where is the frobnicator?" in await hermes(stage, cwd, "sessions", "search", "cellar")


async def test_the_model_finds_an_earlier_session(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.provider.script(
        say("In the cellar."),
        calls(Call("session_search", {"query": "frobnicator"}, id="find-1")),
        say("The cellar."),
    )
    async with running(stage) as client:
        first = await client.new_session()
        await first.prompt("where is the frobnicator?")
        second = await client.new_session()
        await second.prompt("where did you say the frobnicator was?")
        assert second.card["kind"] == "search"
        assert second.card["status"] == "completed"
    (result,) = stage.provider.requests[-1].tool_results
    assert first.id in result
    assert second.id not in result


async def test_a_new_session_goes_on_with_another_and_loads_so(
    stage: Stage, running: Callable[..., Any]
) -> None:
    stage.provider.script(
        calls(Call("read_file", {"path": "a.txt"}, id="once-1")), say("Hello Ada.")
    )
    async with running(stage) as client:
        first = await client.new_session(stage.workspace(a__txt="text\n"))
        await first.prompt("I am Ada.")
        second = await client.new_session()
        assert await second.prompt("/resume i am ada") == "end_turn"
        assert second.joined("user_message_chunk") == "I am Ada."
        assert second.text.startswith("Hello Ada.")
        assert "goes on as a copy" in second.text
        assert str(first.cwd) in second.text
        assert list(second.cards) == ["once-1"]
        assert titles(second) == ["I am Ada. (copy)"]
        stage.provider.script(say("You are Ada."))
        await second.prompt("Who am I?")
        await second.prompt("/resume x")
        assert "has begun already" in second.text
    contents = [m["content"] for m in stage.provider.requests[-1].messages if m["role"] == "user"]
    assert contents == ["I am Ada.", "Who am I?"]
    async with running(stage) as client:
        again = await client.load_session(second.id, second.cwd)
        assert "You are Ada." in again.text
        asked = again.joined("user_message_chunk")
        assert asked == "I am Ada./resume i am adaWho am I?/resume x"


async def test_usage_adds_up_over_restarts(stage: Stage, running: Callable[..., Any]) -> None:
    stage.provider.script(say("one"), say("two"))
    async with running(stage) as client:
        session = await client.new_session()
        await session.prompt("go")
    async with running(stage) as client:
        again = await client.load_session(session.id, session.cwd)
        await again.prompt("go on")
        await again.prompt("/usage")
        assert "This session: " in again.text
        assert "2 calls" in again.text
        assert "The last turn: " in again.text
        assert "`test-model` of custom" in again.text


@pytest.mark.parametrize("words", [("--continue",), ("--resume",), ("--resume", "i am ada")])
async def test_the_terminal_goes_on_with_an_editor_s_session(
    stage: Stage, running: Callable[..., Any], words: tuple[str, ...]
) -> None:
    stage.provider.script(say("Hello Ada."), say("You are Ada."))
    async with running(stage) as client:
        session = await client.new_session()
        await session.prompt("I am Ada.")
    told = await hermes(stage, session.cwd, "chat", *words, "--", "Who am I?")
    assert "I am Ada." in told
    assert "You are Ada." in told


async def test_a_session_moves_to_another_home(stage: Stage, running: Callable[..., Any]) -> None:
    stage.provider.script(say("Hello Ada."))
    async with running(stage) as client:
        session = await client.new_session()
        await session.prompt("I am Ada.")
        still_open = await hermes(stage, session.cwd, "sessions", "delete", session.id, "--yes")
        assert "open in another Hermes" in still_open
    path = stage.folder / "moved.json"
    await hermes(stage, session.cwd, "sessions", "export", session.id, "--output", str(path))
    assert "Deleted" in await hermes(stage, session.cwd, "sessions", "delete", session.id, "--yes")
    assert json.loads(path.read_text())["format"] == "hermes-session"
    assert "Imported as" in await hermes(stage, session.cwd, "sessions", "import", str(path))
    stage.provider.script(say("You are Ada."))
    async with running(stage) as client:
        listed = await client.request("session/list", {"cwd": str(session.cwd)})
        (info,) = listed["sessions"]
        assert info["sessionId"] != session.id
        again = await client.load_session(info["sessionId"], session.cwd)
        assert again.text == "Hello Ada."
        await again.prompt("Who am I?")
    assert len(stage.provider.requests[-1].messages) == 4


def test_the_stage_asks_for_no_titles_of_its_own(stage: Stage) -> None:
    assert isinstance(stage.provider, FakeProvider)
    assert '"titles": {"enabled": false}' in (stage.home / "config.yaml").read_text()
