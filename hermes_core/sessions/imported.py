"""What a file says that is to be imported, checked: nothing of it is trusted but its shape.

A file is data. It brings what was said and shown; never folders, modes, models, prompts or grants,
and no opaque records that would be sent to a provider in somebody's name.
"""

import json
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from hermes_core.ground.errors import HermesError
from hermes_core.ground.messages import Message
from hermes_core.ground.usage import Usage
from hermes_core.sessions.export import FORMAT, VERSION
from hermes_core.sessions.imported_events import check_event
from hermes_core.sessions.imported_messages import check_message
from hermes_core.sessions.shapes import BadShape, at, of_kind, text_in
from hermes_core.sessions.titling import clean_title
from hermes_core.sessions.usage import Used

LARGEST = 256 * 1024 * 1024
"""Bytes of a file that is read at all."""

MOST_SESSIONS = 10_000
_LINE = ("compressed", "rewound")
_RELATIONS = (*_LINE, "delegated")
_OF_THE_MOMENT = "UsageUpdated"
_LARGEST_COUNT = 2**48


@dataclass(slots=True)
class ImportedSession:
    """One session of a file; ids are the file's own. Times are Unix seconds."""

    id: str
    parent: str | None
    relation: str | None
    title: str
    created: float
    updated: float
    messages: list[tuple[float, bool, Message]] = field(default_factory=list)
    shown: list[tuple[float, dict[str, Any]]] = field(default_factory=list)
    used: list[Used] = field(default_factory=list)


@dataclass(slots=True)
class Imported:
    """A file: the first session is the one that people know, ``history`` the one that goes on.

    notes: what was left out or put right, one line each.
    """

    sessions: list[ImportedSession]
    history: str
    notes: list[str]


def read_export(data: bytes) -> Imported:
    """Return what a file holds. Raises ``HermesError``, with the place, for what is no export."""
    if len(data) > LARGEST:
        raise HermesError(f"The file is larger than {LARGEST >> 20} MB, which no session is.")
    try:
        return _read(json.loads(data, parse_constant=_refuse))
    except (ValueError, RecursionError) as error:
        if isinstance(error, BadShape):
            raise _not_an_export(str(error)) from None
        raise _not_an_export("it is no JSON, or nested too deeply") from None


def _refuse(word: str) -> NoReturn:
    raise BadShape(f"{word} is no number")


def _not_an_export(why: str) -> HermesError:
    return HermesError(
        f"This is no session that can be imported: {why}. Only files that "
        "`hermes sessions export` wrote as JSON can be."
    )


def _read(whole: Any) -> Imported:
    whole = of_kind(whole, dict, "the file")
    if whole.get("format") != FORMAT:
        raise BadShape(f"format is not {FORMAT!r}")
    version = of_kind(whole.get("version"), int, "version")
    if version != VERSION:
        raise BadShape(f"version {version} is not known here, {VERSION} is; upgrade Hermes")
    sessions = of_kind(whole.get("sessions"), list, "sessions")
    if not 0 < len(sessions) <= MOST_SESSIONS:
        raise BadShape("sessions: there are none, or too many")
    notes: list[str] = []
    found = [_session(one, at("sessions", n), notes) for n, one in enumerate(sessions)]
    ids = [one.id for one in found]
    if len(set(ids)) != len(ids):
        raise BadShape("sessions: an id stands there twice")
    lines = {one.id for one in found[1:] if one.relation in _LINE}
    history = whole.get("history")
    if history not in lines:
        history = ids[0]
    for one in found[1:]:
        if one.relation is None:
            raise BadShape(f"sessions: {one.id!a} does not belong to the first one")
    return Imported(found, history, notes)


def _session(whole: Any, place: str, notes: list[str]) -> ImportedSession:
    whole = of_kind(whole, dict, place)
    now = time.time()
    updated = _time(whole.get("updated"), now)
    relation, title = whole.get("relation"), whole.get("title")
    found = ImportedSession(
        id=text_in(whole, "id", place),
        parent=whole["parent"] if isinstance(whole.get("parent"), str) else None,
        relation=relation if relation in _RELATIONS else None,
        title=clean_title(title) if isinstance(title, str) else "",
        created=min(_time(whole.get("created"), now), updated),
        updated=updated,
    )
    for number, one in enumerate(of_kind(whole.get("messages"), list, f"{place}.messages")):
        where = at(f"{place}.messages", number)
        row = of_kind(one, dict, where)
        message = check_message(row.get("message"), where, notes)
        carried = row.get("carried") is True
        found.messages.append((_time(row.get("at"), updated), carried, message))
    _add_shown(found, of_kind(whole.get("shown", []), list, f"{place}.shown"), notes)
    for number, one in enumerate(of_kind(whole.get("usage", []), list, f"{place}.usage")):
        found.used.append(_used(one, at(f"{place}.usage", number)))
    return found


def _add_shown(found: ImportedSession, rows: list[Any], notes: list[str]) -> None:
    left = 0
    for row in rows:
        data = row.get("event") if isinstance(row, Mapping) else None
        event = check_event(data)
        if isinstance(data, Mapping) and data.get("event") == _OF_THE_MOMENT:
            continue
        if event is None:
            left += 1
        else:
            found.shown.append((_time(row.get("at"), found.updated), event))
    if left:
        notes.append(f"left out {left} of {len(rows)} things that were shown")


def _used(whole: Any, place: str) -> Used:
    whole = of_kind(whole, dict, place)
    counts = {
        name: _count(whole.get(name), f"{place}.{name}")
        for name in ("calls", "input", "output", "cached", "reasoning", "unpriced")
    }
    cost = whole.get("cost")
    if not isinstance(cost, int | float) or isinstance(cost, bool) or not 0 <= cost < 1e9:
        raise BadShape(f"{place}.cost: an amount of money is needed")
    names = [clean_title(text_in(whole, name, place)) for name in ("provider", "model", "task")]
    usage = Usage(*(counts[name] for name in ("input", "output", "cached", "reasoning")))
    provider, model, task = names
    return Used(provider, model, usage, counts["calls"], float(cost), counts["unpriced"], task)


def _count(value: Any, place: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _LARGEST_COUNT:
        raise BadShape(f"{place}: a whole number is needed")
    return value


def _time(value: Any, otherwise: float) -> float:
    """Return a time of the file; ``otherwise`` for one that is none, or lies in the future."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return otherwise
    seconds = float(value) if abs(value) < 1e12 else math.inf
    return seconds if 0 < seconds <= time.time() else otherwise
