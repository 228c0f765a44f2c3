"""What a turn shows: text, thoughts, tools, diffs, a plan, usage."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.client import FULL, AcpClient
from tests.e2e.editor import ALLOW
from tests.e2e.stage import Stage
from tests.fakes.provider import (
    Call,
    Finish,
    Reasoning,
    Recorded,
    Reply,
    Text,
    Usage,
    Wait,
    calls,
    fail,
    say,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")

CODE = "def add(a, b):\n    return a - b\n"


async def test_text_and_thoughts_stream_as_what_they_are(agent: AcpClient) -> None:
    agent.stage.provider.script(
        Reply([Reasoning("Let me "), Reasoning("think."), Text("The answer "), Text("is 42.")])
    )
    session = await agent.new_session()
    assert await session.prompt("What is the answer?") == "end_turn"
    assert session.joined("agent_thought_chunk") == "Let me think."
    assert session.text == "The answer is 42."
    ids = {chunk["messageId"] for chunk in session.of_kind("agent_message_chunk")}
    assert len(ids) == 1


async def test_the_conversation_goes_on_from_prompt_to_prompt(agent: AcpClient) -> None:
    agent.stage.provider.script(say("Hello Ada."), say("Ada."))
    session = await agent.new_session()
    await session.prompt("I am Ada.")
    await session.prompt("Who am I?")
    sent = agent.stage.provider.requests[-1].messages
    assert [(m["role"], m["content"]) for m in sent[1:]] == [
        ("user", "I am Ada."),
        ("assistant", "Hello Ada."),
        ("user", "Who am I?"),
    ]


async def test_the_first_piece_of_text_does_not_wait_for_the_next(agent: AcpClient) -> None:
    go = threading.Event()
    agent.stage.provider.script(Reply([Text("first"), Wait(go), Text(" second")]))
    session = await agent.new_session()
    answer = session.begin("go")
    await session.wait_for_text("first")
    assert session.text == "first"
    go.set()
    await answer
    assert session.text == "first second"


async def test_tools_one_after_another(agent: AcpClient) -> None:
    provider = agent.stage.provider
    provider.script(
        calls(Call("read_file", {"path": "a.py"}, id="seq-1")),
        calls(Call("search_files", {"pattern": "return"}, id="seq-2")),
        say("Found it."),
    )
    session = await agent.new_session(agent.stage.workspace(a__py=CODE))
    assert await session.prompt("look") == "end_turn"
    assert list(session.cards) == ["seq-1", "seq-2"]
    read, search = session.cards.values()
    assert (read["kind"], search["kind"]) == ("read", "search")
    for card in (read, search):
        assert card["statuses"] == ["pending", "in_progress", "completed"]
        assert card["rawOutput"]
    assert read["title"] == "Read a.py"
    assert read["rawInput"] == {"path": "a.py"}
    assert read["locations"][0]["path"] == str(session.cwd / "a.py")
    assert "return a - b" in provider.requests[-1].tool_results[0]
    assert agent.editor.asked == []


async def test_tools_of_one_answer_run_together_and_keep_their_order(agent: AcpClient) -> None:
    provider = agent.stage.provider
    provider.script(
        calls(*(Call("read_file", {"path": f"{n}.txt"}, id=f"par-{n}") for n in range(4))),
        say("All read."),
    )
    files = {f"{n}__txt": f"content {n}\n" for n in range(4)}
    session = await agent.new_session(agent.stage.workspace(**files))
    assert await session.prompt("read all") == "end_turn"
    assert all(card["status"] == "completed" for card in session.cards.values())
    results = provider.requests[-1].tool_results
    assert [f"content {n}" in results[n] for n in range(4)] == [True] * 4
    kinds = [(u["toolCallId"], u["status"]) for u in session.of_kind("tool_call_update")]
    started = [kinds.index((f"par-{n}", "in_progress")) for n in range(4)]
    ended = [kinds.index((f"par-{n}", "completed")) for n in range(4)]
    assert max(started) < min(ended)


async def test_an_edit_is_shown_as_a_diff_before_and_after_it_is_allowed(agent: AcpClient) -> None:
    edits = [{"old": "a - b", "new": "a + b"}]
    agent.stage.provider.script(
        calls(Call("read_file", {"path": "a.py"}, id="diff-1")),
        calls(Call("patch", {"path": "a.py", "edits": edits}, id="diff-2")),
        say("Fixed."),
    )
    agent.editor.decide = lambda _: ALLOW
    session = await agent.new_session(agent.stage.workspace(a__py=CODE))
    assert await session.prompt("fix it") == "end_turn"
    path = session.cwd / "a.py"
    fixed = CODE.replace("-", "+")
    diff = {"type": "diff", "path": str(path), "oldText": CODE, "newText": fixed}
    card = session.cards["diff-2"]
    assert (card["kind"], card["title"]) == ("edit", "Edit a.py")
    assert card["statuses"] == ["pending", "in_progress", "completed"]
    assert diff in card["content"]
    assert diff in agent.editor.asked[0]["toolCall"]["content"]
    assert path.read_text(encoding="utf-8") == fixed


async def test_a_new_file_is_a_diff_without_an_old_text(agent: AcpClient) -> None:
    agent.stage.provider.script(
        calls(Call("write_file", {"path": "sub/new.py", "content": "x = 1\n"}, id="new-1")),
        say("Written."),
    )
    agent.editor.decide = lambda _: ALLOW
    session = await agent.new_session()
    await session.prompt("write it")
    (diff,) = [part for part in session.card["content"] if part["type"] == "diff"]
    assert diff["newText"] == "x = 1\n"
    assert "oldText" not in diff
    assert (session.cwd / "sub/new.py").read_text(encoding="utf-8") == "x = 1\n"


async def test_a_command_shows_its_output_while_it_runs(agent: AcpClient) -> None:
    command = "echo begun; while [ ! -e go ]; do sleep 0.05; done; echo ended"
    agent.stage.provider.script(
        calls(Call("terminal", {"command": command}, id="live-1")), say("It ran.")
    )
    agent.editor.decide = lambda _: ALLOW
    session = await agent.new_session()
    answer = session.begin("run it")

    def shown() -> str:
        content = session.cards.get("live-1", {}).get("content", [])
        return "".join(part["content"]["text"] for part in content)

    await agent.wait_for(lambda: "\nbegun" in shown())
    assert "\nended" not in shown()
    assert session.card["status"] == "in_progress"
    (session.cwd / "go").touch()
    assert (await answer)["stopReason"] == "end_turn"
    assert "\nended" in shown()
    assert session.card["title"] == command


async def test_a_plan_is_shown_whole_each_time(agent: AcpClient) -> None:
    steps = [{"content": "read", "status": "in_progress"}, {"content": "write"}]
    agent.stage.provider.script(calls(Call("todo", {"steps": steps}, id="plan-1")), say("Planned."))
    session = await agent.new_session()
    await session.prompt("plan it")
    assert session.of_kind("plan")[-1]["entries"] == [
        {"content": "read", "priority": "medium", "status": "in_progress"},
        {"content": "write", "priority": "medium", "status": "pending"},
    ]


async def test_a_client_that_takes_operations_on_plans_is_told_of_the_plan_by_its_id(
    stage: Stage, running: Callable[..., Any]
) -> None:
    steps = [{"content": "read", "status": "in_progress"}]
    stage.provider.script(
        calls(Call("todo", {"steps": steps}, id="plan-1")),
        calls(Call("todo", {"steps": []}, id="plan-2")),
        say("Planned."),
    )
    takes = {**FULL, "plan": {}}
    async with running(stage, capabilities=takes) as client:
        session = await client.new_session()
        await session.prompt("plan it")
    async with running(stage, capabilities=takes) as client:
        again = await client.load_session(session.id, session.cwd)
    for shown in (session, again):
        (update,) = shown.of_kind("plan_update")
        plan = update["plan"]
        assert (plan["type"], plan["planId"]) == ("items", "steps")
        assert [entry["content"] for entry in plan["entries"]] == ["read"]
        (removed,) = shown.of_kind("plan_removed")
        assert removed["planId"] == "steps"
        assert shown.of_kind("plan") == []


async def test_usage_is_told_as_the_provider_counted_it(agent: AcpClient) -> None:
    agent.stage.provider.script(Reply([Text("hi"), Usage(prompt=1200, completion=34)]))
    session = await agent.new_session()
    await session.prompt("hi")
    usage = session.of_kind("usage_update")[-1]
    assert usage["used"] == 1234
    assert usage["size"] >= 1234


@pytest.mark.parametrize(
    ("finish", "reason"),
    [("content_filter", "refusal"), ("stop", "end_turn")],
)
async def test_how_an_answer_ends_is_told(agent: AcpClient, finish: str, reason: str) -> None:
    agent.stage.provider.script(Reply([Text("So"), Finish(finish)]))
    session = await agent.new_session()
    assert await session.prompt("go") == reason


@pytest.mark.parametrize(
    "wrong",
    [
        Call("read_file", "{not json", id="wrong-1"),
        Call("read_file", {"path": 5, "nonsense": True}, id="wrong-2"),
        Call("no_such_tool", {}, id="wrong-3"),
        Call("read_file", {"path": "missing.txt"}, id="wrong-4"),
    ],
    ids=["arguments", "types", "name", "file"],
)
async def test_a_call_that_cannot_be_done_fails_and_the_turn_goes_on(
    agent: AcpClient, wrong: Call
) -> None:
    agent.stage.provider.script(calls(wrong), say("Sorry."))
    session = await agent.new_session()
    assert await session.prompt("go") == "end_turn"
    assert session.card["status"] == "failed"
    assert session.card["content"]
    assert agent.stage.provider.requests[-1].tool_results[0]


async def test_two_sessions_at_once_do_not_mix(agent: AcpClient) -> None:
    provider = agent.stage.provider
    gates = {name: threading.Event() for name in ("first", "second")}

    def answer(request: Recorded) -> Reply:
        name = request.messages[-1]["content"]
        return Reply([Text(f"{name} begins, "), Wait(gates[name]), Text(f"{name} ends")])

    provider.handler = answer
    try:
        sessions = {name: await agent.new_session() for name in gates}
        answers = {name: session.begin(name) for name, session in sessions.items()}
        for name, session in sessions.items():
            await session.wait_for_text(f"{name} begins")
        gates["second"].set()
        assert (await answers["second"])["stopReason"] == "end_turn"
        assert not answers["first"].done()
        gates["first"].set()
        await asyncio.gather(*answers.values())
    finally:
        provider.handler = None
    for name, session in sessions.items():
        assert session.text == f"{name} begins, {name} ends"


async def test_a_retry_is_told_and_the_turn_goes_on(agent: AcpClient) -> None:
    agent.stage.provider.script(fail(503, "overloaded", retry_after="0"), say("Here I am."))
    session = await agent.new_session()
    assert await session.prompt("hi") == "end_turn"
    assert session.text == "Here I am."
    assert session.joined("agent_thought_chunk")
