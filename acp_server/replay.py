"""A stored session, shown again: the display log through the same mapping as a running turn."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from acp_server.subagents import Addressed, Unfinished, View, addressed
from acp_server.terminals import Screens
from hermes_core.ground.events import (
    ChildShown,
    ChildStarted,
    Rewound,
    ShownEvent,
    UserPrompted,
)
from hermes_core.ground.events_json import from_json

UNDOING = "rewind_"
"""What the call ids of undoings begin with."""

UNFINISHED = "Hermes stopped before this call ended; it may have run."

REPLAYED = View(replaying=True)
"""For a client that announced nothing."""

Log = Callable[[str], Iterable[Mapping[str, Any]]]
"""Returns the display log of a session, by its id."""


def replay(log: Log, session_id: str, view: View = REPLAYED) -> Iterator[Addressed]:
    """Yield the updates that show what a session's log recorded, oldest first.

    view: what the client is shown; where it has sub-agents, they are in sessions of their own. A
    tool call without an end, left by a killed process, is ended as failed before the next
    message of the user, so that no card spins for ever. Turns that were taken back are left out.
    Rows of a newer version are skipped.
    """
    unfinished, screens, view = Unfinished(), Screens(), replace(view, replaying=True)
    for event in _standing(lambda: _events(log, session_id, children=view.subagents)):
        if isinstance(event, UserPrompted):
            yield from _on(screens, unfinished.end(UNFINISHED))
        for address, update in addressed(event, session_id, view):
            yield from _on(screens, unfinished.before(update, UNFINISHED))
            unfinished.note(address, update)
            yield address, screens.anew(address, update)
    yield from _on(screens, unfinished.end(UNFINISHED))


def _on(screens: Screens, updates: Iterable[Addressed]) -> Iterator[Addressed]:
    """Yield updates as they are sent to a client with these terminals."""
    for address, update in updates:
        yield address, screens.anew(address, update)


def _events(log: Log, session_id: str, *, children: bool) -> Iterator[ShownEvent]:
    """Yield the events of a session and, if wanted, those of a child where it began."""
    for row in log(session_id):
        event = from_json(row)
        if event is None:
            continue
        yield event
        if children and isinstance(event, ChildStarted):
            for shown in _events(log, event.child, children=True):
                yield ChildShown(event.child, shown)


def _standing(events: Callable[[], Iterator[ShownEvent]]) -> Iterator[ShownEvent]:
    """Yield the events that were not taken back; cards of an undoing itself stay.

    ``events`` begins the log anew each time: it is read once for what was taken back, if anything
    was, and once for the rest.
    """
    hidden = _taken_back(events())
    for place, event in enumerate(events()):
        if not any(place in part for part in hidden) or _is_of_undoing(event):
            yield event


def _taken_back(events: Iterator[ShownEvent]) -> list[range]:
    """Return which places of the log are hidden, from a prompt to the undoing of it."""
    begun: dict[str, int] = {}
    hidden: dict[str, range] = {}
    for place, event in enumerate(events):
        if isinstance(event, UserPrompted):
            begun[event.message_id] = place
        elif isinstance(event, Rewound) and event.undone and event.message_id in begun:
            hidden[event.message_id] = range(begun[event.message_id], place)
        elif isinstance(event, Rewound):
            hidden.pop(event.message_id, None)
    return list(hidden.values())


def _is_of_undoing(event: ShownEvent) -> bool:
    return str(getattr(event, "call_id", "")).startswith(UNDOING)
