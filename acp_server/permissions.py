"""Questions to the person, one after another, each bound to its own tool call.

A question has no time limit. What is not clearly a known option is a rejection: another option, a
broken answer, an error, the end of the connection. Where the editor has forms, a person who rejects
is asked why, for a while. When the turn withdraws its question
(``reply`` is cancelled) or a rule answers it, the client is told so, and an answer that still comes
changes nothing. The next question waits until it is known whether this answer settles it too.
"""

import concurrent.futures
import logging
import threading
from collections import deque
from contextlib import suppress
from functools import partial
from typing import Any

from acp_server.mapping import (
    Json,
    permission_answer,
    permission_words,
    reason_form,
    reason_of,
    was_rejected,
)
from acp_server.session import Ask
from acp_server.subagents import question
from hermes_core.ground.actions import Answer
from hermes_core.ground.events import ApprovalRequested, Emit, Event

REQUEST_PERMISSION = "session/request_permission"
CREATE = "elicitation/create"

PATIENCE = 120.0
"""Seconds that a person has to say why."""

_log = logging.getLogger(__name__)


class Permissions:
    """An ``Emit`` for one session: answers ``ApprovalRequested`` and hands on all events.

    subagents: whether the client shows children in sessions of their own. forms: whether it can
    ask for a reason.
    """

    def __init__(
        self,
        ask: Ask,
        session_id: str,
        then: Emit,
        *,
        subagents: bool = False,
        forms: bool = False,
    ) -> None:
        self._ask = ask
        self._forms = forms
        self._subagents = subagents
        self._session_id = session_id
        self._then = then
        self._lock = threading.Lock()
        self._waiting: deque[ApprovalRequested] = deque()
        self._asking = False

    def __call__(self, event: Event) -> None:
        """Ask a question as soon as its turn comes; hand on every event at once."""
        if not isinstance(event, ApprovalRequested):
            self._then(event)
            return
        self._then(event)
        with self._lock:
            self._waiting.append(event)
        self._ask_next()

    def _ask_next(self) -> None:
        while True:
            with self._lock:
                if self._asking or not self._waiting:
                    return
                event = self._waiting.popleft()
                if event.reply.done():
                    continue
                self._asking = True
            self._put(event)

    def _put(self, event: ApprovalRequested) -> None:
        params = question(event, self._session_id, subagents=self._subagents)
        try:
            request = self._ask(REQUEST_PERMISSION, params, timeout=None)
        except Exception:
            _log.exception("the question for tool call %s could not be asked", event.call_id)
            self._resolve(event, "reject_once")
            return
        event.reply.add_done_callback(lambda _: request.cancel())
        request.add_done_callback(partial(self._answered, event, params))

    def _answered(
        self,
        event: ApprovalRequested,
        params: Json,
        request: "concurrent.futures.Future[dict[str, Any]]",
    ) -> None:
        answer = _answer(request, event)
        if not request.cancelled() and request.exception() is None:
            result = request.result()
            event.words.extend(filter(None, [permission_words(result)]))
            if self._forms and not event.words and was_rejected(result):
                self._ask_why(event, params, answer)
                return
        self._resolve(event, answer)

    def _ask_why(self, event: ApprovalRequested, params: Json, answer: Answer) -> None:
        try:
            form = self._ask(CREATE, reason_form(params), timeout=PATIENCE)
        except Exception:
            _log.exception("the reason of a rejection could not be asked")
            self._resolve(event, answer)
            return
        event.reply.add_done_callback(lambda _: form.cancel())

        def told(form: "concurrent.futures.Future[dict[str, Any]]") -> None:
            if not form.cancelled() and form.exception() is None:
                event.words.extend(filter(None, [reason_of(form.result())]))
            self._resolve(event, answer)

        form.add_done_callback(told)

    def _resolve(self, event: ApprovalRequested, answer: Answer) -> None:
        with suppress(concurrent.futures.InvalidStateError):  # withdrawn meanwhile
            event.reply.set_result(answer)
        if event.taken is None:
            self._next()
        else:
            event.taken.add_done_callback(lambda _: self._next())

    def _next(self) -> None:
        with self._lock:
            self._asking = False
        self._ask_next()


def _answer(
    request: "concurrent.futures.Future[dict[str, Any]]", event: ApprovalRequested
) -> Answer:
    if request.cancelled():
        return "reject_once"
    error = request.exception()
    if error is not None:
        _log.info("a question was not answered: %s", error)
        return "reject_once"
    return permission_answer(request.result(), event)
