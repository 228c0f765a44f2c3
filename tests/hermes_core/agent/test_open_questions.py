"""Questions of one session that wait while another is answered."""

import threading
from pathlib import Path
from typing import Any

import pytest

from acp_server.permissions import Permissions
from hermes_core.agent.calls import CallRequest
from hermes_core.agent.cards import Card
from hermes_core.agent.consent import REJECTED, Consent
from hermes_core.agent.segments import Reach
from hermes_core.ground.actions import Action, Answer
from hermes_core.ground.events import ApprovalRequested
from hermes_core.ground.interrupt import Interrupt
from hermes_core.tools.registry import Output, Prepared
from tests.acp_server.test_permissions import Client
from tests.hermes_core.agent.doubles import WATCHDOG, Screen, Stage, tool_call


class Asker:
    """Asks a session's consent about commands, each on a thread of its own, as children do."""

    def __init__(self, consent: Consent, screen: Any) -> None:
        self._consent = consent
        self._screen = screen
        self._threads: dict[str, threading.Thread] = {}
        self._told: dict[str, str] = {}

    def ask(self, call_id: str, action: Action) -> None:
        prepared = Prepared(action.subject, action, lambda _: Output(""))
        call = tool_call(call_id, "terminal")
        card = Card(CallRequest(call, None, {}, {}, "", Reach("never")), lambda _: None)

        def refusal() -> None:
            self._told[call_id] = self._consent.refusal(card, prepared, self._screen, Interrupt())

        self._threads[call_id] = threading.Thread(target=refusal, daemon=True)
        self._threads[call_id].start()

    def told(self, call_id: str) -> str:
        self._threads[call_id].join(WATCHDOG)
        return self._told[call_id]


def command(text: str) -> Action:
    return Action("execute", text)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


@pytest.mark.parametrize(("answer", "told"), [("allow_always", ""), ("reject_always", REJECTED)])
def test_a_rule_answers_what_waits_and_nothing_else(
    stage: Stage, answer: Answer, told: str
) -> None:
    screen = Screen()
    asker = Asker(stage.tools.consent, screen)
    for call_id, text in (("1", "touch a"), ("2", "touch a"), ("3", "make x")):
        asker.ask(call_id, command(text))
        screen.wait_for(ApprovalRequested, int(call_id))
    first, second, third = screen.of(ApprovalRequested)
    first.reply.set_result(answer)
    assert asker.told("1") == told
    assert asker.told("2") == told
    assert second.reply.result(WATCHDOG) == ("reject_once" if told else "allow_once")
    assert not third.reply.done()
    third.reply.set_result("reject_once")
    assert asker.told("3") == REJECTED


def test_once_is_about_one_question_alone(stage: Stage) -> None:
    screen = Screen()
    asker = Asker(stage.tools.consent, screen)
    for call_id in ("1", "2"):
        asker.ask(call_id, command("touch a"))
        screen.wait_for(ApprovalRequested, int(call_id))
    first, second = screen.of(ApprovalRequested)
    first.reply.set_result("allow_once")
    assert asker.told("1") == ""
    assert not second.reply.done()
    second.reply.cancel()
    assert asker.told("2") == REJECTED


def test_a_visit_to_a_host_is_the_first_one_once(stage: Stage) -> None:
    screen = Screen()
    asker = Asker(stage.tools.consent, screen)
    for call_id in ("1", "2"):
        asker.ask(call_id, Action("fetch", "https://a.org/x", (), "", "a.org"))
        screen.wait_for(ApprovalRequested, int(call_id))
    screen.of(ApprovalRequested)[0].reply.set_result("allow_once")
    assert [asker.told("1"), asker.told("2")] == ["", ""]


def test_what_a_rule_answers_is_never_put_before_the_person(stage: Stage) -> None:
    client, screen = Client(), Screen()
    permissions = Permissions(client.ask, "s1", lambda _: None)

    def show(event: Any) -> None:
        permissions(event)
        screen(event)

    asker = Asker(stage.tools.consent, show)
    for call_id, text in (("1", "touch a"), ("2", "touch a"), ("3", "make x")):
        asker.ask(call_id, command(text))
        screen.wait_for(ApprovalRequested, int(call_id))
    client.choose(0, "allow_always")
    assert [asker.told("1"), asker.told("2")] == ["", ""]
    asked = [params["toolCall"]["toolCallId"] for params, _ in client.asked]
    assert asked == ["1", "3"]
    client.choose(1, "reject_once")
    assert asker.told("3") == REJECTED
