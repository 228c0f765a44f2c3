"""A tool call as it is shown: it appears once, may report progress, and ends exactly once."""

import threading
from collections.abc import Sequence

from hermes_core.agent.calls import CallRequest
from hermes_core.ground.actions import Decision
from hermes_core.ground.content import CardContent, Location
from hermes_core.ground.events import (
    ApprovalRequested,
    Emit,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallRunning,
    ToolCallStarted,
)
from hermes_core.ground.visible import many_lines, one_line
from hermes_core.tools.registry import Output, Prepared


class Card:
    """The card of one call. ``progress`` may be called from any thread, even too late."""

    def __init__(self, request: CallRequest, emit: Emit) -> None:
        self.call_id = request.call["id"]
        self._request = request
        self._emit = emit
        self._lock = threading.Lock()
        self._ended = False
        self._title = request.title
        self._kind = request.kind
        self._content: tuple[CardContent, ...] = ()
        self._locations: tuple[Location, ...] = ()

    def start(self, prepared: Prepared | None) -> None:
        """Show the card; without ``prepared`` for a call that cannot be done."""
        if prepared is not None:
            self._title = many_lines(prepared.title)
            self._kind = prepared.kind or self._kind
            self._content = prepared.content
            self._locations = prepared.locations
        self._emit(
            ToolCallStarted(
                self.call_id,
                self._request.name,
                self._title,
                self._kind,
                self._request.sent,
                self._content,
                self._locations,
            )
        )

    def question(self, prepared: Prepared, decision: Decision) -> ApprovalRequested:
        """Return the question whether the call may run; it repeats all that the card shows."""
        lines = map(one_line, (f"Asks because: {decision.reason}", *decision.details))
        return ApprovalRequested(
            self.call_id,
            self._title,
            self._kind,
            prepared.action,
            "\n".join(lines),
            self._request.sent,
            self._content,
            self._locations,
            always=one_line(decision.always),
            never=one_line(decision.never),
            labels=prepared.labels,
        )

    def running(self) -> None:
        """Show that the call runs now."""
        self._emit(ToolCallRunning(self.call_id))

    def progress(self, content: Sequence[CardContent]) -> None:
        """Show ``content`` as all there is so far; nothing once the call has ended."""
        with self._lock:
            if not self._ended:
                self._emit(ToolCallProgress(self.call_id, tuple(content)))

    def end(self, output: Output, seconds: float) -> ToolCallFinished:
        """Let nothing more be shown, and return the event that ends the card."""
        with self._lock:
            self._ended = True
        return ToolCallFinished(
            self.call_id,
            self._request.name,
            "failed" if output.failed else "completed",
            output.text,
            output.content,
            output.locations,
            seconds,
        )
