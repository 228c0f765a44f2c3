"""Questions as forms: what is an answer, and what becomes of a question nobody answers."""

import json
from concurrent.futures import Future
from typing import Any

import pytest

from acp_server.elicitation import (
    COMPLETE,
    CREATE,
    ClientQuestions,
    Elicitation,
    action_of,
    answer_of,
    form,
)
from hermes_core.ground.asking import Answer, Form, Page
from hermes_core.ground.events import ClarifyRequested, Event, StatusChanged
from tests.schema.validate import WireValidator


class Client:
    """Keeps what it is asked; ``answers`` are the futures that were handed out."""

    def __init__(self, error: Exception | None = None) -> None:
        self.asked: list[tuple[str, dict[str, Any], float | None]] = []
        self.answers: list[Future[dict[str, Any]]] = []
        self._error = error

    def __call__(
        self, method: str, params: dict[str, Any], *, timeout: float | None
    ) -> "Future[dict[str, Any]]":
        if self._error:
            raise self._error
        self.asked.append((method, params, timeout))
        self.answers.append(Future())
        return self.answers[-1]


def question(*choices: str) -> ClarifyRequested:
    return ClarifyRequested("c1", "Which one?", choices)


def put(client: Client, event: ClarifyRequested) -> list[Event]:
    shown: list[Event] = []
    Elicitation(client, "s1", shown.append)(event)
    return shown


def test_other_events_are_handed_on() -> None:
    shown: list[Event] = []
    event = StatusChanged("info", "x")
    Elicitation(Client(), "s1", shown.append)(event)
    assert shown == [event]


@pytest.mark.parametrize("choices", [(), ("red", "blue")])
def test_the_form_is_valid_and_asks_without_a_time_limit(choices: tuple[str, ...]) -> None:
    client = Client()
    event = question(*choices)
    assert put(client, event) == []
    ((method, params, timeout),) = client.asked
    assert (method, timeout) == (CREATE, None)
    line = json.dumps({"jsonrpc": "2.0", "id": "1", "method": method, "params": params})
    WireValidator().check(line.encode(), "agent")
    assert params["sessionId"] == "s1"
    assert params["toolCallId"] == "c1"
    assert params["message"] == "Which one?"
    schema = params["requestedSchema"]
    assert schema["properties"]["answer"].get("enum", []) == list(choices)
    assert ("other" in schema["properties"]) == bool(choices)


def test_a_question_without_a_call_has_no_null() -> None:
    assert "toolCallId" not in form(ClarifyRequested("", "Why?"), "s1")


def test_an_answer_reaches_the_one_who_asked() -> None:
    client, event = Client(), question("red")
    put(client, event)
    client.answers[0].set_result({"action": "accept", "content": {"answer": "red"}})
    assert event.reply.result(0) == "red"


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        ({"action": "accept", "content": {"answer": " red "}}, "red"),
        ({"action": "accept", "content": {"answer": "red", "other": "green"}}, "green"),
        ({"action": "accept", "content": {"answer": "red", "other": " "}}, "red"),
        ({"action": "accept", "content": {"answer": ""}}, None),
        ({"action": "accept", "content": {"answer": 3}}, None),
        ({"action": "accept", "content": None}, None),
        ({"action": "accept"}, None),
        ({"action": "decline"}, None),
        ({"action": "cancel"}, None),
        ({"action": "_new", "content": {"answer": "red"}}, None),
        ({}, None),
        (None, None),
        ([], None),
        ({"action": "accept", "content": ["red"]}, None),
    ],
)
def test_only_what_is_clearly_an_answer_is_one(result: Any, answer: str | None) -> None:
    assert answer_of(result) == answer


def test_an_error_is_no_answer() -> None:
    client, event = Client(), question()
    put(client, event)
    client.answers[0].set_exception(RuntimeError("no such method"))
    assert event.reply.result(0) is None


def test_a_client_that_cannot_be_asked_gives_no_answer() -> None:
    event = question()
    put(Client(RuntimeError("gone")), event)
    assert event.reply.result(0) is None


def test_a_withdrawn_question_is_withdrawn_from_the_client() -> None:
    client, event = Client(), question()
    put(client, event)
    event.reply.cancel()
    assert client.answers[0].cancelled()


def test_an_answer_after_the_withdrawal_changes_nothing() -> None:
    client, event = Client(), question()
    put(client, event)
    client.answers[0].set_running_or_notify_cancel()  # the answer is on its way
    event.reply.cancel()
    client.answers[0].set_result({"action": "accept", "content": {"answer": "late"}})
    assert event.reply.cancelled()


SCHEMA = {"type": "object", "properties": {"name": {"type": "string", "title": "Name"}}}
SCOPES = [{"sessionId": "s1"}, {"requestId": 7}, {"requestId": "x"}]


def shown(client: Client, scope: dict[str, Any]) -> ClientQuestions:
    return ClientQuestions(client, lambda *_: None, scope, forms=True, pages=True)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize(
    "question", [Form("Who?", SCHEMA, "c1"), Page("There.", "https://a.example/x", "c1")]
)
def test_forms_and_pages_are_asked_validly(question: Form | Page, scope: dict[str, Any]) -> None:
    client = Client()
    shown(client, scope).ask(question)
    ((method, params, timeout),) = client.asked
    assert (method, timeout) == (CREATE, None)
    line = json.dumps({"jsonrpc": "2.0", "id": "1", "method": method, "params": params})
    WireValidator().check(line.encode(), "agent")
    assert params.get("toolCallId") == ("c1" if "sessionId" in scope else None)
    if isinstance(question, Page):
        assert (params["url"], params["elicitationId"]) == (question.url, question.id)


def test_a_page_that_is_done_is_told() -> None:
    told: list[tuple[str, dict[str, Any]]] = []

    def notify(method: str, params: dict[str, Any]) -> None:
        told.append((method, params))

    page = Page("There.", "https://a.example/x")
    ClientQuestions(Client(), notify, {}, forms=False, pages=True).completed(page)
    assert told == [(COMPLETE, {"elicitationId": page.id})]
    line = json.dumps({"jsonrpc": "2.0", "method": COMPLETE, "params": told[0][1]})
    WireValidator().check(line.encode(), "agent")


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        ({"action": "accept", "content": {"name": "me"}}, Answer("accept", {"name": "me"})),
        ({"action": "accept"}, Answer("accept")),
        ({"action": "accept", "content": [1]}, Answer("accept")),
        ({"action": "decline", "content": {"name": "me"}}, Answer("decline")),
        ({"action": "cancel"}, Answer("cancel")),
        ({"action": "_novel"}, Answer("cancel")),
        ({"action": ["accept"]}, Answer("cancel")),
        ({}, Answer("cancel")),
        (None, Answer("cancel")),
        ("accept", Answer("cancel")),
    ],
)
def test_what_a_client_says_was_done(result: Any, answer: Answer) -> None:
    assert action_of(result) == answer


def test_what_fails_is_no_answer() -> None:
    client = Client()
    reply = shown(client, {"sessionId": "s"}).ask(Form("Who?", SCHEMA))
    client.answers[0].set_exception(RuntimeError("gone"))
    assert reply.result(0) == Answer("cancel")
    broken = shown(Client(RuntimeError("closed")), {"sessionId": "s"})
    assert broken.ask(Form("Who?", SCHEMA)).result(0) == Answer("cancel")


def test_a_question_that_is_withdrawn_is_taken_back_and_answered_no_more() -> None:
    client = Client()
    reply = shown(client, {"sessionId": "s"}).ask(Form("Who?", SCHEMA))
    assert reply.cancel()
    assert client.answers[0].cancelled()
    reply = shown(client, {"sessionId": "s"}).ask(Form("Who?", SCHEMA))
    client.answers[1].set_result({"action": "decline"})
    assert reply.result(0) == Answer("decline")
    assert not reply.cancel()
