"""The line between children and the screen of the agent that they work for.

Children run on threads of their own; what they show goes up one event after another, and their
questions one at a time. A call that a child asks about gets a card on the parent's side too, since
a question must stand by a card that its reader knows.
"""

import logging
import threading
from dataclasses import replace
from typing import Protocol

from hermes_core.agent.child_view import Board
from hermes_core.ground.errors import StoreError
from hermes_core.ground.events import (
    ApprovalRequested,
    ChildFinished,
    ChildShown,
    ChildStarted,
    ClarifyRequested,
    Emit,
    Event,
    ShownEvent,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallRunning,
    ToolCallStarted,
)
from hermes_core.ground.interrupt import Interrupt

_POLL = 0.05
"""Seconds after which a child that waits to ask looks whether it still should."""

_log = logging.getLogger(__name__)


class Place(Protocol):
    """Where a child is shown on its parent's card."""

    @property
    def number(self) -> int:
        """Which of the tasks of the call it does, from 0."""
        ...

    @property
    def board(self) -> Board:
        """The card."""
        ...


class ChildLine:
    """One for an agent. emit: stores and shows events of the agent's own session."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._telling = threading.Lock()
        self._asking = threading.Lock()

    def tell(self, event: Event) -> None:
        """Show ``event`` once nothing else is being shown."""
        with self._telling:
            self._emit(event)

    def ask(self, question: ApprovalRequested, interrupt: Interrupt) -> None:
        """Ask once no other child is asking; raises ``Interrupted`` if it need not any more."""
        while not self._asking.acquire(timeout=_POLL):
            interrupt.raise_if_set()
        try:
            interrupt.raise_if_set()
            self._emit(question)
        finally:
            self._asking.release()

    def screen(self, child: str, title: str, place: Place, interrupt: Interrupt) -> "ChildScreen":
        """Return the screen of a child."""
        return ChildScreen(self, child, title, place, interrupt)


class ChildScreen:
    """An ``Emit`` for one child: passes on what it shows, between ``open`` and ``close``."""

    def __init__(
        self, line: ChildLine, child: str, title: str, place: Place, interrupt: Interrupt
    ) -> None:
        self._line = line
        self._child = child
        self._title = title
        self._place = place
        self._interrupt = interrupt
        self._gate = threading.Lock()
        self._open = False
        self._calls: dict[str, ToolCallStarted] = {}
        self._asked: set[str] = set()

    def open(self, event: ChildStarted) -> None:
        """Announce the child."""
        with self._gate:
            self._line.tell(event)
            self._open = True

    def close(self, event: ChildFinished) -> None:
        """End the cards of the child that are open, and tell of its end."""
        with self._gate:
            self._place.board.end(self._place.number, _STATES.get(event.stop_reason, "stopped"))
            if not self._open:
                return
            self._open = False
            try:
                for call_id, call in self._calls.items():
                    self._pass_on(_unfinished(call), asked=False)
                    if call_id in self._asked:
                        self._pass_on(_unfinished(call), asked=True)
                self._line.tell(event)
            except StoreError as error:
                _log.warning("the end of a child could not be stored: %s", error)

    def __call__(self, event: Event) -> None:
        """Show ``event``; a question that comes too late is answered by nobody."""
        if isinstance(event, ApprovalRequested):
            self._ask(event)
            return
        if isinstance(event, ClarifyRequested):  # no child is offered to ask
            event.reply.cancel()
            return
        with self._gate:
            if self._open:
                self._place.board.take(self._place.number, event)
                self._show(event)

    def _ask(self, question: ApprovalRequested) -> None:
        with self._gate:
            if not self._open:
                question.reply.cancel()
                return
            self._place.board.take(self._place.number, question)
            if not question.child:
                question = self._attributed(question)
        self._line.ask(question, self._interrupt)

    def _attributed(self, question: ApprovalRequested) -> ApprovalRequested:
        """Return the question as this child's, and show the card that it is about."""
        call = self._calls.get(question.call_id)
        if call is not None and question.call_id not in self._asked:
            self._asked.add(question.call_id)
            self._pass_on(call, asked=True)
        reason = f"Asked for the task “{self._title}”. {question.reason}".rstrip()
        return replace(question, child=self._child, reason=reason)

    def _show(self, event: ShownEvent) -> None:
        asked = event.asked if isinstance(event, ChildShown) else False
        self._pass_on(event, asked=asked)
        if isinstance(event, ToolCallStarted):
            self._calls[event.call_id] = event
        elif isinstance(event, ToolCallRunning | ToolCallProgress | ToolCallFinished):
            if event.call_id in self._asked:
                self._pass_on(event, asked=True)
            if isinstance(event, ToolCallFinished):
                self._calls.pop(event.call_id, None)

    def _pass_on(self, event: ShownEvent, *, asked: bool) -> None:
        self._line.tell(ChildShown(self._child, event, asked))


_STATES = {"end_turn": "done", "cancelled": "cancelled", "error": "failed"}

_GIVEN_UP = "Interrupted by the user while this ran; it may have run in part."


def _unfinished(call: ToolCallStarted) -> ToolCallFinished:
    return ToolCallFinished(call.call_id, call.name, "failed", _GIVEN_UP)
