"""Keeps a session's conversation within its model's window.

What is decided is in ``sizing`` and ``plan``, what is asked in ``summary`` and ``facts``. Here it
is done, told, and taken into the conversation. Until that last step nothing changes: a failure is
told and makes the next try wait, the longer the oftener it fails, over restarts too.
"""

import logging
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_core.agent.compression.keeping import Remember, keep_facts
from hermes_core.agent.compression.plan import Plan, Room, asked_length, plan_for
from hermes_core.agent.compression.rebuilding import rebuilt
from hermes_core.agent.compression.sizing import Cut, Size, room_for
from hermes_core.agent.compression.summary import checked_summary, summary_request
from hermes_core.agent.compression.tokens import (
    Gauge,
    message_tokens,
    schema_tokens,
    text_tokens,
    total_tokens,
)
from hermes_core.agent.conversation import Conversation
from hermes_core.agent.engine import Engine
from hermes_core.agent.own_tools.todo import Plan as Steps
from hermes_core.ground.errors import (
    ContextOverflow,
    HermesError,
    Interrupted,
    MalformedResponse,
    StoreError,
)
from hermes_core.ground.events import Compacted, CompactionStarted, Emit, UsageUpdated
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import Message
from hermes_core.ground.secrets import REDACTOR
from hermes_core.ground.usage import Usage

if TYPE_CHECKING:
    from hermes_core.agent.ledger import Ledger
    from hermes_core.sessions.store import Store

FIRST_REST = 60.0
LONGEST_REST = 3_600.0
"""Seconds that shortening waits after its first failure in a row, and at the most."""

RECORD_SHARES = (0.6, 0.25)
"""Parts of the summarising model's window that the record may take, one after the other."""

_SUMMARISING = (
    "Summarising the conversation to make room: about {before:,} of {window:,} tokens are in use …"
)
_CUTTING = "Cutting old tool outputs to make room: about {before:,} of {window:,} tokens are in use"
_DONE = "The conversation has about {after:,} tokens now instead of {before:,}: {how}."
_SUMMARISED = "{count} messages were summarised"
_CUT = "old tool outputs were cut"
_STOPPED = "The conversation was not summarised: you stopped it. Nothing has changed."
_FAILED = (
    "The conversation could not be summarised and is as it was: {why} The next try comes in"
    " {minutes} min at the earliest; `/compress` tries at once."
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Occasion:
    """What is to be shortened, and by what it can be stopped. schemas: the tools on offer."""

    conversation: Conversation
    schemas: Callable[[], Sequence[dict[str, Any]]]
    interrupt: Interrupt


class Compressor:
    """Shortens the conversation of one session. One call at a time.

    session_id: returns the id that the editor knows. emit: stores and shows. steps: the plan that
    is worked on. remember: writes facts to memory, None to write none. changed: called with the
    conversation once it is shorter, and with how that ended. clock: Unix seconds.
    """

    def __init__(
        self,
        store: "Store",
        session_id: Callable[[], str],
        engine: Engine,
        ledger: "Ledger",
        *,
        emit: Emit,
        steps: Steps,
        remember: Remember | None,
        changed: Callable[[Conversation, Compacted], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._session_id = session_id
        self.engine = engine
        self._ledger = ledger
        self._emit = emit
        self._steps = steps
        self._remember = remember
        self._changed = changed
        self._clock = clock
        self._gauge = Gauge()
        self._usage: Usage | None = None

    def size(self, occasion: Occasion) -> Size:
        """Return how large a request is now, by an estimate that the last report corrects."""
        real, window = self._gauge.real, self.engine.model().runtime.context_window
        sent = total_tokens(occasion.conversation.sent)
        return Size(real(_overhead(occasion)), real(sent), window)

    def heard(self, occasion: Occasion, answer: Message) -> None:
        """Take in what the provider reports of the request that ``answer`` answers."""
        model = self.engine.model()
        if (used := model.own.usage) != self._usage:
            self._usage = used
            asked = _overhead(occasion) + total_tokens(occasion.conversation.sent)
            self._gauge.calibrate(asked + message_tokens(answer), model.in_context)

    def compress(self, occasion: Occasion, cut: Cut, focus: str = "") -> Compacted | None:
        """Shorten the conversation and return how that ended; None if nothing is to be gained.

        focus: what a summary should keep above all. Raises ``Interrupted``; the conversation is
        then as it was. So it is after a failure, which is told.
        """
        size = self.size(occasion)
        config = self.engine.config
        more = sum(text_tokens(step.content) + 20 for step in self._steps.entries)
        room = room_for(size, cut, config, self._gauge, more)
        plan = plan_for(occasion.conversation.sent, room)
        if plan is None or (plan.middle and cut != "asked" and self._rests()):
            return None
        attempt = _Attempt(uuid.uuid4().hex, plan, room, size, focus)
        words = _SUMMARISING if plan.middle else _CUTTING
        told = words.format(before=size.total, window=size.window)
        self._emit(CompactionStarted(attempt.id, told))
        try:
            return self._carry_out(attempt, occasion)
        except Interrupted:
            self._emit(attempt.ended("cancelled", _STOPPED))
            raise
        except HermesError as error:
            return self._fail(attempt, error)

    def _carry_out(self, attempt: "_Attempt", occasion: Occasion) -> Compacted:
        plan, conversation = attempt.plan, occasion.conversation
        summary = ""
        if plan.middle:
            self._keep_facts(plan, occasion.interrupt)
            summary = self._summary(attempt, occasion.interrupt)
        messages = rebuilt(plan, summary, self._steps.entries)
        after = self._gauge.real(total_tokens(message for message, _ in messages))
        if after >= attempt.size.messages:
            raise MalformedResponse("The summary is longer than what it is about.")
        occasion.interrupt.raise_if_set()
        history_id = str(uuid.uuid4())
        how = _SUMMARISED.format(count=len(plan.middle)) if plan.middle else _CUT
        total = attempt.size.overhead + after
        text = _DONE.format(before=attempt.size.total, after=total, how=how)
        event = attempt.ended("completed", text, total, summary, history_id)
        conversation.replace(messages, history_id, event)
        _log.info("session %s: %s", self._session_id(), text)
        self.engine.model().shortened(total, len(messages))
        self._changed(conversation, event)
        self._show_usage(total, attempt.size.window)
        return event

    def _show_usage(self, tokens: int, window: int) -> None:
        self._emit(UsageUpdated(tokens, window, self.engine.model().bill.amount))

    def _summary(self, attempt: "_Attempt", interrupt: Interrupt) -> str:
        """Return a summary of what goes; raise ``HermesError`` if there is none of use."""
        from hermes_core.model.auxiliary import auxiliary

        plan, length = attempt.plan, asked_length(attempt.plan, attempt.room)
        goes = total_tokens(plan.middle) + total_tokens([plan.earlier] if plan.earlier else [])
        most = max(2 * length, min(attempt.room.summary, goes // 2))
        model = auxiliary(self.engine.config, "compression", self.engine.request_in_use())
        try:
            for share in RECORD_SHARES:
                record = int(model.runtime.context_window * share)
                asked = summary_request(plan, length, focus=attempt.focus, most=record)
                try:
                    return checked_summary(model.answer(asked, interrupt), most)
                except ContextOverflow as error:
                    overflow = error
            raise overflow
        finally:
            self._ledger.add_auxiliary(model)

    def _keep_facts(self, plan: Plan, interrupt: Interrupt) -> None:
        if self._remember is None:
            return
        from hermes_core.model.auxiliary import auxiliary

        def ask(messages: Sequence[Message]) -> str:
            model = auxiliary(self.engine.config, "memory", self.engine.request_in_use())
            try:
                return model.ask(messages, interrupt)
            finally:
                self._ledger.add_auxiliary(model)

        keep_facts(plan.middle, ask, self._remember, self._emit)

    def _rests(self) -> bool:
        from hermes_core.sessions.lineage import rest_of

        until = rest_of(self._store, self._session_id()).until
        return self._clock() < until <= self._clock() + LONGEST_REST

    def _fail(self, attempt: "_Attempt", error: HermesError) -> Compacted:
        from hermes_core.sessions.lineage import Rest, rest_of, set_rest

        why = REDACTOR.redact(str(error)).partition("\n")[0]
        _log.warning("session %s: not summarised: %s", self._session_id(), why)
        seconds = FIRST_REST
        if not isinstance(error, StoreError):
            failures = rest_of(self._store, self._session_id()).failures
            seconds = min(FIRST_REST * 2 ** min(failures, 20), LONGEST_REST)
            rest = Rest(failures + 1, self._clock() + seconds)
            set_rest(self._store, self._session_id(), rest)
        event = attempt.ended("failed", _FAILED.format(why=why, minutes=round(seconds / 60)))
        self._emit(event)
        self._show_usage(attempt.size.total, attempt.size.window)
        return event


def _overhead(occasion: Occasion) -> int:
    """Return the estimated tokens of a request beside its messages."""
    prompt = text_tokens(occasion.conversation.system_prompt)
    return prompt + schema_tokens(occasion.schemas())


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One try, with what it is to achieve."""

    id: str
    plan: Plan
    room: Room
    size: Size
    focus: str

    def ended(
        self,
        status: Any,
        text: str,
        after: int | None = None,
        summary: str = "",
        history_id: str = "",
    ) -> Compacted:
        """Return how it ended; without ``after`` nothing has changed."""
        before = self.size.total
        left = before if after is None else after
        return Compacted(self.id, status, text, before, left, summary, history_id)
