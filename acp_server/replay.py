"""A stored session, shown again: the display log through the same mapping as a running turn."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from acp_server.mapping import Json, failed_call, to_updates
from hermes_core.ground.events import (
    ShownEvent,
    ToolCallFinished,
    ToolCallStarted,
    UserPrompted,
)
from hermes_core.ground.events_json import from_json

UNFINISHED = "Hermes stopped before this call ended; it may have run."


def replay(shown: Iterable[Mapping[str, Any]]) -> Iterator[Json]:
    """Yield the updates that show what ``shown`` recorded, oldest first.

    A tool call without an end, left by a killed process, is ended as failed before the next
    message of the user, so that no card spins for ever. Rows of a newer version are skipped.
    """
    unfinished: dict[str, None] = {}
    for row in shown:
        event = from_json(row)
        if event is None:
            continue
        if isinstance(event, UserPrompted):
            yield from _end_all(unfinished)
        _note(event, unfinished)
        yield from to_updates(event, replaying=True)
    yield from _end_all(unfinished)


def _note(event: ShownEvent, unfinished: dict[str, None]) -> None:
    if isinstance(event, ToolCallStarted):
        unfinished[event.call_id] = None
    elif isinstance(event, ToolCallFinished):
        unfinished.pop(event.call_id, None)


def _end_all(unfinished: dict[str, None]) -> Iterator[Json]:
    for call_id in unfinished:
        yield failed_call(call_id, UNFINISHED)
    unfinished.clear()
