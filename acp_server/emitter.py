"""A session's events as ``session/update`` notifications, while one of its turns runs.

Text goes out under a key by which the writer may merge adjacent pieces. Outside of a turn nothing
is sent: a thread that was given up cannot write into an answer that has been given. A prompt that
is answered beside the running turn, on a thread of its own, opens the way for that thread alone.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from acp_server.mapping import INTERRUPTED, Json, failed_call, to_updates
from hermes_core.ground.events import (
    ApprovalRequested,
    Event,
    ReasoningDelta,
    TextDelta,
    ToolCallFinished,
    ToolCallStarted,
)
from hermes_core.ground.interrupt import Interrupt

UPDATE = "session/update"


class Notify(Protocol):
    """Sends a notification to the client, from any thread; waits while the client is slow."""

    def __call__(
        self,
        method: str,
        params: dict[str, Any],
        *,
        interrupt: Interrupt | None = None,
        merge_key: str | None = None,
    ) -> bool: ...


class Emitter:
    """An ``Emit`` for one session. ``notices``: whether the client announced them."""

    def __init__(self, notify: Notify, session_id: str, *, notices: bool = False) -> None:
        self._notify = notify
        self._session_id = session_id
        self._notices = notices
        self._lock = threading.Lock()
        self._interrupt: Interrupt | None = None
        self._asides: dict[int, Interrupt] = {}
        self._open_calls: dict[str, None] = {}

    def begin(self, interrupt: Interrupt) -> None:
        """Let events through from now on; ``interrupt`` ends any waiting for a slow client."""
        with self._lock:
            self._interrupt = interrupt

    @contextmanager
    def aside(self, interrupt: Interrupt) -> Iterator[None]:
        """Let what this thread shows through, whether a turn runs or not."""
        thread = threading.get_ident()
        with self._lock:
            self._asides[thread] = interrupt
        try:
            yield
        finally:
            with self._lock:
                del self._asides[thread]

    def end(self) -> None:
        """End every card that is still open and let nothing through any more."""
        with self._lock:
            for call_id in self._open_calls:
                self._send(failed_call(call_id, INTERRUPTED), self._interrupt)
            self._open_calls.clear()
            self._interrupt = None

    def __call__(self, event: Event) -> None:
        """Show ``event``, unless no turn runs."""
        if isinstance(event, ApprovalRequested):
            return
        key = self._merge_key(event)
        with self._lock:
            interrupt = self._way()
            if interrupt is None:
                return
            self._note(event)
            for update in to_updates(event, notices=self._notices):
                self._send(update, interrupt, key)

    def send(self, update: Json) -> None:
        """Send one update as it is, unless no turn runs."""
        with self._lock:
            interrupt = self._way()
            if interrupt is not None:
                self._send(update, interrupt)

    def _way(self) -> Interrupt | None:
        """Return what ends waiting for a slow client; None if nothing may be sent now."""
        return self._asides.get(threading.get_ident(), self._interrupt)

    def _send(self, update: Json, interrupt: Interrupt | None, key: str | None = None) -> None:
        params = {"sessionId": self._session_id, "update": update}
        self._notify(UPDATE, params, interrupt=interrupt, merge_key=key)

    def _merge_key(self, event: Event) -> str | None:
        if isinstance(event, TextDelta):
            return f"{self._session_id} text {event.message_id}"
        if isinstance(event, ReasoningDelta):
            return f"{self._session_id} thought {event.message_id}"
        return None

    def _note(self, event: Event) -> None:
        if isinstance(event, ToolCallStarted):
            self._open_calls[event.call_id] = None
        elif isinstance(event, ToolCallFinished):
            self._open_calls.pop(event.call_id, None)
