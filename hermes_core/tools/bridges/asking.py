"""What MCP servers ask the person: forms, and pages to be opened.

A question is shown while a call that can ask runs, one at a time, and withdrawn with it. Whatever
is wrong with one is declined and told on the call's card. Runs on the bridges' loop.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hermes_core.ground.asking import Answer, Form, Page, Questions
from hermes_core.ground.errors import ToolError
from hermes_core.ground.forms import FormRefused, content_of, form_schema
from hermes_core.ground.pages import host_of_page, page_refusal
from hermes_core.ground.visible import many_lines, one_line

if TYPE_CHECKING:
    from mcp.client.session import ClientRequestContext
    from mcp_types import ElicitRequestParams, ElicitRequestURLParams, ElicitResult

MOST_QUESTIONS = 10
"""Questions that a server may ask during one call; further ones are declined."""

LONGEST_MESSAGE = 2_000
"""Characters of what a server says with a question; the rest is cut."""

MOST_PAGES = 20
"""Pages of a server that are remembered until it tells that they are done."""

URL_REQUIRED = -32042
"""The error of a call that cannot be answered before a page was visited (MCP 2025-11-25)."""

_DECLINE = Answer("decline")
_CANCEL = Answer("cancel")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Caller:
    """For whom a tool is called.

    questions: None where nobody can be asked. tell: puts a remark on the call's card. trace: the
    trace context that goes with the call (``_meta``).
    """

    questions: Questions | None = None
    call_id: str = ""
    tell: Callable[[str], None] = lambda _: None
    trace: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class _Call:
    """A call during which the server may ask. limit: ends it, but not while a question waits."""

    caller: Caller
    limit: asyncio.Timeout
    asked: int = 0
    waiting: "set[asyncio.Future[Answer]]" = field(default_factory=set)
    pages: list[Page] = field(default_factory=list)


class Asking:
    """The questions of one server. name: as the person knows it."""

    def __init__(self, name: str) -> None:
        self._name = one_line(name)
        self._calls: list[_Call] = []
        self._holding = 0
        self._held: list[tuple[_Call, float]] = []
        self._turn = asyncio.Lock()
        self._pages: dict[str, tuple[Questions, Page]] = {}

    @contextmanager
    def during(self, caller: Caller, limit: asyncio.Timeout) -> Iterator[None]:
        """Let the server ask while the block runs; what still waits at its end is withdrawn.

        limit: ends the block; its clock stands still while a question waits.
        """
        call = _Call(caller, limit)
        self._calls.append(call)
        try:
            yield
            for page in call.pages:
                if call.caller.questions is not None:
                    call.caller.questions.completed(page)
        finally:
            self._calls.remove(call)
            for waiting in call.waiting:
                waiting.cancel()

    async def answer(
        self, context: "ClientRequestContext", params: "ElicitRequestParams"
    ) -> "ElicitResult":
        """Answer ``elicitation/create``; the callback of the SDK."""
        from mcp_types import ElicitResult

        del context
        answer = await self._answer(params)
        filled = answer.action == "accept" and params.mode == "form"
        return ElicitResult(action=answer.action, content=dict(answer.content) if filled else None)

    def completed(self, elicitation_id: str) -> None:
        """Tell that a page is done, as the server says."""
        known = self._pages.pop(elicitation_id, None)
        if known is not None:
            known[0].completed(known[1])

    async def require(self, pages: "Sequence[ElicitRequestURLParams]") -> str:
        """Show the pages without which the server does not answer; return what to tell the model.

        They belong to the call that runs. Raises ``ToolError`` if they were not all accepted.
        """
        need = f"The MCP server {self._name} needs the user to open a page first"
        call = self._calls[-1] if self._calls else None
        if call is None or call.caller.questions is None or not call.caller.questions.pages:
            raise ToolError(f"{need}, and there is no way to show it here. Go on without the tool.")
        for params in pages[:MOST_QUESTIONS]:
            answer = await self._answer(params)
            if answer.action != "accept":
                raise ToolError(f"{need}, and it was not opened. Go on without the tool.")
        return (
            f"{need}. The page was shown, and the user agreed to open it. Once the user is done "
            "there, call the tool again with the same arguments."
        )

    async def _answer(self, params: "ElicitRequestParams") -> Answer:
        call = self._calls[-1] if self._calls else None
        if call is None or call.caller.questions is None:
            _log.info("a question of the MCP server %s came where none can be put", self._name)
            return _DECLINE
        call.asked += 1
        try:
            if call.asked > MOST_QUESTIONS:
                raise FormRefused(f"it is more than the {MOST_QUESTIONS}th of one call")
            question = self._question(params, call)
        except FormRefused as refused:
            _log.info("a question of the MCP server %s was declined: %s", self._name, refused)
            call.caller.tell(f"A question of {self._name} was declined: {refused}.")
            return _DECLINE
        if not (
            call.caller.questions.pages
            if isinstance(question, Page)
            else call.caller.questions.forms
        ):
            return _DECLINE
        answer = await self._put(question, call, call.caller.questions)
        if isinstance(question, Page):
            return self._visited(question, answer, params, call)
        return _filled(question, answer)

    async def _put(self, question: Form | Page, call: _Call, questions: Questions) -> Answer:
        with self._clocks_held():
            async with self._turn:
                if self._is_over(call):
                    return _CANCEL
                waiting = asyncio.wrap_future(questions.ask(question))
                call.waiting.add(waiting)
                try:
                    return await waiting
                except asyncio.CancelledError:
                    if not self._is_over(call):
                        raise
                    return _CANCEL  # it was withdrawn with its call, and the server is told
                finally:
                    call.waiting.discard(waiting)

    def _is_over(self, call: _Call) -> bool:
        return call not in self._calls

    @contextmanager
    def _clocks_held(self) -> Iterator[None]:
        """Stop the clocks of all calls while the person thinks."""
        now = asyncio.get_running_loop().time
        if self._holding == 0:
            ends = [(one, one.limit.when()) for one in self._calls]
            self._held = [(one, end - now()) for one, end in ends if end is not None]
            for one, _ in self._held:
                one.limit.reschedule(None)
        self._holding += 1
        try:
            yield
        finally:
            self._holding -= 1
            for one, left in self._held if self._holding == 0 else ():
                if not self._is_over(one):
                    one.limit.reschedule(now() + left)

    def _question(self, params: "ElicitRequestParams", call: _Call) -> Form | Page:
        said = params.message[: LONGEST_MESSAGE + 1]  # the rest, of any length, is not looked at
        message = many_lines(said).strip()
        if len(message) > LONGEST_MESSAGE:
            message = f"{message[: LONGEST_MESSAGE - 1]}…"
        alone = len(self._calls) == 1
        call_id = call.caller.call_id if alone else ""
        if params.mode == "url":
            refusal = page_refusal(params.url)
            if refusal:
                raise FormRefused(f"nobody should open the address that it names, since {refusal}")
            lead = (
                f"The MCP server {self._name} asks you to open a page on {host_of_page(params.url)}"
                " (it is the server that asks, not Hermes)"
            )
            return Page(f"{lead}:\n{message}", params.url, call_id)
        schema = form_schema(params.requested_schema, said)
        lead = f"The MCP server {self._name} asks (it is the server that asks, not Hermes)"
        return Form(f"{lead}:\n{message}", schema, call_id)

    def _visited(
        self, page: Page, answer: Answer, params: "ElicitRequestParams", call: _Call
    ) -> Answer:
        if answer.action != "accept" or call.caller.questions is None:
            return answer
        name = getattr(params, "elicitation_id", None)
        if not name:
            call.pages.append(page)
            return Answer("accept")
        if len(self._pages) >= MOST_PAGES:
            self._pages.pop(next(iter(self._pages)))
        self._pages[name] = (call.caller.questions, page)
        return Answer("accept")


def _filled(form: Form, answer: Answer) -> Answer:
    """Return an answer with what the form's fields take; one that does not fit is none."""
    if answer.action != "accept":
        return answer
    content = content_of(form.schema, answer.content)
    if content is None:
        _log.info("a form came back with what its fields do not take")
        return _CANCEL
    return Answer("accept", content)
