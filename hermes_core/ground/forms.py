"""Forms that others ask a person to fill in: what may be shown of one, and what answers it. Pure.

A form is flat: texts, numbers, yes or no, and choices. All that a person reads of it is made
visible and cut; what cannot be shown that way is refused as a whole.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from hermes_core.ground.errors import HermesError
from hermes_core.ground.sensitive import asks_for_a_secret, names_a_secret
from hermes_core.ground.visible import one_line

MOST_FIELDS = 20
MOST_CHOICES = 100
LONGEST_NAME = 100
LONGEST_WORDS = 500
LONGEST_ANSWER = 20_000
"""Characters of a field's name, of what is told about it, and of what is filled into it."""

_FORMATS = ("email", "uri", "date", "date-time")
_BIGGEST = 2**63 - 1

Schema = dict[str, Any]


class FormRefused(HermesError):
    """A form that is not shown; the text says why, as a clause about it."""


def form_schema(raw: object, message: str = "") -> Schema:
    """Return the schema of a form as it may be shown, with nothing in it that is not understood.

    message: what is said beside it. Raises ``FormRefused`` for what is no flat form, is too large,
    or asks for a secret.
    """
    fields = raw.get("properties", {}) if isinstance(raw, Mapping) else None
    if not isinstance(raw, Mapping) or not isinstance(fields, Mapping):
        raise FormRefused("it has no fields")
    if raw.get("type", "object") != "object":
        raise FormRefused("it is no form")
    if len(fields) > MOST_FIELDS:
        raise FormRefused(f"it has more than {MOST_FIELDS} fields")
    shown = {str(name): _field(name, field) for name, field in fields.items()}
    typed = any(_is_typed(field) for field in shown.values())
    if typed and asks_for_a_secret(message):
        raise FormRefused("it asks for a secret, which no form may")
    schema: Schema = {"type": "object", "properties": shown}
    required = _required(raw.get("required"), shown)
    if required:
        schema["required"] = required
    return schema


def content_of(schema: Schema | Mapping[str, Any], content: object) -> dict[str, Any] | None:
    """Return what was filled into a form of ``form_schema``, field by field; None for no answer.

    Each value must be one that its field takes, and what is required must be there. What the form
    did not ask for is left out, and so are fields that were left empty.
    """
    if not isinstance(content, Mapping):
        content = {}
    required = schema.get("required", ())
    found: dict[str, Any] = {}
    for name, field in schema["properties"].items():
        value = content.get(name)
        if value is None or (value == "" and not fits(field, value)):
            if name in required:
                return None
        elif not fits(field, value):
            return None
        else:
            found[name] = int(value) if field["type"] == "integer" else value
    return found


def fits(field: Mapping[str, Any], value: object) -> bool:
    """Return whether a field takes ``value``."""
    return _FITS[field["type"]](field, value)


def choices_of(field: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the choices of a field, each with how it is shown; none where text is typed."""
    items = field.get("items", field)
    if "enum" in items:
        return [(value, value) for value in items["enum"]]
    listed = items.get("oneOf") or items.get("anyOf") or ()
    return [(one["const"], one["title"]) for one in listed]


def _field(name: object, raw: object) -> Schema:
    if not isinstance(name, str) or not isinstance(raw, Mapping):
        raise FormRefused("one of its fields is none")
    if not name.isprintable() or not 0 < len(name) <= LONGEST_NAME:
        raise FormRefused("a field has a name that cannot be shown")
    make = _MAKERS.get(str(raw.get("type")))
    if make is None:
        raise FormRefused(f"the field {one_line(name)} is neither text, number, yes-or-no nor list")
    field = {"type": raw["type"], **_told(name, raw), **make(name, raw)}
    if "default" in raw and fits(field, raw["default"]) and _is_seen(raw["default"]):
        field["default"] = raw["default"]
    _refuse_secret(name, raw, field)
    return field


def _refuse_secret(name: str, raw: Mapping[str, Any], field: Schema) -> None:
    if not _is_typed(field):
        return
    named = any(names_a_secret(text) for text in (name, _text(raw, "title")))
    hidden = raw.get("format") == "password" or raw.get("writeOnly") is True
    if named or hidden or asks_for_a_secret(_text(raw, "description")):
        raise FormRefused(f"the field {one_line(name)} asks for a secret, which no form may")


def _is_typed(field: Mapping[str, Any]) -> bool:
    return field["type"] in ("string", "number", "integer") and not choices_of(field)


def _told(name: str, raw: Mapping[str, Any]) -> Schema:
    told = {"title": _short(_text(raw, "title").strip() or name)}
    if description := _text(raw, "description").strip():
        told["description"] = _short(description)
    return told


def _string(name: str, raw: Mapping[str, Any]) -> Schema:
    choices = _choices(name, raw, "oneOf")
    if choices:
        return choices
    field: Schema = {}
    for key in ("minLength", "maxLength"):
        if _is_integer(raw.get(key)) and 0 <= raw[key] <= LONGEST_ANSWER:
            field[key] = int(raw[key])
    if raw.get("format") in _FORMATS:
        field["format"] = raw["format"]
    return field


def _number(_name: str, raw: Mapping[str, Any]) -> Schema:
    return {key: raw[key] for key in ("minimum", "maximum") if _is_number(raw.get(key))}


def _integer(_name: str, raw: Mapping[str, Any]) -> Schema:
    return {key: int(raw[key]) for key in ("minimum", "maximum") if _is_integer(raw.get(key))}


def _boolean(_name: str, _raw: Mapping[str, Any]) -> Schema:
    return {}


def _array(name: str, raw: Mapping[str, Any]) -> Schema:
    items = raw.get("items")
    choices = _choices(name, items, "anyOf") if isinstance(items, Mapping) else {}
    if not choices:
        raise FormRefused(f"the field {one_line(name)} is a list without choices")
    field: Schema = {"items": {"type": "string", **choices} if "enum" in choices else choices}
    for key in ("minItems", "maxItems"):
        if _is_integer(raw.get(key)) and 0 <= raw[key] <= MOST_CHOICES:
            field[key] = int(raw[key])
    return field


def _choices(name: str, raw: Mapping[str, Any], titled: str) -> Schema:
    """Return the choices in ``raw``: as they are, or with titles where they are not all seen."""
    listed = raw.get("enum", raw.get(titled))
    if listed is None:
        return {}
    if not isinstance(listed, list) or not 0 < len(listed) <= MOST_CHOICES:
        raise FormRefused(f"the field {one_line(name)} has no choices, or too many")
    names = raw.get("enumNames")
    named = isinstance(names, list) and len(names) == len(listed)
    titles: list[Any] = names if named and isinstance(names, list) else [None] * len(listed)
    pairs = [_choice(one, title) for one, title in zip(listed, titles, strict=True)]
    if any(not isinstance(value, str) or len(value) > LONGEST_WORDS for value, _ in pairs):
        raise FormRefused(f"the field {one_line(name)} has a choice that is no text")
    if "enum" in raw and all(value == title for value, title in pairs):
        return {"enum": [value for value, _ in pairs]}
    return {titled: [{"const": value, "title": title} for value, title in pairs]}


def _choice(one: Any, title: Any) -> tuple[Any, str]:
    if isinstance(one, Mapping):
        one, title = one.get("const"), one.get("title")
    return one, _short(title if isinstance(title, str) and title.strip() else str(one))


def _required(raw: object, fields: Mapping[str, Any]) -> list[str]:
    listed = raw if isinstance(raw, list) else []
    if any(name not in fields for name in listed if isinstance(name, str)):
        raise FormRefused("it requires a field that it does not have")
    return [name for name in fields if name in listed]


def _text(raw: Mapping[str, Any], key: str) -> str:
    value = raw.get(key)
    return value[: 2 * LONGEST_WORDS] if isinstance(value, str) else ""


def _short(text: str) -> str:
    shown = one_line(text[: LONGEST_WORDS + 1])
    return shown if len(shown) <= LONGEST_WORDS else f"{shown[: LONGEST_WORDS - 1]}…"


def _is_seen(value: object) -> bool:
    texts = value if isinstance(value, list) else [value]
    return all(not isinstance(text, str) or one_line(text) == text for text in texts)


def _is_integer(value: object) -> bool:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return whole and _is_number(value)


def _is_number(value: object) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and abs(value) <= _BIGGEST
    )


def _fits_text(field: Mapping[str, Any], value: object) -> bool:
    if not isinstance(value, str):
        return False
    choices = choices_of(field)
    if choices:
        return any(value == choice for choice, _ in choices)
    return bool(field.get("minLength", 0) <= len(value) <= field.get("maxLength", LONGEST_ANSWER))


def _fits_number(field: Mapping[str, Any], value: object) -> bool:
    known = _is_integer(value) if field["type"] == "integer" else _is_number(value)
    low, high = field.get("minimum", -math.inf), field.get("maximum", math.inf)
    return bool(known and isinstance(value, int | float) and low <= value <= high)


def _fits_list(field: Mapping[str, Any], value: object) -> bool:
    if not isinstance(value, list) or any(not isinstance(one, str) for one in value):
        return False
    allowed = {choice for choice, _ in choices_of(field)}
    enough = field.get("minItems", 0) <= len(value) <= field.get("maxItems", MOST_CHOICES)
    return enough and len(set(value)) == len(value) and allowed.issuperset(value)


_MAKERS: dict[str, Callable[[str, Mapping[str, Any]], Schema]] = {
    "string": _string,
    "number": _number,
    "integer": _integer,
    "boolean": _boolean,
    "array": _array,
}
_FITS: dict[str, Callable[[Mapping[str, Any], object], bool]] = {
    "string": _fits_text,
    "number": _fits_number,
    "integer": _fits_number,
    "boolean": lambda _, value: isinstance(value, bool),
    "array": _fits_list,
}
