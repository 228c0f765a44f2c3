"""The client against an agent process that does as its prompt says."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_server.cli.client import AcpClient
from acp_server.cli.connection import RpcFailure
from acp_server.cli.console import Failure

WATCHDOG = 60


class Face:
    """Keeps what it is shown; answers questions with ``answer``, or never when that is None."""

    def __init__(self, answer: str | None = "allow_once") -> None:
        self.updates: list[dict[str, Any]] = []
        self.asked = asyncio.Event()
        self.arrived = asyncio.Event()
        self._answer = answer

    @property
    def text(self) -> str:
        return "".join(
            u["content"]["text"]
            for u in self.updates
            if u["sessionUpdate"] == "agent_message_chunk"
        )

    def update(self, update: dict[str, Any]) -> None:
        self.updates.append(update)
        self.arrived.set()

    async def fill(self, params: dict[str, Any]) -> dict[str, Any]:
        return {"action": "decline"}

    async def ask(self, params: dict[str, Any]) -> str | None:
        assert params["options"]
        self.asked.set()
        if self._answer is None:
            await asyncio.Event().wait()
        return self._answer


@asynccontextmanager
async def connected(command: list[str], face: Face, cwd: Path) -> AsyncIterator[AcpClient]:
    async with asyncio.timeout(WATCHDOG):
        client = await AcpClient.start(command, cwd=cwd, env=os.environ, face=face)
        try:
            await client.initialize("1")
            await client.new_session(cwd)
            yield client
        finally:
            await client.close()


async def test_a_turn(fake_agent: list[str], tmp_path: Path) -> None:
    face = Face()
    async with connected(fake_agent, face, tmp_path) as client:
        assert await client.prompt("hello") == "end_turn"
        assert client.agent["name"] == "fake"
    assert face.text == "Hello **world**."


@pytest.mark.parametrize("answer", ["allow_once", "reject_once"])
async def test_a_question_is_answered(fake_agent: list[str], tmp_path: Path, answer: str) -> None:
    face = Face(answer)
    async with connected(fake_agent, face, tmp_path) as client:
        assert await client.prompt("edit") == "end_turn"
    assert face.text == f"outcome: {answer}"


async def test_cancel_withdraws_an_open_question(fake_agent: list[str], tmp_path: Path) -> None:
    face = Face(None)
    async with connected(fake_agent, face, tmp_path) as client:
        turn = asyncio.ensure_future(client.prompt("edit"))
        await face.asked.wait()
        await client.cancel()
        assert await turn == "cancelled"
        assert face.text == "outcome: cancelled"
        assert await client.prompt("hello") == "end_turn"


async def test_cancel_while_the_model_answers(fake_agent: list[str], tmp_path: Path) -> None:
    face = Face()
    async with connected(fake_agent, face, tmp_path) as client:
        turn = asyncio.ensure_future(client.prompt("wait"))
        await face.arrived.wait()
        await client.cancel()
        assert await turn == "cancelled"


async def test_files_are_read_and_written(fake_agent: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\n")
    face = Face()
    async with connected(fake_agent, face, tmp_path) as client:
        await client.prompt(f"read {tmp_path}/a.txt")
        await client.prompt(f"read {tmp_path}/none.txt")
    assert '{"content": "one\\r\\ntwo\\n"}' in face.text
    assert '"code": -32002' in face.text


async def test_much_output_does_not_stop_it(fake_agent: list[str], tmp_path: Path) -> None:
    face = Face()
    async with connected(fake_agent, face, tmp_path) as client:
        assert await client.prompt("flood 20") == "end_turn"
    assert len(face.text) == 20_000_000


async def test_an_error_answer_keeps_its_details(fake_agent: list[str], tmp_path: Path) -> None:
    async with connected(fake_agent, Face(), tmp_path) as client:
        with pytest.raises(RpcFailure) as caught:
            await client.prompt("fail")
        assert caught.value.code == -32000
        assert caught.value.details == "The key was refused.\nSet OPENROUTER_API_KEY."
        assert await client.prompt("hello") == "end_turn"


async def test_the_death_of_the_agent_is_told(fake_agent: list[str], tmp_path: Path) -> None:
    async with connected(fake_agent, Face(), tmp_path) as client:
        with pytest.raises(Failure) as caught:
            await client.prompt("die")
        assert caught.value.what == "The agent ended unexpectedly (exit code 3): it broke"
        with pytest.raises(Failure):
            await client.prompt("hello")


async def test_sessions_are_listed_page_by_page(fake_agent: list[str], tmp_path: Path) -> None:
    async with connected(fake_agent, Face(), tmp_path) as client:
        found = [s["sessionId"] for s in await client.sessions()]
        assert found == ["aaaa-1111", "aaaa-2222", "bbbb-3333"]
        assert len(await client.sessions(Path("/elsewhere"))) == 1


async def test_a_loaded_session_is_shown_before_it_is_open(
    fake_agent: list[str], tmp_path: Path
) -> None:
    face = Face()
    async with connected(fake_agent, face, tmp_path) as client:
        await client.load_session("aaaa-1111", tmp_path)
        assert [u["content"]["text"] for u in face.updates] == ["again?", "Yes."]


async def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Failure) as caught:
        await AcpClient.start([str(tmp_path / "none")], cwd=tmp_path, env=os.environ, face=Face())
    assert "could not be started" in caught.value.what


async def test_another_version_of_the_protocol_is_refused(tmp_path: Path) -> None:
    agent = (
        "import json,sys\n"
        "m = json.loads(sys.stdin.readline())\n"
        "print(json.dumps({'jsonrpc':'2.0','id':m['id'],'result':{'protocolVersion':2}}))\n"
    )
    async with asyncio.timeout(WATCHDOG):
        client = await AcpClient.start(
            [sys.executable, "-c", agent], cwd=tmp_path, env=os.environ, face=Face()
        )
        with pytest.raises(Failure, match="speaks version 2"):
            await client.initialize("1")
        await client.close()


async def test_noise_on_stdout_is_passed_over(tmp_path: Path) -> None:
    agent = (
        "import json,sys\n"
        "m = json.loads(sys.stdin.readline())\n"
        "print('noise'); print('42'); print(json.dumps({'id': 'other', 'result': {}}))\n"
        "print(json.dumps({'jsonrpc':'2.0','id':m['id'],'result':{'protocolVersion':1}}))\n"
        "sys.stdout.flush(); sys.stdin.read()\n"
    )
    async with asyncio.timeout(WATCHDOG):
        client = await AcpClient.start(
            [sys.executable, "-c", agent], cwd=tmp_path, env=os.environ, face=Face()
        )
        await client.initialize("1")
        await client.close()


async def test_an_agent_that_ignores_the_end_of_its_input_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_server.cli.client.PATIENCE", 0.2)
    agent = "import signal,time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)"
    async with asyncio.timeout(WATCHDOG):
        client = await AcpClient.start(
            [sys.executable, "-c", agent], cwd=tmp_path, env=os.environ, face=Face()
        )
        await client.close()
        assert "signal" in (await client.death()).what


async def test_an_answer_is_handed_on_before_what_came_after_it(tmp_path: Path) -> None:
    agent = (
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    m = json.loads(line)\n"
        "    result = {'protocolVersion': 1, 'sessionId': 's', 'stopReason': 'end_turn'}\n"
        "    lines = [{'id': m['id'], 'result': result}]\n"
        "    if m['method'] == 'session/prompt':\n"
        "        chunk = {'sessionUpdate': 'agent_message_chunk', 'content': {'text': 'next'}}\n"
        "        params = {'sessionId': 's', 'update': chunk}\n"
        "        lines.append({'method': 'session/update', 'params': params})\n"
        "    text = ''.join(json.dumps({'jsonrpc': '2.0', **one}) + '\\n' for one in lines)\n"
        "    print(text, end='', flush=True)\n"
    )
    face, came = Face(), list[str]()
    face.update = lambda update: came.append(update["content"]["text"])  # type: ignore[method-assign]
    async with connected([sys.executable, "-c", agent], face, tmp_path) as client:
        await client.prompt("go", lambda answer: came.append(answer.result()["stopReason"]))
        await client.call("ping", {})
    assert came == ["end_turn", "next"]
