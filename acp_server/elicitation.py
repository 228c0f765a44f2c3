"""Questions as forms and pages of the editor (``elicitation/create``), where it has them.

The model's own questions are forms (``Elicitation``). So are those of MCP servers, which may also
name a page to be opened, as a login does (``ClientQuestions``). A question has no time limit. What
is not clearly an answer is none: a dismissed form, a broken or empty answer, an unknown action, an
error. When a question is withdrawn (its reply is cancelled), the client is told so, and an answer
that still comes changes nothing.
"""

import concurrent.futures
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from acp_server.session import Ask
from hermes_core.ground.asking import Answer, Form, Page
from hermes_core.ground.events import ClarifyRequested, Emit, Event

CREATE = "elicitation/create"
COMPLETE = "elicitation/complete"
ANSWER = "answer"
OTHER = "other"

Notify = Callable[[str, dict[str, Any]], object]
"""Sends a notification to the client, from any thread."""

_log = logging.getLogger(__name__)


class ClientQuestions:
    """Shows forms and pages by the client; a ``Questions`` of the core.

    scope: what they belong to: ``sessionId``, or ``requestId`` of the client's own request.
    forms, pages: what the client announced.
    """

    def __init__(
        self, ask: Ask, notify: Notify, scope: Mapping[str, Any], *, forms: bool, pages: bool
    ) -> None:
        self.forms = forms
        self.pages = pages
        self._ask = ask
        self._notify = notify
        self._scope = dict(scope)

    def ask(self, question: Form | Page) -> "Future[Answer]":
        """Show a question; cancel what is returned to withdraw it. The future never fails."""
        reply: Future[Answer] = Future()
        try:
            request = self._ask(CREATE, question_params(question, self._scope), timeout=None)
        except Exception:
            _log.exception("a question could not be shown")
            reply.set_result(Answer("cancel"))
            return reply
        reply.add_done_callback(lambda done: _withdraw(done, request))
        request.add_done_callback(lambda done: _settle(reply, _answer_in(done)))
        return reply

    def completed(self, page: Page) -> None:
        """Tell the client that what a page was shown for has been done."""
        self._notify(COMPLETE, {"elicitationId": page.id})


class Elicitation:
    """An ``Emit`` for one session: answers ``ClarifyRequested`` and hands on all else."""

    def __init__(self, ask: Ask, session_id: str, then: Emit) -> None:
        self._ask = ask
        self._session_id = session_id
        self._then = then

    def __call__(self, event: Event) -> None:
        """Put a question to the person; show any other event."""
        if isinstance(event, ClarifyRequested):
            self._put(event)
        else:
            self._then(event)

    def _put(self, event: ClarifyRequested) -> None:
        try:
            request = self._ask(CREATE, form(event, self._session_id), timeout=None)
        except Exception:
            _log.exception("the question of tool call %s could not be asked", event.call_id)
            _resolve(event, None)
            return
        event.reply.add_done_callback(lambda reply: _withdraw(reply, request))
        request.add_done_callback(lambda done: _resolve(event, _answer(done)))


def question_params(question: Form | Page, scope: Mapping[str, Any]) -> dict[str, Any]:
    """Return the params of ``elicitation/create`` for a form or a page.

    Only in a session is there a call that it can belong to.
    """
    params: dict[str, Any] = {**scope, "message": question.message}
    if question.call_id and "sessionId" in scope:
        params["toolCallId"] = question.call_id
    if isinstance(question, Form):
        return {**params, "mode": "form", "requestedSchema": dict(question.schema)}
    return {**params, "mode": "url", "elicitationId": question.id, "url": question.url}


def form(event: ClarifyRequested, session_id: str) -> dict[str, Any]:
    """Return the params of ``elicitation/create`` for a question.

    With choices there are two fields, none of them required: one to choose, one for own words.
    """
    properties: dict[str, Any] = {ANSWER: {"type": "string", "title": "Answer"}}
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if event.choices:
        properties[ANSWER]["enum"] = list(event.choices)
        properties[OTHER] = {"type": "string", "title": "Or in your own words"}
    else:
        schema["required"] = [ANSWER]
    params: dict[str, Any] = {
        "sessionId": session_id,
        "mode": "form",
        "message": event.question,
        "requestedSchema": schema,
    }
    if event.call_id:
        params["toolCallId"] = event.call_id
    return params


def answer_of(result: object) -> str | None:
    """Return what the client's result says; own words beat a choice. None: no answer."""
    if not isinstance(result, Mapping) or result.get("action") != "accept":
        return None
    content = result.get("content")
    if not isinstance(content, Mapping):
        return None
    for name in (OTHER, ANSWER):
        said = content.get(name)
        if isinstance(said, str) and said.strip():
            return said.strip()
    return None


def action_of(result: object) -> Answer:
    """Return what the client's result says was done; an unknown action is no answer."""
    if not isinstance(result, Mapping):
        return Answer("cancel")
    content = result.get("content")
    if result.get("action") == "accept":
        return Answer("accept", content if isinstance(content, Mapping) else {})
    return Answer("decline" if result.get("action") == "decline" else "cancel")


def _answer_in(request: "Future[dict[str, Any]]") -> Answer:
    if request.cancelled():
        return Answer("cancel")
    error = request.exception()
    if error is not None:
        _log.info("a question was not answered: %s", error)
        return Answer("cancel")
    return action_of(request.result())


def _settle(reply: "Future[Answer]", answer: Answer) -> None:
    with suppress(concurrent.futures.InvalidStateError):  # withdrawn meanwhile
        reply.set_result(answer)


def _answer(request: "Future[dict[str, Any]]") -> str | None:
    if request.cancelled():
        return None
    error = request.exception()
    if error is not None:
        _log.info("a question was not answered: %s", error)
        return None
    return answer_of(request.result())


def _resolve(event: ClarifyRequested, answer: str | None) -> None:
    with suppress(concurrent.futures.InvalidStateError):  # withdrawn meanwhile
        event.reply.set_result(answer)


def _withdraw(reply: "Future[Any]", request: "Future[dict[str, Any]]") -> None:
    if reply.cancelled():
        request.cancel()
