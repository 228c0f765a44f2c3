"""What is asked, how it can be answered, and what an answer does."""

import asyncio
from typing import Any

import pytest

from hermes_core.agent.own_tools.leave_plan_mode import LABELS
from tests.e2e.client import AcpClient
from tests.e2e.editor import ALLOW, ALWAYS, CANCELLED, REJECT, AgentError
from tests.fakes.provider import Call, calls, say

pytestmark = pytest.mark.asyncio(loop_scope="module")


NEVER = {"outcome": {"outcome": "selected", "optionId": "reject_always"}}


def command(text: str, call_id: str) -> Call:
    return Call("terminal", {"command": text}, id=call_id)


async def test_the_question_shows_all_that_will_happen(agent: AcpClient) -> None:
    agent.stage.provider.script(calls(command("echo hi > made", "ask-1")), say("Done."))
    agent.editor.decide = lambda _: ALLOW
    session = await agent.new_session()
    assert await session.prompt("go") == "end_turn"
    (asked,) = agent.editor.asked
    call = asked["toolCall"]
    assert asked["sessionId"] == session.id
    assert call["toolCallId"] == "ask-1"
    assert (call["title"], call["kind"]) == ("echo hi > made", "execute")
    assert call["rawInput"] == {"command": "echo hi > made"}
    assert "echo hi > made" in call["content"][0]["content"]["text"]
    told = call["content"][1]["content"]["text"]
    assert "Asks because: " in told
    assert "Writes: made" in told
    kinds = [option["kind"] for option in asked["options"]]
    assert kinds == ["allow_once", "allow_always", "reject_once", "reject_always"]
    assert [option["name"] for option in asked["options"]][1].endswith("in this workspace")
    card = session.card
    assert card["statuses"] == ["pending", "in_progress", "completed"]
    assert (session.cwd / "made").exists()


async def test_code_is_shown_whole_before_it_runs(agent: AcpClient) -> None:
    code = "from pathlib import Path\nPath('made').write_text('by code')\nprint('written')\n"
    ran = Call("execute_code", {"code": code}, id="py-1")
    agent.stage.provider.script(calls(ran), say("Done."))
    agent.editor.decide = lambda _: ALLOW
    session = await agent.new_session()
    assert await session.prompt("go") == "end_turn"
    (asked,) = agent.editor.asked
    call = asked["toolCall"]
    assert call["title"].startswith("python3 -I -c 'from pathlib")
    assert call["rawInput"] == {"code": code}
    assert call["content"][0]["content"]["text"] == f"```python\n{code}```"
    assert "runs code" in call["content"][1]["content"]["text"]
    assert [option["kind"] for option in asked["options"]][1] == "allow_always"
    assert "exact command" in asked["options"][1]["name"]
    assert (session.cwd / "made").read_text(encoding="utf-8") == "by code"
    assert "written" in session.card["content"][1]["content"]["text"]


async def test_the_card_appears_before_its_question(agent: AcpClient) -> None:
    agent.stage.provider.script(calls(command("touch made", "order-1")), say("Done."))
    session = await agent.new_session()
    await session.prompt("go")
    order = [
        message["method"]
        for message in agent.received
        if "method" in message
        and "order-1" in str(message)
        and message["params"].get("update", {}).get("sessionUpdate") != "tool_call_update"
    ]
    assert order == ["session/update", "session/request_permission"]


async def test_a_rejected_call_does_not_run_and_the_turn_goes_on(agent: AcpClient) -> None:
    provider = agent.stage.provider
    provider.script(calls(command("touch made", "no-1")), say("As you wish."))
    agent.editor.decide = lambda _: REJECT
    session = await agent.new_session()
    assert await session.prompt("go") == "end_turn"
    assert session.card["statuses"] == ["pending", "failed"]
    assert "rejected" in provider.requests[-1].tool_results[0]
    assert session.text == "As you wish."
    assert not (session.cwd / "made").exists()


async def test_the_next_message_is_read_as_the_reason(agent: AcpClient) -> None:
    provider = agent.stage.provider
    provider.script(calls(command("touch made", "why-not-1")), say("What then?"), say("I see."))
    agent.editor.decide = lambda _: REJECT
    session = await agent.new_session()
    await session.prompt("go")
    await session.prompt("use make instead")
    *_, call, rejected, asked, reason = provider.requests[-1].messages
    assert call["tool_calls"][0]["id"] == "why-not-1"
    assert "ask the user what to do instead" in rejected["content"]
    assert (asked["content"], reason["content"]) == ("What then?", "use make instead")


async def test_one_rejection_does_not_touch_the_other_calls(agent: AcpClient) -> None:
    provider = agent.stage.provider
    provider.script(
        calls(command("touch one", "two-1"), command("touch two", "two-2")), say("Done.")
    )
    agent.editor.decide = lambda p: ALLOW if p["toolCall"]["toolCallId"] == "two-2" else REJECT
    session = await agent.new_session()
    await session.prompt("go")
    assert not (session.cwd / "one").exists()
    assert (session.cwd / "two").exists()
    assert [card["status"] for card in session.cards.values()] == ["failed", "completed"]


async def test_always_covers_the_same_command_in_this_workspace_only(agent: AcpClient) -> None:
    provider = agent.stage.provider
    provider.script(
        calls(command("echo x >> log", "always-1")),
        calls(command("echo x >> log", "always-2")),
        calls(command("echo y >> log", "always-3")),
        say("Done."),
        calls(command("echo x >> log", "always-4")),
        say("Done."),
        calls(command("echo x >> log", "always-5")),
        say("Done."),
    )
    agent.editor.decide = lambda p: ALWAYS if p["toolCall"]["toolCallId"] == "always-1" else REJECT
    session = await agent.new_session()
    await session.prompt("go")
    asked = [params["toolCall"]["toolCallId"] for params in agent.editor.asked]
    assert asked == ["always-1", "always-3"]
    assert (session.cwd / "log").read_text(encoding="utf-8") == "x\nx\n"
    later = await agent.new_session(session.cwd)
    await later.prompt("go")
    assert (session.cwd / "log").read_text(encoding="utf-8") == "x\nx\nx\n"
    elsewhere = await agent.new_session()
    await elsewhere.prompt("go")
    assert agent.editor.asked[-1]["toolCall"]["toolCallId"] == "always-5"
    assert not (elsewhere.cwd / "log").exists()


async def test_a_rule_is_kept_beyond_the_session_and_a_rejected_one_too(agent: AcpClient) -> None:
    provider = agent.stage.provider
    provider.script(calls(command("touch never", "never-1")), say("Done."))
    agent.editor.decide = lambda _: NEVER
    session = await agent.new_session()
    await session.prompt("go")
    provider.script(calls(command("touch never", "never-2")), say("Done."))
    later = await agent.new_session(session.cwd)
    await later.prompt("go")
    assert len(agent.editor.asked) == 1
    assert "the user always rejects it" in provider.requests[-1].tool_results[0]
    assert not (session.cwd / "never").exists()
    kept = (agent.stage.home / "approvals.yaml").read_text(encoding="utf-8")
    assert "touch never" in kept


WRONG: list[Any] = [
    CANCELLED,
    {"outcome": {"outcome": "selected"}},
    {"outcome": {"outcome": "selected", "optionId": "allow"}},
    {"outcome": {"outcome": "selected", "optionId": None}},
    {"outcome": "allow_once"},
    {"allow_once": True},
    {},
    AgentError({"code": -32603, "message": "the dialog crashed"}),
]


@pytest.mark.parametrize("answer", WRONG, ids=str)
async def test_anything_but_a_known_option_rejects(agent: AcpClient, answer: Any) -> None:
    agent.stage.provider.script(calls(command("touch made", f"wrong-{id(answer)}")), say("Fine."))
    agent.editor.answers_are_valid = False

    def decide(_: dict[str, Any]) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    agent.editor.decide = decide
    session = await agent.new_session()
    assert await session.prompt("go") == "end_turn"
    assert session.card["status"] == "failed"
    assert not (session.cwd / "made").exists()


async def test_a_path_outside_asks_and_one_inside_does_not(agent: AcpClient) -> None:
    outside = agent.stage.workspace(b__txt="outside\n") / "b.txt"
    agent.stage.provider.script(
        calls(Call("read_file", {"path": "a.txt"}, id="place-1")),
        calls(Call("read_file", {"path": str(outside)}, id="place-2")),
        say("Done."),
    )
    session = await agent.new_session(agent.stage.workspace(a__txt="inside\n"))
    await session.prompt("read both")
    assert [params["toolCall"]["toolCallId"] for params in agent.editor.asked] == ["place-2"]
    assert str(outside) in agent.editor.asked[0]["toolCall"]["title"]


async def test_an_additional_directory_is_inside(agent: AcpClient) -> None:
    more = agent.stage.workspace(b__txt="more\n")
    agent.stage.provider.script(
        calls(Call("read_file", {"path": str(more / "b.txt")}, id="more-1")), say("Done.")
    )
    session = await agent.new_session(additionalDirectories=[str(more)])
    await session.prompt("read it")
    assert agent.editor.asked == []
    assert session.card["status"] == "completed"


async def test_in_the_mode_accept_edits_edits_run_and_commands_still_ask(agent: AcpClient) -> None:
    agent.stage.provider.script(
        calls(Call("write_file", {"path": "a.txt", "content": "x"}, id="mode-1")),
        calls(command("touch made", "mode-2")),
        say("Done."),
    )
    session = await agent.new_session()
    params = {"sessionId": session.id, "modeId": "accept_edits"}
    await agent.request("session/set_mode", params)
    await session.prompt("go")
    assert [params["toolCall"]["toolCallId"] for params in agent.editor.asked] == ["mode-2"]
    assert (session.cwd / "a.txt").read_text(encoding="utf-8") == "x"


async def test_a_title_is_one_line_and_hides_nothing(agent: AcpClient) -> None:
    text = "touch one\ntouch \x1b[31mtwo\u202e"
    agent.stage.provider.script(calls(command(text, "title-1")), say("Done."))
    session = await agent.new_session()
    await session.prompt("go")
    title = agent.editor.asked[0]["toolCall"]["title"]
    assert len(title.splitlines()) == 1
    assert title.isprintable()
    assert "one" in title
    assert "two" in title
    assert title == session.card["title"]


async def test_two_questions_at_once_are_answered_each_for_itself(agent: AcpClient) -> None:
    agent.stage.provider.handler = lambda request: (
        say("Done.") if request.tool_results else calls(command("touch made", "same-id"))
    )
    answers: dict[str, asyncio.Future[Any]] = {}

    def decide(params: dict[str, Any]) -> Any:
        answers[params["sessionId"]] = asyncio.get_running_loop().create_future()
        return answers[params["sessionId"]]

    agent.editor.decide = decide
    try:
        first, second = await agent.new_session(), await agent.new_session()
        turns = [session.begin("go") for session in (first, second)]
        await agent.wait_for(lambda: len(answers) == 2)
        answers[second.id].set_result(ALLOW)
        await turns[1]
        assert not turns[0].done()
        answers[first.id].set_result(REJECT)
        await turns[0]
    finally:
        agent.stage.provider.handler = None
    assert (first.card["status"], second.card["status"]) == ("failed", "completed")
    assert not (first.cwd / "made").exists()
    assert (second.cwd / "made").exists()


async def set_mode(agent: AcpClient, session: Any, mode: str) -> None:
    await agent.request("session/set_mode", {"sessionId": session.id, "modeId": mode})


async def test_an_option_that_was_not_offered_rejects(agent: AcpClient) -> None:
    session = await agent.new_session(agent.stage.workspace(x__env="A=1\n"))
    agent.stage.provider.script(calls(command("cat x.env > made", "odd-1")), say("Fine."))
    agent.editor.answers_are_valid = False
    agent.editor.decide = lambda _: ALWAYS
    assert await session.prompt("go") == "end_turn"
    kinds = [option["kind"] for option in agent.editor.asked[0]["options"]]
    assert "allow_always" not in kinds
    assert not (session.cwd / "made").exists()


async def test_plan_refuses_and_tells_the_model_and_leaving_it_tells_again(
    agent: AcpClient,
) -> None:
    provider = agent.stage.provider
    session = await agent.new_session()
    await set_mode(agent, session, "plan")
    provider.script(calls(command("touch made", "plan-1")), say("I would touch it."))
    assert await session.prompt("go") == "end_turn"
    assert agent.editor.asked == []
    assert "plan mode" in provider.requests[-1].tool_results[0]
    assert "plan mode" in str(provider.requests[-2].messages[-1]["content"])
    await set_mode(agent, session, "accept_edits")
    provider.script(say("So I do."))
    await session.prompt("do it")
    assert "left plan mode" in str(provider.requests[-1].messages[-1]["content"])
    assert not (session.cwd / "made").exists()


@pytest.mark.parametrize(
    ("answer", "mode"), [(ALLOW, "default"), (ALWAYS, "accept_edits"), (REJECT, "plan")]
)
async def test_a_plan_is_shown_and_a_yes_leaves_plan_mode_at_once(
    agent: AcpClient, answer: dict[str, Any], mode: str
) -> None:
    session = await agent.new_session()
    await set_mode(agent, session, "plan")
    plan = {"plan": "1. Touch **made**."}
    agent.stage.provider.script(calls(Call("leave_plan_mode", plan, id="leave")), say("Well."))
    agent.editor.decide = lambda _: answer
    assert await session.prompt("go") == "end_turn"
    (asked,) = agent.editor.asked
    assert asked["toolCall"]["kind"] == session.card["kind"] == "switch_mode"
    assert asked["toolCall"]["content"][0]["content"]["text"] == plan["plan"]
    assert {option["kind"]: option["name"] for option in asked["options"]} == LABELS
    told = [update["currentModeId"] for update in session.of_kind("current_mode_update")]
    assert told[-1:] == ([mode] if mode != "plan" else told[-1:])
    options = await agent.request(
        "session/resume", {"sessionId": session.id, "cwd": str(session.cwd), "mcpServers": []}
    )
    assert options["modes"]["currentModeId"] == mode


@pytest.mark.parametrize(
    ("text", "kind"), [("rm old", "delete"), ("mv old new", "move"), ("ls", "execute")]
)
async def test_the_card_tells_what_sort_of_command_it_is(
    agent: AcpClient, text: str, kind: str
) -> None:
    agent.stage.provider.script(calls(command(text, "kind-1")), say("Done."))
    agent.editor.decide = lambda _: ALLOW
    session = await agent.new_session(agent.stage.workspace(old="1"))
    assert await session.prompt("go") == "end_turn"
    assert session.card["kind"] == kind
    assert all(asked["toolCall"]["kind"] == kind for asked in agent.editor.asked)


async def test_bypass_says_so_and_does_not_cover_what_is_delicate(agent: AcpClient) -> None:
    session = await agent.new_session(agent.stage.workspace(x__env="A=1\n"))
    await set_mode(agent, session, "bypass")
    agent.stage.provider.script(
        calls(command("touch made", "free-1"), command("cat x.env", "free-2")),
        calls(command("rm -rf /", "free-3")),
        say("Done."),
    )
    await session.prompt("go")
    asked = [params["toolCall"]["toolCallId"] for params in agent.editor.asked]
    assert asked == ["free-2"]
    titles = {key: card["title"] for key, card in session.cards.items()}
    assert titles["free-1"] == "[unasked] touch made"
    assert titles["free-2"] == "cat x.env"
    assert session.cards["free-3"]["status"] == "failed"
    assert (session.cwd / "made").exists()
    assert "bypass" in str(session.updates)


async def test_rules_are_listed_and_revoked_in_the_session(agent: AcpClient) -> None:
    session = await agent.new_session()
    agent.stage.provider.script(calls(command("touch listed", "list-1")), say("Done."))
    agent.editor.decide = lambda _: ALWAYS
    await session.prompt("go")
    session.updates.clear()
    await session.prompt("/approvals")
    place = str(session.cwd)
    (line,) = [line for line in session.text.splitlines() if place in line]
    assert "always allow `touch`" in line
    await session.prompt(f"/approvals revoke {line.partition('.')[0]}")
    assert "Revoked: always allow `touch`" in session.text
    await session.prompt("/approvals revoke x")
    assert "'x' is no number" in session.text
    agent.stage.provider.script(calls(command("touch listed", "list-2")), say("Done."))
    await session.prompt("go")
    assert agent.editor.asked[-1]["toolCall"]["toolCallId"] == "list-2"
