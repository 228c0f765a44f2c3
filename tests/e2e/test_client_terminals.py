"""Commands in the editor's own terminals, which really run them."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from tests.e2e.client import FULL, PATIENCE, AcpClient
from tests.e2e.editor import ALLOW, ALWAYS, AgentError, Session
from tests.e2e.stage import KEY as PROVIDER_KEY
from tests.e2e.stage import Stage
from tests.e2e.terminals import KEY, Terminals
from tests.fakes.provider import Call, calls, say

ALSO_META = {**FULL, "_meta": {"terminal_output": True}}
IN_ORDER = ["create", "wait_for_exit", "output", "release"]


@pytest.fixture(autouse=True)
def _configured(stage: Stage) -> None:
    stage.configure(terminal={"in_editor": True})


def script(client: AcpClient, text: str, **more: Any) -> Terminals:
    """Have the model run a command, allowed, in a terminal that is returned with the others."""
    call = Call("terminal", {"command": text, **more}, id="c-1")
    client.stage.provider.script(calls(call), say("Done."))
    client.editor.decide = lambda _: ALLOW
    client.editor.terminals = Terminals()
    return client.editor.terminals


def told(client: AcpClient) -> str:
    """Return what the model was told of its last call."""
    return str(client.stage.provider.requests[-1].messages[-1]["content"])


def kinds(card: dict[str, Any]) -> list[str]:
    return [part["type"] for part in card["content"]]


async def go_on(client: AcpClient, session: Session) -> None:
    """Hold the session to being usable."""
    client.stage.provider.script(say("Here I am."))
    assert await session.prompt("still there?") == "end_turn"
    assert session.text.endswith("Here I am.")


@pytest.mark.parametrize("form", ["words", "line"])
@pytest.mark.parametrize("capabilities", [FULL, ALSO_META])
async def test_an_allowed_command_runs_there(
    stage: Stage, running: Any, form: Any, capabilities: dict[str, Any]
) -> None:
    async with running(stage, capabilities=capabilities) as client:
        text = "pwd; env; echo 'a  b'; while [ ! -e go ]; do sleep 0.01; done; exit 3"
        terminals = script(client, text)
        terminals.form = form
        session = await client.new_session()
        turn = session.begin("go")
        await client.wait_for(lambda: "wait_for_exit" in terminals.methods)
        shown = session.card["content"]
        assert text in shown[0]["content"]["text"]
        assert shown[-1] == {"type": "terminal", "terminalId": "terminal-1"}
        (session.cwd / "go").touch()
        await turn
        assert terminals.methods == IN_ORDER
        assert terminals.asked[0][1]["cwd"] == str(session.cwd)
        assert "env" not in terminals.asked[0][1]
        assert session.card["content"] == shown
        assert session.card["statuses"] == ["pending", "in_progress", "in_progress", "failed"]
        assert told(client).startswith(f"{session.cwd}\n")
        assert "a  b\n[exit code 3]" in told(client)
        assert session.card["rawOutput"] == told(client)
        for key in (KEY, PROVIDER_KEY):
            assert key not in json.dumps(client.received)
        assert "BASH_ENV" not in told(client)


async def test_what_runs_unasked_runs_here(stage: Stage, running: Any) -> None:
    async with running(stage) as client:
        terminals = script(client, "ls")
        session = await client.new_session()
        await session.prompt("go")
        assert client.editor.asked == []
        assert terminals.methods == []
        assert kinds(session.card) == ["content"]


async def test_what_a_rule_allows_runs_there_too(stage: Stage, running: Any) -> None:
    async with running(stage) as client:
        session = await client.new_session()
        for answer in (ALWAYS, None):
            terminals = script(client, "touch made")
            client.editor.decide = lambda _, answer=answer: answer
            await session.prompt("go")
            assert terminals.methods == IN_ORDER
        assert len(client.editor.asked) == 1


async def test_without_the_capability_or_the_setting_nothing_is_asked(
    stage: Stage, running: Any
) -> None:
    for capabilities, wanted in (({"fs": {}}, True), (FULL, False)):
        stage.configure(terminal={"in_editor": wanted})
        async with running(stage, capabilities=capabilities) as client:
            terminals = script(client, "touch made")
            session = await client.new_session()
            await session.prompt("go")
            assert terminals.methods == []
            assert (session.cwd / "made").exists()


@pytest.mark.parametrize(("capabilities", "text"), [(FULL, "a terminal of the"), ({}, "no effect")])
async def test_it_is_told_what_holds(
    stage: Stage, running: Any, capabilities: dict[str, Any], text: str
) -> None:
    async with running(stage, capabilities=capabilities) as client:
        session = await client.new_session()
        await session.prompt("/sandbox")
        assert text in session.text


async def begun(client: AcpClient, session: Session) -> Any:
    """Begin a turn, and return the future of its answer once its command has said "begun"."""
    turn = session.begin("go")
    terminals = client.editor.terminals
    assert terminals is not None
    await client.wait_for(lambda: "wait_for_exit" in terminals.methods)
    await asyncio.wait_for(terminals.only.wait_for("begun"), PATIENCE)
    return turn


async def gone(terminals: Terminals) -> None:
    """Hold the only program, and all that it started, to being gone."""
    await asyncio.wait_for(terminals.only.wait(), PATIENCE)


LASTING = "sleep 600 & echo begun; sleep 600; wait"


async def test_a_cancel_kills_and_gives_back(stage: Stage, running: Any) -> None:
    async with running(stage) as client:
        terminals = script(client, LASTING)
        session = await client.new_session()
        turn = await begun(client, session)
        session.cancel()
        assert (await turn)["stopReason"] == "cancelled"
        await client.wait_for(lambda: "release" in terminals.methods)
        methods = terminals.methods
        assert methods.count("kill") == methods.count("release") == 1
        assert methods.index("kill") < methods.index("release")
        assert session.card["status"] == "failed"
        await gone(terminals)


async def test_what_takes_too_long_is_killed(stage: Stage, running: Any) -> None:
    async with running(stage) as client:
        terminals = script(client, LASTING, timeout=2)
        session = await client.new_session()
        await (await begun(client, session))
        assert terminals.methods == ["create", "wait_for_exit", "kill", "output", "release"]
        assert told(client).startswith("begun\n[ended after 2 s, its time limit")
        assert "begun" in session.card["content"][0]["content"]["text"]
        await gone(terminals)


async def test_closing_the_session_kills(stage: Stage, running: Any) -> None:
    async with running(stage) as client:
        terminals = script(client, LASTING)
        session = await client.new_session()
        turn = await begun(client, session)
        await client.request("session/close", {"sessionId": session.id})
        assert (await turn)["stopReason"] == "cancelled"
        await client.wait_for(lambda: "release" in terminals.methods)
        assert terminals.only.killed
        await gone(terminals)


async def test_the_end_of_the_connection_holds_nobody(stage: Stage, running: Any) -> None:
    async with running(stage) as client:
        terminals = script(client, LASTING)
        session = await client.new_session()
        turn = await begun(client, session)
        await client.stop()
        terminals.only.kill()  # as editors do with what is left
        with suppress(EOFError, AgentError):
            await turn


async def test_loaded_again_a_card_shows_text(stage: Stage, running: Any) -> None:
    async with running(stage) as client:
        script(client, "echo $((40 + 2)) >&2")
        session = await client.new_session()
        await session.prompt("go")
    async with running(stage) as client:
        again = await client.load_session(session.id, session.cwd)
        assert kinds(again.card) == ["content"]
        assert "42\n[exit code 0]" in again.card["content"][0]["content"]["text"]


async def test_of_a_long_output_the_end_is_known(stage: Stage, running: Any) -> None:
    stage.configure(terminal={"in_editor": True, "max_output": 2_000})
    async with running(stage) as client:
        text = "i=0; while [ $i -lt 90000 ]; do echo line $i; i=$((i+1)); done >all; cat all all"
        script(client, text)
        session = await client.new_session()
        await session.prompt("go")
        assert "line 89999\n[exit code 0]" in told(client)
        assert "bytes left out" in told(client)
        assert "kept only the end of the output" in told(client)
        (kept,) = (stage.home / "outputs").iterdir()
        assert 900_000 < kept.stat().st_size <= 1_000_000


# Editors that do otherwise


async def _fail(_: dict[str, Any]) -> Any:
    raise AgentError({"code": -32603, "message": "no terminal\nfor you"})


async def _unknown(_: dict[str, Any]) -> Any:
    raise AgentError({"code": -32601, "message": "Method not found"})


def _tell(answer: Any) -> Callable[[dict[str, Any]], Any]:
    async def tell(_: dict[str, Any]) -> Any:
        return answer

    return tell


async def test_one_that_refuses_a_terminal_has_the_last_word(stage: Stage, running: Any) -> None:
    async with running(stage) as client:
        client.editor.answers_are_valid = False
        terminals = script(client, "echo ran >>log")
        terminals.twists["create"] = _fail
        session = await client.new_session()
        await session.prompt("go")
        assert "no terminal ↵ for you. Nothing was run." in told(client)
        assert session.card["status"] == "failed"
        assert not (session.cwd / "log").exists()


@pytest.mark.parametrize("twist", [_unknown, _tell({}), _tell({"terminalId": 7})])
async def test_one_that_makes_none_loses_no_command(stage: Stage, running: Any, twist: Any) -> None:
    async with running(stage) as client:
        client.editor.answers_are_valid = False
        terminals = script(client, "echo ran >>log; cat log")
        terminals.twists["create"] = twist
        session = await client.new_session()
        await session.prompt("go")
        assert told(client).startswith("ran\n[exit code 0]\n[it ran in a process of Hermes")
        assert session.card["status"] == "completed"
        assert kinds(session.card) == ["content"]
        assert (session.cwd / "log").read_text() == "ran\n"


async def test_one_whose_terminal_starts_nothing_loses_no_command(
    stage: Stage, running: Any
) -> None:
    async with running(stage) as client:
        terminals = script(client, "echo ran >>log; cat log")
        create = terminals.create

        async def other(params: dict[str, Any]) -> Any:
            return await create({**params, "command": "/bin/false", "args": []})

        terminals.twists["create"] = other
        session = await client.new_session()
        await session.prompt("go")
        assert told(client).startswith("ran\n[exit code 0]\n[it ran in a process of Hermes")
        assert terminals.methods == IN_ORDER
        assert kinds(session.card) == ["content"]


async def test_one_that_starts_it_and_tells_an_error_runs_it_once(
    stage: Stage, running: Any
) -> None:
    async with running(stage) as client:
        client.editor.answers_are_valid = False
        terminals = script(client, "echo ran >>log")
        create = terminals.create

        async def late(params: dict[str, Any]) -> Any:
            await create(params)
            await terminals.only.wait()
            return await _fail(params)

        terminals.twists["create"] = late
        session = await client.new_session()
        await session.prompt("go")
        assert "may still run" in told(client)
        assert session.card["status"] == "failed"
        assert (session.cwd / "log").read_text() == "ran\n"


async def test_one_that_starts_it_twice_runs_it_once(stage: Stage, running: Any) -> None:
    async with running(stage) as client:
        terminals = script(client, "echo ran >>log")
        create = terminals.create

        async def twice(params: dict[str, Any]) -> Any:
            await create(params)
            await terminals.only.wait()
            await create(params)
            return {"terminalId": "terminal-1"}

        terminals.twists["create"] = twice
        session = await client.new_session()
        await session.prompt("go")
        assert (session.cwd / "log").read_text() == "ran\n"
        assert told(client).endswith("exit code 0]")


async def test_one_that_tells_of_it_after_a_cancel_gets_it_back(stage: Stage, running: Any) -> None:
    async with running(stage) as client:
        terminals = script(client, "echo ran >>log")
        gate, create = asyncio.Event(), terminals.create

        async def late(params: dict[str, Any]) -> Any:
            await gate.wait()
            return await create(params)

        terminals.twists["create"] = late
        session = await client.new_session()
        turn = session.begin("go")
        await client.wait_for(lambda: terminals.methods == ["create"])
        session.cancel()
        assert (await turn)["stopReason"] == "cancelled"
        gate.set()
        await client.wait_for(lambda: terminals.methods == ["create", "kill", "release"])
        assert not (session.cwd / "log").exists()


@pytest.mark.parametrize(
    ("method", "twist", "text"),
    [
        ("wait_for_exit", _fail, "it did not tell how the command ended"),
        ("wait_for_exit", _tell({"exitCode": "zero", "signal": 9}), "how it ended is not known"),
        ("output", _fail, "it did not tell the output"),
        ("output", _tell({"output": None}), "its answer holds no output"),
        ("release", _fail, "ran\n[exit code 0]"),
        ("release", _tell("well"), "ran\n[exit code 0]"),
    ],
)
async def test_odd_answers_are_said_and_end_the_call(
    stage: Stage, running: Any, method: str, twist: Any, text: str
) -> None:
    async with running(stage) as client:
        client.editor.answers_are_valid = False
        terminals = script(client, "touch made; echo ran")

        async def twisted(params: dict[str, Any]) -> Any:
            await terminals.only.wait()
            return await twist(params)

        terminals.twists[method] = twisted
        session = await client.new_session()
        await session.prompt("go")
        assert text in told(client)
        assert terminals.methods.count("release") == 1
        await go_on(client, session)
