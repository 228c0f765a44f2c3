"""Questions of the agent as forms of the editor (``elicitation/create``), where it has them.

A question has no time limit. What is not clearly an answer is none: a declined or dismissed form,
a broken or empty answer, an error. When the turn withdraws its question (``reply`` is cancelled),
the client is told so, and an answer that still comes changes nothing.
"""

import concurrent.futures
import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from acp_server.session import Ask
from hermes_core.ground.events import ClarifyRequested, Emit, Event

CREATE = "elicitation/create"
ANSWER = "answer"
OTHER = "other"

_log = logging.getLogger(__name__)


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


def _answer(request: "concurrent.futures.Future[dict[str, Any]]") -> str | None:
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


def _withdraw(
    reply: "concurrent.futures.Future[str | None]",
    request: "concurrent.futures.Future[dict[str, Any]]",
) -> None:
    if reply.cancelled():
        request.cancel()
