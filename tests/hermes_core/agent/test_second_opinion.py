"""A model that looks at what would run unasked: it raises questions and spares none."""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes_core import AIAgent
from hermes_core.agent.consent import BYPASSED, NOBODY, REJECTED
from hermes_core.agent.ledger import Ledger
from hermes_core.agent.second_opinion import LONGEST, SecondOpinion, doubt_in
from hermes_core.approval.git_settings import neutral_environment
from hermes_core.approval.rules import Rule
from hermes_core.ground.actions import Action, Answer, Decision, Mode
from hermes_core.ground.events import ApprovalRequested, ToolCallFinished, ToolCallStarted
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.config import Config
from hermes_core.model.auxiliary import AuxiliaryModel
from hermes_core.providers.resolution import Request
from hermes_core.sessions.store import Store
from hermes_core.sessions.usage import usage_of
from hermes_core.tools.registry import Output, Prepared, Progress, ToolContext, ToolSpec
from tests.fakes.provider import Call, FakeProvider, Reply, Text, Wait, fail, say
from tests.hermes_core.agent.doubles import WATCHDOG, MakeAgent, Screen
from tests.hermes_core.agent.test_open_questions import Asker

Make = Callable[..., AIAgent]
ASKS = "ask: it prints **all** of the file"


@pytest.fixture
def make(make_agent: MakeAgent, config: Config) -> Make:
    """Make an agent with a second opinion, whose screen answers as ``answer`` says."""

    def made(answer: str | None = "allow_once", **more: Any) -> AIAgent:
        settings = replace(config, second_opinion=True, **more.pop("settings", {}))
        screen = Screen((lambda question: question.reply.set_result(answer)) if answer else None)
        agent = make_agent(config=settings, emit=screen, **more)
        agent.screen = screen  # type: ignore[attr-defined]
        return agent

    return made


def runs(command: str) -> Reply:
    return Reply([Call("terminal", {"command": command})])


def of(agent: AIAgent, kind: type) -> list[Any]:
    screen: Screen = agent.screen  # type: ignore[attr-defined]
    return screen.of(kind)


def outputs(agent: AIAgent) -> list[str]:
    return [event.output for event in of(agent, ToolCallFinished)]


def test_what_it_clears_runs_unasked(make: Make, provider: FakeProvider, store: Store) -> None:
    provider.script(runs("cat main.py"), say("OK."), say("Done."))
    agent = make()
    agent.chat("look")
    assert "def add" in outputs(agent)[0]
    assert of(agent, ApprovalRequested) == []
    asked = provider.requests[1]
    assert [message["role"] for message in asked.messages] == ["system", "user"]
    assert "tools" not in asked.body
    shown = json.loads(asked.messages[1]["content"])
    assert (shown["kind"], shown["text"]) == ("shell command", "cat main.py")
    assert [used.task for used in usage_of(store, agent.session_id)] == ["", "approval"]


def test_a_doubt_is_a_question_and_its_answer_decides(make: Make, provider: FakeProvider) -> None:
    provider.script(runs("cat main.py"), say(ASKS), say("Done."))
    agent = make("reject_once")
    agent.chat("look")
    [question] = of(agent, ApprovalRequested)
    assert "second opinion, says: it prints **all** of the file" in question.reason
    assert question.always == "this exact command in this workspace, while it only reads"
    assert outputs(agent)[0].startswith(REJECTED)


def test_what_a_person_allowed_is_not_doubted_again(make: Make, provider: FakeProvider) -> None:
    provider.script(runs("cat main.py"), say(ASKS), runs("cat main.py"), say("Done."))
    agent = make()
    agent.chat("look")
    assert len(of(agent, ApprovalRequested)) == 1
    assert all("def add" in output for output in outputs(agent))
    assert len(provider.requests) == 4


def test_what_was_cleared_is_not_looked_at_again(make: Make, provider: FakeProvider) -> None:
    provider.script(runs("cat main.py"), say("ok"), runs("cat main.py"), say("Done."))
    agent = make()
    agent.chat("look")
    assert len(outputs(agent)) == 2
    assert of(agent, ApprovalRequested) == []


def test_always_spares_the_look_in_other_sessions_too(make: Make, provider: FakeProvider) -> None:
    provider.script(runs("cat main.py"), say(ASKS), say("Done."))
    make("allow_always").chat("look")
    provider.script(runs("cat main.py"), say("Done."))
    agent = make(None)
    agent.chat("look")
    assert "def add" in outputs(agent)[0]
    assert of(agent, ApprovalRequested) == []


def test_always_covers_a_harmless_command_only_while_it_is_harmless(
    make: Make, provider: FakeProvider, project: Path, tmp_path: Path
) -> None:
    (tmp_path / "private").write_text("not yours")
    provider.script(runs("cat main.py"), say(ASKS), runs("cat main.py"), say("Done."))
    agent = make("allow_always")
    agent.chat("look")
    assert len(of(agent, ApprovalRequested)) == 1
    (project / "main.py").unlink()
    (project / "main.py").symlink_to(tmp_path / "private")
    provider.script(runs("cat main.py"), say("Done."))
    agent = make("reject_once")
    agent.chat("look")
    assert len(of(agent, ApprovalRequested)) == 1
    assert "not yours" not in outputs(agent)[0]


def test_what_it_doubts_still_runs_behind_the_wall(
    make: Make, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer of a person's does not widen what the engine let run only in a sandbox."""
    seen: list[tuple[bool, Mapping[str, str]]] = []
    provider.script(runs("cat main.py"), say(ASKS), say("Done."))
    agent = make()
    spec = agent._tools["terminal"]
    prepare = spec.prepare

    def prepared(_spec: ToolSpec, context: ToolContext, arguments: Any) -> Prepared:
        call = prepare(context, arguments)

        def run(_progress: Progress) -> Output:
            seen.append((call.leave.unasked, call.leave.environment))
            return Output("seen")

        return replace(call, run=run)

    monkeypatch.setattr(ToolSpec, "prepare", prepared)
    agent.chat("look")
    assert seen == [(True, neutral_environment())]


def test_it_spares_no_question(make: Make, provider: FakeProvider) -> None:
    provider.script(runs("touch made"), say("Done."))
    agent = make("reject_once")
    agent.chat("make it")
    assert len(of(agent, ApprovalRequested)) == 1
    assert len(provider.requests) == 2


def test_in_bypass_it_asks_and_the_question_has_the_plain_command(
    make: Make, provider: FakeProvider
) -> None:
    provider.script(runs("touch made"), say(ASKS), say("Done."))
    agent = make("reject_once", mode="bypass")
    agent.chat("make it")
    [question] = of(agent, ApprovalRequested)
    [card] = of(agent, ToolCallStarted)
    assert question.title == card.title == "touch made"


def test_in_bypass_the_card_of_what_it_clears_says_so(make: Make, provider: FakeProvider) -> None:
    provider.script(runs("touch made"), say("ok"), say("Done."))
    agent = make(None, mode="bypass")
    agent.chat("make it")
    assert [card.title for card in of(agent, ToolCallStarted)] == [f"{BYPASSED} touch made"]


def test_once_is_once_for_what_the_mode_alone_lets_run(make: Make, provider: FakeProvider) -> None:
    provider.script(runs("touch made"), say(ASKS), runs("touch made"), say("Done."))
    agent = make(mode="bypass")
    agent.chat("make it")
    assert len(of(agent, ApprovalRequested)) == 2
    assert len(provider.requests) == 4


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (fail(400, "no such model"), "there is no second opinion"),
        (say("Sure, this looks fine to me"), "did not clear it"),
        (say("ok\nask: or is it"), "did not clear it"),
        (say("ask:"), "says: ask"),
    ],
)
def test_whatever_it_does_not_clear_asks(
    make: Make, provider: FakeProvider, answer: Reply, reason: str
) -> None:
    provider.script(runs("cat main.py"), answer, say("Done."))
    agent = make("reject_once")
    agent.chat("look")
    [question] = of(agent, ApprovalRequested)
    assert reason in question.reason


@pytest.mark.parametrize("doubt", [say(ASKS), fail(400, "no")])
def test_what_a_person_refused_is_asked_again_and_no_model_clears_it(
    make: Make, provider: FakeProvider, doubt: Reply
) -> None:
    provider.script(runs("cat main.py"), doubt, runs("cat main.py"), say("Done."))
    agent = make("reject_once")
    agent.chat("look")
    assert len(of(agent, ApprovalRequested)) == 2
    assert all(output.startswith(REJECTED) for output in outputs(agent))
    assert len(provider.requests) == 4


def test_what_is_decided_meanwhile_counts(
    make: Make, provider: FakeProvider, project: Path
) -> None:
    """A model thinks for seconds; a person may have left the mode, or forbidden it, by then."""
    gate = threading.Event()
    for then in ("mode", "rule"):
        before = len(provider.requests)
        gate.clear()
        provider.script(runs("touch made"), Reply([Wait(gate), Text("ok")]), say("Done."))
        agent = make("reject_once", mode="bypass")
        turn = threading.Thread(target=agent.chat, args=("make it",))
        turn.start()
        provider.wait_for_request(before + 2)
        if then == "mode":
            agent.mode = "default"
        else:
            agent.rules.add(Rule("deny", "program", "touch", str(project)))
        gate.set()
        turn.join(WATCHDOG)
        assert not turn.is_alive()
        assert len(of(agent, ApprovalRequested)) == (then == "mode")
        assert ("always rejects" in outputs(agent)[0]) is (then == "rule")


@pytest.mark.parametrize("answer", ["allow_once", "reject_once"])
def test_an_answer_to_one_doubt_answers_no_other_question(
    make: Make, provider: FakeProvider, answer: Answer
) -> None:
    """Children share a session's questions: what one was refused, another must not run."""
    provider.script(say(ASKS), say("ok"))
    agent = make(None)
    screen: Screen = agent.screen  # type: ignore[attr-defined]
    asker = Asker(agent._consent, screen)
    look = Action("execute", "cat main.py")
    for call_id in ("1", "2"):
        asker.ask(call_id, look)
        screen.wait_for(ApprovalRequested, int(call_id))
    first, second = of(agent, ApprovalRequested)
    first.reply.set_result(answer)
    assert asker.told("1") == ("" if answer == "allow_once" else REJECTED)
    assert not second.reply.done()
    second.reply.set_result("reject_once")
    assert asker.told("2") == REJECTED
    assert len(provider.requests) == 1


def test_a_doubt_counts_that_comes_while_another_look_clears_it(
    make: Make, provider: FakeProvider
) -> None:
    gate = threading.Event()
    provider.script(Reply([Wait(gate), Text(ASKS)]), Reply([Wait(gate), Text("ok")]))
    agent = make("reject_once")
    asker = Asker(agent._consent, agent.screen)  # type: ignore[attr-defined]
    for call_id in ("1", "2"):
        asker.ask(call_id, Action("execute", "cat main.py"))
        provider.wait_for_request(int(call_id))
    gate.set()
    told = [asker.told(call_id) for call_id in ("1", "2")]
    assert REJECTED in told  # which of the two answers comes first is open
    asker.ask("3", Action("execute", "cat main.py"))
    assert asker.told("3") == REJECTED


def test_a_page_of_a_host_visited_meanwhile_is_still_for_its_person(
    make: Make, provider: FakeProvider
) -> None:
    agent = make(None)
    asker = Asker(agent._consent, agent.screen)  # type: ignore[attr-defined]
    for call_id in ("1", "2"):
        asker.ask(call_id, Action("fetch", f"https://a.example/{call_id}", key="a.example"))
        agent.screen.wait_for(ApprovalRequested, int(call_id))  # type: ignore[attr-defined]
    first, second = of(agent, ApprovalRequested)
    first.reply.set_result("allow_once")
    assert asker.told("1") == ""
    assert not second.reply.done()
    second.reply.set_result("allow_once")
    assert asker.told("2") == ""
    assert provider.requests == []


def test_a_very_long_action_is_for_a_person(make: Make, provider: FakeProvider) -> None:
    provider.script(runs("cat main.py" + " main.py" * (LONGEST // 8)), say("Done."))
    agent = make("reject_once")
    agent.chat("look")
    [question] = of(agent, ApprovalRequested)
    assert question.reason.startswith("Asks because: it is ")
    assert len(provider.requests) == 2


def test_an_opinion_that_breaks_is_a_question(config: Config, provider: FakeProvider) -> None:
    provider.script(say("ok"))
    settings = (replace(config, second_opinion=True), Request())
    opinion = SecondOpinion(lambda: settings, BrokenLedger(), "/w")
    action, decision = Action("execute", "cat a"), Decision("allow", unasked=True)
    assert opinion.consider(action, decision, Interrupt())
    asked = opinion.weighed(action, decision)
    assert (asked.verdict, asked.unasked) == ("ask", True)
    assert "it failed in a way that the log tells" in asked.reason


class BrokenLedger(Ledger):
    """Writes nothing down."""

    def __init__(self) -> None:
        pass

    def add_auxiliary(self, asked: AuxiliaryModel, *, of_turn: bool = True) -> None:
        raise RuntimeError("broken")


def test_where_nobody_can_be_asked_a_doubt_refuses(
    make_agent: MakeAgent, config: Config, provider: FakeProvider
) -> None:
    provider.script(runs("cat main.py"), say(ASKS), say("Done."))
    agent = make_agent(config=replace(config, second_opinion=True))
    agent.chat("look")
    answers = [m for m in provider.requests[2].messages if m["role"] == "tool"]
    assert NOBODY in answers[0]["content"]


@pytest.mark.parametrize("mode", ["default", "bypass"])
def test_a_cancel_does_not_wait_for_it(make: Make, provider: FakeProvider, mode: Mode) -> None:
    never = threading.Event()
    provider.script(runs("cat main.py"), Reply([Wait(never), Text("ok")]))
    agent = make(mode=mode)
    turn = threading.Thread(target=agent.chat, args=("look",))
    turn.start()
    provider.wait_for_request(2)
    agent.interrupt()
    turn.join(WATCHDOG)
    assert not turn.is_alive()
    assert of(agent, ApprovalRequested) == []
    never.set()


def test_no_key_is_shown_to_it(make: Make, provider: FakeProvider) -> None:
    key = "sk-ant-" + "api03-" + "q7Rt" * 20
    provider.script(runs(f"rg {key} main.py"), say("ok"), say("Done."))
    make().chat("look")
    assert key not in json.dumps(provider.requests[1].messages)
    provider.script(runs(f"rg 'x\n{key}' main.py"), say("ok"), say("Done."))
    make().chat("look")
    assert provider.requests[4].messages[0]["role"] == "system"
    assert "shell command" in provider.requests[4].messages[1]["content"]
    assert key not in json.dumps(provider.requests[4].messages)


def test_without_the_setting_no_model_is_asked(
    make_agent: MakeAgent, provider: FakeProvider
) -> None:
    provider.script(runs("cat main.py"), say("Done."))
    make_agent().chat("look")
    assert len(provider.requests) == 2


@pytest.mark.parametrize(
    ("answer", "doubt"),
    [
        ("ok", ""),
        (" OK. \n", ""),
        ("`ok`", ""),
        ("okay", "m, asked for a second opinion, did not clear it"),
        ("Ask: hides\u202ebidi", "m, asked for a second opinion, says: hides\\u202ebidi"),
        ("ask: " + "x" * 900, "m, asked for a second opinion, says: " + "x" * 200),
        ("not ok", "m, asked for a second opinion, did not clear it"),
    ],
)
def test_only_the_agreed_word_clears(answer: str, doubt: str) -> None:
    assert doubt_in(answer, "m") == doubt
