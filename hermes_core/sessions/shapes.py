"""Small checks of data from a file, whose errors name the place."""

from collections.abc import Mapping
from typing import Any, TypeVar

_T = TypeVar("_T")

_NAMES = {dict: "an object", list: "a list", str: "text", int: "a whole number"}


class BadShape(ValueError):
    """Something is not of the shape that it must have; the text names the place."""


def at(place: str, number: int) -> str:
    """Return the name of one place in a list."""
    return f"{place}[{number}]"


def of_kind(value: Any, kind: type[_T], place: str) -> _T:
    """Return ``value`` if it is of that kind; raise ``BadShape``."""
    if not isinstance(value, kind) or isinstance(value, bool):
        raise BadShape(f"{place}: {_NAMES[kind]} is needed")
    return value


def text_in(whole: Mapping[str, Any], name: str, place: str) -> str:
    """Return the text under ``name``; raise ``BadShape`` if there is none."""
    return of_kind(whole.get(name), str, f"{place}.{name}")
