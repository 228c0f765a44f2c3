"""Keeps what the editor is shown, before it is shown."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from hermes_core.ground.errors import StoreError
from hermes_core.ground.events import (
    ApprovalRequested,
    ChildShown,
    ClarifyRequested,
    CompactionStarted,
    Emit,
    Event,
    ReasoningDelta,
    ShownEvent,
    StepFinished,
    StepStarted,
    TextDelta,
    TitleChanged,
    ToolCallGenerating,
    ToolCallProgress,
    UsageUpdated,
)
from hermes_core.ground.events_json import to_json
from hermes_core.sessions.store import Store

MAX_GATHERED = 4_096
"""Characters of streamed text that may wait to be written."""

MAX_AGE = 1.0
"""Seconds that streamed text may wait to be written, whether more of it comes or not."""

_PASSING = (
    ToolCallProgress,
    StepStarted,
    StepFinished,
    ToolCallGenerating,
    ApprovalRequested,
    ClarifyRequested,
    CompactionStarted,
    TitleChanged,
)

Delta = TextDelta | ReasoningDelta

_log = logging.getLogger(__name__)


class Timer(Protocol):
    """Something that is to happen later."""

    def cancel(self) -> None:
        """Have it not happen, if it has not begun."""
        ...


def start_timer(seconds: float, action: Callable[[], None]) -> Timer:
    """Call ``action`` on a thread of its own after ``seconds``."""
    timer = threading.Timer(seconds, action)
    timer.daemon = True
    timer.name = "recorder"
    timer.start()
    return timer


class Recorder:
    """An ``Emit`` between a turn and its editor: writes an event to the display log, then hands on.

    Pieces of text and reasoning are handed on at once and written together: when another kind of
    event comes, at ``MAX_GATHERED`` characters, or after ``MAX_AGE``. What only matters while it
    happens is not written: progress, steps, questions, and all token counts of a turn but the last.
    What a child shows is in its own log; only cards that the user was asked about are here too.
    A ``StoreError`` goes to the caller: nothing is shown as done that is not kept.

    May be called from any thread. clock: seconds that never go back. later: sets a timer.
    """

    def __init__(
        self,
        store: Store,
        session_id: str,
        then: Emit,
        clock: Callable[[], float] = time.monotonic,
        later: Callable[[float, Callable[[], None]], Timer] = start_timer,
    ) -> None:
        self._store = store
        self._session_id = session_id
        self._then = then
        self._clock = clock
        self._later = later
        self._timer: Timer | None = None
        self._lock = threading.Lock()
        self._gathered: list[Delta] = []
        self._length = 0
        self._written = clock()
        self._usage: UsageUpdated | None = None

    def __call__(self, event: Event) -> None:
        """Keep ``event`` and hand it on."""
        with self._lock:
            self._keep(event)
        self._then(event)

    def flush(self) -> None:
        """Write what waits: gathered text, and the last token count. To be called at a turn's end.

        Raises ``StoreError``.
        """
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            usage, self._usage = self._usage, None
            self._write(usage)

    def _keep(self, event: Event) -> None:
        if isinstance(event, (TextDelta, ReasoningDelta)):
            self._gather(event)
        elif isinstance(event, UsageUpdated):
            self._usage = event
            self._write(None)
        elif isinstance(event, ChildShown):
            self._write(
                event if event.asked and not isinstance(_innermost(event), _PASSING) else None
            )
        elif isinstance(event, _PASSING):
            self._write(None)
        else:
            self._write(event)

    def _gather(self, delta: Delta) -> None:
        last = self._gathered[-1] if self._gathered else None
        if last and (type(last), last.message_id) != (type(delta), delta.message_id):
            self._write(None)
        self._gathered.append(delta)
        self._length += len(delta.text)
        if self._length >= MAX_GATHERED or self._clock() - self._written >= MAX_AGE:
            self._write(None)
        elif self._timer is None:
            self._timer = self._later(MAX_AGE, self._write_old)

    def _write_old(self) -> None:
        """Write what waits although nothing follows it: the model pauses."""
        with self._lock:
            self._timer = None
            try:
                self._write(None)
            except StoreError as error:  # it waits for the next event, whose caller is told
                _log.warning("streamed text could not be stored yet: %s", error)

    def _write(self, event: ShownEvent | None) -> None:
        """Write the gathered text as one event, and ``event`` after it, in one transaction."""
        rows: list[dict[str, Any]] = []
        if self._gathered:
            first = self._gathered[0]
            text = "".join(delta.text for delta in self._gathered)
            rows.append(to_json(type(first)(text, first.message_id)))
        if event is not None:
            rows.append(to_json(event))
        if rows:
            self._store.append(self._session_id, (), rows)
        self._gathered.clear()
        self._length = 0
        self._written = self._clock()


def _innermost(event: ShownEvent) -> ShownEvent:
    while isinstance(event, ChildShown):
        event = event.shown
    return event
