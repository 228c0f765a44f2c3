"""Events as JSON and back, for the display log.

The form is ``{"event": class name, fields...}``; nested content carries ``"is"``, a nested event
is of the same form. Unknown events and fields of a newer version are skipped on reading: an old
program replays what it knows.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, get_args

from hermes_core.ground.content import Console, Diff, Image, Location, PlanEntry, Text
from hermes_core.ground.events import ChildShown, ShownEvent

_EVENTS: dict[str, type] = {cls.__name__: cls for cls in get_args(ShownEvent)}
_PARTS: dict[str, type] = {
    cls.__name__: cls for cls in (Text, Diff, Console, Image, Location, PlanEntry)
}


LONGEST_IMAGE = 200_000
"""Characters of an image that are kept; of a longer one its kind and size are."""


def to_json(event: ShownEvent) -> dict[str, Any]:
    """Return ``event`` as JSON-ready data."""
    return {"event": type(event).__name__, **_fields(event)}


def from_json(data: Mapping[str, Any]) -> ShownEvent | None:
    """Return the event that ``to_json`` wrote, or None for one that this version does not know."""
    name = data.get("event", "")
    cls = _EVENTS.get(name) if isinstance(name, str) else None
    event = None if cls is None else _build(cls, data)
    return None if isinstance(event, ChildShown) and event.shown is None else event


def _fields(value: Any) -> dict[str, Any]:
    return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if type(value) in _EVENTS.values():
        return to_json(value)
    if isinstance(value, Image) and len(value.data) > LONGEST_IMAGE:
        value = dataclasses.replace(value, data="")
    if type(value).__name__ in _PARTS and dataclasses.is_dataclass(value):
        return {"is": type(value).__name__, **_fields(value)}
    return value


def _rich(value: Any) -> Any:
    if isinstance(value, list):
        parts = [_rich(item) for item in value]
        return tuple(part for part in parts if part is not None)
    if isinstance(value, dict) and "event" in value:
        return from_json(value)
    if isinstance(value, dict):
        part = _PARTS.get(value.get("is", ""))
        return None if part is None else _build(part, value)
    return value


def _build(cls: type, data: Mapping[str, Any]) -> Any:
    known = {f.name for f in dataclasses.fields(cls)}
    kept = {name: value for name, value in data.items() if name in known}
    return cls(**{n: v if n == "arguments" else _rich(v) for n, v in kept.items()})
