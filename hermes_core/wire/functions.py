"""Tools as a wire offers them, and calls of them as it repeats them."""

import json
import re
import zlib
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Final

from hermes_core.ground.runtime import Compat
from hermes_core.wire.text import clean

_NAMED: Final = frozenset({"properties", "patternProperties", "$defs", "definitions"})
"""Schema keywords whose value maps free names to schemas."""

_VERBATIM: Final = frozenset({"enum", "const", "default", "examples", "required"})
_FOREIGN: Final = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST: Final = 64


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(text)
    return number


_STRICT: Final = json.JSONDecoder(parse_float=_finite, parse_constant=_finite)
"""Takes the numbers of JSON alone: no NaN, nothing infinite."""


def functions_of(tools: Sequence[dict[str, Any]], compat: Compat) -> list[dict[str, Any]]:
    """Return the function of each tool, its parameters without what the endpoint refuses."""
    return [_function(tool["function"], compat) for tool in tools]


def function_name(name: str) -> str:
    """Return the name of a called function as every endpoint takes it."""
    return _FOREIGN.sub("_", name)[:_LONGEST] or "unknown"


def call_id(text: str) -> str:
    """Return the id of a call as strict endpoints take it: always the same for the same text."""
    if 0 < len(text) <= _LONGEST and not _FOREIGN.search(text):
        return text
    digest = zlib.crc32(text.encode("utf-8", "replace"))
    return f"{_FOREIGN.sub('_', text)[:48]}_{digest:08x}"


def arguments_of(text: str) -> dict[str, Any]:
    """Return the arguments of a stored call; what is no JSON object counts as none.

    Strict endpoints refuse the whole request otherwise, and the call's answer in the conversation
    says what was wrong with it.
    """
    try:
        arguments = _STRICT.decode(text)
    except (ValueError, RecursionError):
        return {}
    return clean(arguments) if isinstance(arguments, dict) else {}


def arguments_text(text: str) -> str:
    """Return the arguments of a stored call as JSON text, as it stands if it is an object."""
    return str(clean(text)) if arguments_of(text) else "{}"


def _function(function: Mapping[str, Any], compat: Compat) -> dict[str, Any]:
    shaped: dict[str, Any] = clean(dict(function))
    parameters = shaped.get("parameters")
    if isinstance(parameters, dict) and (compat.dropped_keywords or not compat.slashes_in_enums):
        shaped["parameters"] = _schema(parameters, compat)
    return shaped


def _schema(schema: Any, compat: Compat) -> Any:
    if isinstance(schema, list):
        return [_schema(item, compat) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _value(key, value, compat)
        for key, value in schema.items()
        if key not in compat.dropped_keywords and not _is_refused_enum(key, value, compat)
    }


def _value(key: str, value: Any, compat: Compat) -> Any:
    if key in _VERBATIM:
        return value
    if key in _NAMED and isinstance(value, dict):
        return {name: _schema(item, compat) for name, item in value.items()}
    return _schema(value, compat)


def _is_refused_enum(key: str, value: Any, compat: Compat) -> bool:
    if compat.slashes_in_enums or key != "enum" or not isinstance(value, list):
        return False
    return any(isinstance(item, str) and "/" in item for item in value)
