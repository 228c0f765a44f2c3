"""What the model is told of a foreign tool, within bounds, and what its arguments must be. Pure.

The server checks arguments itself; here only what is plainly wrong is told the model at once.
"""

import json
from collections.abc import Mapping
from typing import Any

from hermes_core.ground.errors import ToolError
from hermes_core.ground.injection import visible

LONGEST_DESCRIPTION = 2_000
LONGEST_SCHEMA = 16_000
DEEPEST = 12

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int, float),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
}
_ANY: dict[str, Any] = {"type": "object", "properties": {}}


def function_schema(name: str, description: str, parameters: object) -> dict[str, Any]:
    """Return the schema of a function that a request offers."""
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": short(description) or "No description.",
            "parameters": bounded(parameters),
        },
    }


def short(text: str) -> str:
    """Return a description without unseen characters, cut to ``LONGEST_DESCRIPTION``."""
    text = visible(text).strip()
    return text if len(text) <= LONGEST_DESCRIPTION else f"{text[: LONGEST_DESCRIPTION - 1]}…"


def bounded(schema: object) -> dict[str, Any]:
    """Return a schema of an object as it may be offered.

    One that is too long loses its descriptions, and if that does not do, all but the names at the
    top; one that is no schema of an object takes anything.
    """
    if not isinstance(schema, Mapping):
        return dict(_ANY)
    if schema.get("type", "object") != "object" or not _is_data(schema, DEEPEST):
        return dict(_ANY)
    whole: dict[str, Any] = {**schema, "type": "object"}
    whole.pop("$schema", None)
    if not isinstance(whole.get("properties"), Mapping):
        whole["properties"] = {}
    if _length(whole) <= LONGEST_SCHEMA:
        return whole
    bare: dict[str, Any] = _without_words(whole)
    if _length(bare) <= LONGEST_SCHEMA:
        return bare
    names = [str(name)[:100] for name in bare["properties"]][:100]
    return {"type": "object", "properties": {name: {} for name in names}}


def check(name: str, schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments; raise ``ToolError`` for what is missing, unknown or ill-typed."""
    properties = schema.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    required = schema.get("required")
    wanted = required if isinstance(required, list) else []
    problems = [f"{one!r} is missing" for one in wanted if one not in arguments]
    if schema.get("additionalProperties") is False:
        problems += [f"{one!r} is unknown" for one in arguments if one not in properties]
    for one, value in arguments.items():
        kind = _kind(properties.get(one))
        if kind and not _fits(kind, value):
            problems.append(f"{one!r} must be of type {kind}")
    if problems:
        raise ToolError(f"{name}: {'; '.join(problems[:10])}. Send the whole call again.")
    return dict(arguments)


def _kind(schema: object) -> str:
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    return kind if isinstance(kind, str) and kind in _TYPES else ""


def _fits(kind: str, value: object) -> bool:
    if isinstance(value, bool) and kind != "boolean":
        return False
    return isinstance(value, _TYPES[kind])


def _length(schema: object) -> int:
    return len(json.dumps(schema, ensure_ascii=False, separators=(",", ":")))


def _is_data(value: object, depth: int) -> bool:
    """Tell whether ``value`` is JSON, and not nested beyond ``depth``."""
    if isinstance(value, Mapping):
        return depth > 0 and all(
            isinstance(name, str) and _is_data(one, depth - 1) for name, one in value.items()
        )
    if isinstance(value, list):
        return depth > 0 and all(_is_data(one, depth - 1) for one in value)
    return value is None or isinstance(value, str | int | float | bool)


def _without_words(value: Any) -> Any:
    """Return a schema without its descriptions, titles, examples and comments.

    A property may have such a name; its schema is an object, a description is a text.
    """
    if isinstance(value, Mapping):
        return {name: _without_words(one) for name, one in value.items() if not _is_word(name, one)}
    return [_without_words(one) for one in value] if isinstance(value, list) else value


def _is_word(name: str, value: object) -> bool:
    return name in ("description", "title", "examples", "$comment", "default") and not isinstance(
        value, Mapping
    )
