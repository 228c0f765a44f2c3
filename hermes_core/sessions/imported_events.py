"""Events of a display log from a file: those whose every field has the type that it must have."""

import dataclasses
import math
import types
import typing
from typing import Any, Literal, Union

from hermes_core.ground.events import UsageUpdated
from hermes_core.ground.events_json import from_json, to_json


def check_event(data: Any) -> dict[str, Any] | None:
    """Return an event as it is stored; None for what is none, or means nothing elsewhere.

    Elsewhere nothing is meant by what the sessions of sub-agents show, whose ids are new, and by
    counts of tokens, which would be taken for this session's cost.
    """
    if not isinstance(data, dict):
        return None
    try:
        event = from_json(data)
        if event is None or isinstance(event, UsageUpdated) or hasattr(event, "child"):
            return None
        return to_json(event) if _fits(event, type(event)) else None
    except (TypeError, ValueError, AttributeError, RecursionError):
        return None


def _fits(value: Any, hint: Any) -> bool:
    """Return whether ``value`` is of the type ``hint``, all through."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return True
    if origin is Literal:
        return value in arguments
    if origin in (Union, types.UnionType):
        return any(_fits(value, one) for one in arguments)
    if origin is tuple:
        return isinstance(value, tuple) and all(_fits(one, arguments[0]) for one in value)
    if origin is dict:
        return isinstance(value, dict)
    if dataclasses.is_dataclass(hint):
        return _fits_dataclass(value, hint)
    return _fits_plain(value, hint)


def _fits_dataclass(value: Any, hint: Any) -> bool:
    if type(value) is not hint:
        return False
    hints = typing.get_type_hints(hint)
    return all(_fits(getattr(value, name), one) for name, one in hints.items())


def _fits_plain(value: Any, hint: Any) -> bool:
    if hint is float:
        return isinstance(value, int | float) and math.isfinite(value)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)
