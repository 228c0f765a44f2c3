"""One logical model call: retries, what a person is told meanwhile, and the finished message."""

import random
import sys
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from hermes_core.ground.errors import AuthFailed, ConfigError, MalformedResponse, ProviderError
from hermes_core.ground.events import Emit, StatusChanged, UsageUpdated
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.messages import Message, is_empty
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.usage import Usage
from hermes_core.local.config import Config
from hermes_core.model.attempt import Attempt
from hermes_core.model.chain import Candidate, Resolved
from hermes_core.model.limits import widened
from hermes_core.model.prices import Bill
from hermes_core.model.recovery import Action, State, announcement, decide, last_words
from hermes_core.model.seat import Logins, Seat
from hermes_core.transport.carrier import open_stream
from hermes_core.transport.network import network_for
from hermes_core.wire.fold import Fold
from hermes_core.wire.formats import format_for
from hermes_core.wire.origin import is_own, origin_of

EMPTY_ANSWERS = 2
"""How many empty answers in a row are taken before another provider is asked, if there is one."""


@dataclass(frozen=True, slots=True)
class _Ask:
    """One logical call: what is asked, where it is told, what ends it."""

    messages: Sequence[Message]
    schemas: Sequence[dict[str, Any]]
    emit: Emit
    interrupt: Interrupt
    longer: int = 1


@dataclass(frozen=True, slots=True)
class Spent:
    """What calls used; cost: the part of it that is known, in US dollars."""

    usage: Usage = field(default_factory=Usage)
    calls: int = 0
    cost: float = 0.0


class Spending(Protocol):
    """Anything that has asked models."""

    @property
    def usage(self) -> Usage:
        """The tokens that were used."""
        ...

    @property
    def calls(self) -> int:
        """The requests that were sent."""
        ...

    @property
    def bill(self) -> Bill:
        """What they cost."""
        ...


class Model:
    """A provider's model and its fallbacks, ready to be asked.

    first: the provider to ask, or it and its fallbacks in order.
    usage sums the tokens of every call so far, calls counts the requests sent, bill their
    estimated cost, and turn_bill that of the turn alone. in_context: the tokens of the last call
    and its answer, 0 before there was one. chance returns random numbers from 0 to 1, for the
    waits; clock seconds.
    """

    def __init__(
        self,
        first: Runtime | Sequence[Candidate],
        config: Config,
        *,
        logins: Logins | None = None,
        chance: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.usage = Usage()
        self.calls = 0
        self.bill = Bill()
        self.turn_bill = Bill()
        self.in_context = 0
        self._charged = Spent()
        self._counting = threading.Lock()
        self._config = config
        self._chance = chance
        self._clock = clock
        self._logins = logins
        self._stale: dict[str, int] = {}
        self._empty = 0
        self._next: tuple[Seat, Config] | None = None
        self._seat = self._seat_for(first)

    @property
    def runtime(self) -> Runtime:
        """What is asked now. Raises ``ConfigError`` if the primary cannot be used."""
        return self._seat.runtime

    @property
    def coming(self) -> Runtime:
        """What the next step asks first. Raises ``ConfigError`` if it cannot be used."""
        following = self._next
        return (self._seat if following is None else following[0]).runtime

    def use(self, candidates: Sequence[Candidate], config: Config | None = None) -> None:
        """Ask these from the next step on, with other settings if given; from any thread."""
        self._next = (self._seat_for(candidates), config or self._config)

    def charge(self, other: Spending) -> None:
        """Count all that ``other`` has used as used here, in this turn."""
        with self._counting:
            self.usage += other.usage
            self.calls += other.calls
            for bill in (self.bill, self.turn_bill):
                bill.include(other.bill)
            before = self._charged
            self._charged = Spent(
                before.usage + other.usage,
                before.calls + other.calls,
                before.cost + other.bill.least,
            )

    def charge_cost(self, other: Spending) -> None:
        """Count what ``other`` cost as spent here, in no turn; from any thread."""
        with self._counting:
            self.bill.include(other.bill)
            cost = self._charged.cost + other.bill.least
            self._charged = replace(self._charged, cost=cost)

    @property
    def own(self) -> Spent:
        """What this model used itself, without what others were charged to it."""
        with self._counting:
            others, cost = self._charged, self.bill.least
        return Spent(self.usage - others.usage, self.calls - others.calls, cost - others.cost)

    def shortened(self, tokens: int, count: int) -> None:
        """Take in that the conversation was shortened, to about ``tokens`` in ``count`` messages.

        Reasoning that was to be left out of requests still is.
        """
        self.in_context = tokens
        marks = self._stale.items()
        self._stale = {p: m if m == sys.maxsize else min(m, count) for p, m in marks}

    def begin_turn(self, emit: Emit) -> None:
        """Begin a turn: the primary is asked again, unless it rests.

        Raises ``ConfigError`` if it cannot be used, and neither can a fallback.
        """
        self._move()
        self._empty = 0
        self.turn_bill = Bill()
        self._seat.begin_turn(emit)

    def respond(
        self,
        messages: Sequence[Message],
        schemas: Sequence[dict[str, Any]],
        emit: Emit,
        interrupt: Interrupt,
        *,
        longer: int = 1,
    ) -> Message:
        """Ask the model and return its assistant message.

        longer: how many times as long as usual the answer may be, where we set its limit.

        Text and reasoning are told as they arrive, from another thread; so is a failure that is
        tried again, or met by the next provider. An answer that breaks off after some of its text
        was told is not tried again, since the same text would be told twice: the failure is
        raised, and the text is no part of the conversation. An empty answer is an answer; the next
        provider is asked in place of the second one in a row, if there is one.

        Raises ``Interrupted`` within moments of the interrupt, and nothing is told afterwards;
        ``ContextOverflow`` for the turn to shorten the conversation; another ``ProviderError``
        once nothing helps; ``ConfigError``.
        """
        if self._move():
            self._seat.begin_turn(emit)
        self._seat.begin_call()
        ask = _Ask(messages, schemas, emit, interrupt, longer)
        while True:
            call: Attempt | None = None
            self._seat.attempt += 1
            try:
                self._seat.renew_if_due(interrupt)
                call = self._attempt(ask)
                fold = call.run()
            except ProviderError as error:
                self._recover(error, call is not None and call.text_shown, ask)
            except ConfigError as error:
                shown = call is not None and call.text_shown
                if shown or not self._seat.leave_out(error, emit):
                    raise
            else:
                answer = self._conclude(fold, ask)
                if not self._passes_on(answer, ask.emit):
                    return answer

    def _seat_for(self, first: Runtime | Sequence[Candidate]) -> Seat:
        candidates = [Resolved(first)] if isinstance(first, Runtime) else first
        return Seat(candidates, self._logins, self._clock)

    def _move(self) -> bool:
        """Change to what ``use`` was told; return whether that happened."""
        following, self._next = self._next, None
        if following is not None:
            self._seat, self._config = following
        return following is not None

    def _attempt(self, ask: _Ask) -> Attempt:
        runtime = widened(self.runtime, ask.longer)
        stale = self._stale.get(runtime.provider, 0)
        wire = format_for(runtime.api_mode)
        request = wire.to_request(ask.messages, ask.schemas, runtime, stale=stale)
        network = network_for(self._config, runtime.base_url)
        self.calls += 1
        return Attempt(
            lambda latch, before_wait: open_stream(
                runtime, request, interrupt=latch, network=network, before_wait=before_wait
            ),
            wire.parse,
            ask.emit,
            ask.interrupt,
        )

    def _recover(self, error: ProviderError, text_shown: bool, ask: _Ask) -> None:
        """Make ready for another attempt, or raise ``error``."""
        seat, runtime = self._seat, self.runtime
        error.provider = error.provider or runtime.provider
        error.model = error.model or runtime.model
        seat.failed(error)
        while True:
            state = self._state(error, text_shown, ask.messages)
            action = decide(error, state)
            if action.kind in ("give_up", "compress"):
                words = last_words(
                    error,
                    seat.attempt,
                    text_shown=text_shown,
                    providers=seat.providers_asked,
                    speed=runtime.speed.word if runtime.speed else "",
                )
                error.args = (words,)
                if action.kind == "give_up":
                    seat.gave_up()
                raise error
            if self._carry_out(action, error, state, ask):
                return

    def _state(self, error: ProviderError, text_shown: bool, messages: Sequence[Message]) -> State:
        return State(
            attempt=self._seat.attempt,
            max_retries=self._config.api_max_retries,
            text_shown=text_shown,
            mends=self._seat.mends(strip=self._may_strip(error, messages)),
            another=self._seat.has_another,
            following=self._seat.following,
            jitter=self._chance(),
        )

    def _may_strip(self, error: ProviderError, messages: Sequence[Message]) -> bool:
        """Tell whether there is reasoning to leave out; if the login is in doubt, look for it."""
        runtime = self.runtime
        sent = messages[self._stale.get(runtime.provider, 0) :]
        if not isinstance(error, AuthFailed):
            return bool(sent)
        return any(is_own(one, runtime) and one.get("reasoning_details") for one in sent)

    def _carry_out(self, action: Action, error: ProviderError, state: State, ask: _Ask) -> bool:
        """Do what was decided; return whether the model can be asked again."""
        if action.kind == "fall_back":
            return self._seat.fall_back(error, ask.emit)
        ask.emit(StatusChanged("warning", announcement(error, action, state, time.time())))
        if action.kind == "refresh":
            return self._seat.refresh(error, ask.interrupt)
        if action.kind == "rotate":
            return self._seat.rotate(error)
        if action.kind == "strip":
            # reasoning made from now on is sent again, until it too is refused
            provider = self.runtime.provider
            self._stale[provider] = sys.maxsize if self._stale.get(provider) else len(ask.messages)
        ask.interrupt.wait(action.seconds)
        ask.interrupt.raise_if_set()
        return True

    def _passes_on(self, answer: Message, emit: Emit) -> bool:
        """Go on to the next provider after too many empty answers; return whether there is one."""
        self._empty = self._empty + 1 if is_empty(answer) else 0
        if self._empty < EMPTY_ANSWERS or not self._seat.has_another:
            return False
        runtime = self.runtime
        error = MalformedResponse(f"{runtime.provider} answered nothing, {self._empty} times now.")
        return self._seat.fall_back(error, emit)

    def _conclude(self, fold: Fold, ask: _Ask) -> Message:
        message = fold.message()
        _give_ids(message, ask.messages)
        message["origin"] = origin_of(self.runtime)
        if fold.usage is not None:
            self.in_context = fold.usage.total
            with self._counting:
                self.usage += fold.usage
                for bill in (self.bill, self.turn_bill):
                    bill.add(self.runtime, fold.usage, metered=self._seat.is_metered)
            window = self.runtime.context_window
            ask.emit(UsageUpdated(fold.usage.total, window, self.bill.amount))
        return message


def _give_ids(message: Message, earlier: Sequence[Message]) -> None:
    """Make every call id unique in the conversation: blank and repeated ones are replaced."""
    taken = {call["id"] for told in earlier for call in told.get("tool_calls", [])}
    for call in message.get("tool_calls", []):
        if not call["id"].strip() or call["id"] in taken:
            call["id"] = f"call_{uuid.uuid4().hex[:24]}"
        taken.add(call["id"])
