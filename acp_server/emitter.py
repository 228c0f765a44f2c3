"""A session's events as ``session/update`` notifications, while one of its turns runs.

Text goes out under a key by which the writer may merge adjacent pieces. Outside of a turn nothing
is sent but what is about the session itself, such as its title: a thread that was given up cannot
write into an answer that has been given. A prompt that is answered beside the running turn, on a
thread of its own, opens the way for that thread alone. What children show goes out under their own
ids or on the parent's cards, see ``subagents``.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from acp_server.mapping import INTERRUPTED, Json, to_updates
from acp_server.subagents import Unfinished, View, addressed
from acp_server.terminals import Screens
from hermes_core.ground.events import (
    ApprovalRequested,
    ChildShown,
    ChildStarted,
    ClarifyRequested,
    Event,
    ReasoningDelta,
    StatusChanged,
    TextDelta,
    TitleChanged,
    ToolCallProgress,
)
from hermes_core.ground.interrupt import Interrupt

UPDATE = "session/update"

BARE = View()
"""For a client that announced nothing."""


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
    """An ``Emit`` for one session.

    view: what the client is shown. trace: returns the ``_meta`` that goes with the running turn.
    """

    def __init__(
        self,
        notify: Notify,
        session_id: str,
        view: View = BARE,
        trace: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        self._trace = trace
        self._notify = notify
        self._session_id = session_id
        self._view = view
        self._lock = threading.Lock()
        self._interrupt: Interrupt | None = None
        self._asides: dict[int, Interrupt] = {}
        self._unfinished = Unfinished()
        self._delegating: set[str] = set()
        self._blocked: set[tuple[str, str]] = set()
        self._cancelled = False
        self._later: dict[str, Json] = {}
        self._screens = Screens()

    def begin(self, interrupt: Interrupt) -> None:
        """Let events through from now on; ``interrupt`` ends any waiting for a slow client."""
        with self._lock:
            self._interrupt = interrupt
            self._cancelled = False
            for update in self._later.values():
                self._send(update, interrupt)
            self._later.clear()

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
        """End every card, child and compaction that is open and let nothing through any more."""
        with self._lock:
            for session_id, update in self._unfinished.end(INTERRUPTED, "cancelled"):
                self._send(update, self._interrupt, session_id=session_id)
            self._delegating.clear()
            self._blocked.clear()
            self._screens.clear()
            self._cancelled = self._cancelled or (
                self._interrupt is not None and self._interrupt.is_set()
            )
            self._interrupt = None

    def __call__(self, event: Event) -> None:
        """Show ``event``, unless no turn runs."""
        if isinstance(event, ApprovalRequested | ClarifyRequested):
            if isinstance(event, ApprovalRequested) and event.child and self._view.subagents:
                self._block(event.child, event.call_id)
            return
        if isinstance(event, TitleChanged):
            for update in to_updates(event):
                self.tell(update)
            return
        key = self._merge_key(event)
        with self._lock:
            interrupt = self._way()
            if interrupt is None:
                return
            if self._is_told_otherwise(event):
                return
            for session_id, update in addressed(event, self._session_id, self._view):
                for address, earlier in self._unfinished.before(update, INTERRUPTED):
                    self._send(earlier, interrupt, session_id=address)
                self._unblock(session_id, update, interrupt)
                self._unfinished.note(session_id, update)
                self._send(update, interrupt, key, session_id)

    def send(self, update: Json) -> None:
        """Send one update as it is, unless no turn runs."""
        with self._lock:
            interrupt = self._way()
            if interrupt is not None:
                self._unfinished.note(self._session_id, update)
                self._send(update, interrupt)

    def tell(self, update: Json) -> None:
        """Send an update of the session itself, which may come between turns.

        After a cancelled turn it waits for the next one. Of a kind only the last one is kept,
        notices aside.
        """
        with self._lock:
            before = self._interrupt.is_set() if self._interrupt else self._cancelled
            if before:
                kind = update["sessionUpdate"]
                self._later[f"{kind} {update['title']}" if kind == "notice" else kind] = update
                return
            interrupt = self._interrupt
        self._send(update, interrupt)

    def announce(self, event: Event) -> None:
        """Show a notice of the session itself, which may come between turns; see ``tell``.

        Only to a client that takes notices: for others it would be a thought.
        """
        if isinstance(event, StatusChanged) and event.level != "error" and self._view.notices:
            for update in to_updates(event, notices=True):
                self.tell(update)

    def _block(self, child: str, call_id: str) -> None:
        """Tell that a child waits for the user, who is asked about one of its calls."""
        with self._lock:
            interrupt = self._way()
            if interrupt is not None:
                self._blocked.add((child, call_id))
                self._tell_state(child, "requires_action", interrupt)

    def _unblock(self, child: str, update: Json, interrupt: Interrupt) -> None:
        """Tell that a child works again, if ``update`` is of the call that it waited for."""
        call = (child, update.get("toolCallId", ""))
        if call in self._blocked and update.get("status") != "pending":
            self._blocked.remove(call)
            if not any(waiting == child for waiting, _ in self._blocked):
                self._tell_state(child, "running", interrupt)

    def _tell_state(self, child: str, state: str, interrupt: Interrupt) -> None:
        if parent := self._unfinished.parent(child):
            update: Json = {"sessionUpdate": "subagent_update", "sessionId": child}
            self._send({**update, "state": {"state": state}}, interrupt, session_id=parent)

    def _way(self) -> Interrupt | None:
        """Return what ends waiting for a slow client; None if nothing may be sent now."""
        return self._asides.get(threading.get_ident(), self._interrupt)

    def _send(
        self,
        update: Json,
        interrupt: Interrupt | None,
        key: str | None = None,
        session_id: str | None = None,
    ) -> None:
        address = session_id or self._session_id
        params: Json = {"sessionId": address, "update": self._screens.anew(address, update)}
        trace = self._trace()
        if trace:
            params["_meta"] = dict(trace)
        self._notify(UPDATE, params, interrupt=interrupt, merge_key=key)

    def _is_told_otherwise(self, event: Event) -> bool:
        """Return whether ``event`` only repeats what the client sees in the children's sessions."""
        if isinstance(event, ChildStarted):
            self._delegating.add(event.call_id)
        return (
            self._view.subagents
            and isinstance(event, ToolCallProgress)
            and event.call_id in self._delegating
        )

    def _merge_key(self, event: Event) -> str | None:
        while isinstance(event, ChildShown):
            event = event.shown
        if isinstance(event, TextDelta):
            return f"{self._session_id} text {event.message_id}"
        if isinstance(event, ReasoningDelta):
            return f"{self._session_id} thought {event.message_id}"
        return None
