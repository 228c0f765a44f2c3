"""The check of a call's arguments against the shapes that its tool declares.

Models send ``"5"`` for 5, ``"true"`` for true and a list as a JSON string. Such values are put
right where exactly one reading is possible; everything else is named, all of it at once, so that
one further call can mend it.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hermes_core.ground.errors import ToolError
from hermes_core.tools.names import nearest
from hermes_core.tools.shapes import Field, JsonType, Shape

_WRONG = object()


def check_fields(tool: str, fields: tuple[Field, ...], arguments: Any) -> dict[str, Any]:
    """Return the arguments with their values put right; absent and null ones are left out.

    Raises ``ToolError`` that names every missing, unknown and ill-typed argument.
    """
    problems: list[str] = []
    value = _object(fields, arguments, "", problems)
    if value is _WRONG:
        problems.append(f"the arguments must be an object, not {_kind(arguments)}")
    if problems:
        names = ", ".join(f.name if f.required else f"{f.name}?" for f in fields)
        raise ToolError(f"{tool}: {'; '.join(problems)}. Its arguments are: {names}.")
    checked: dict[str, Any] = value
    return checked


def _object(fields: tuple[Field, ...], value: Any, where: str, problems: list[str]) -> Any:
    value = _parsed(value, dict)
    if not isinstance(value, dict):
        return _WRONG
    known = {field.name: field for field in fields}
    problems.extend(_unknown(value, known, where))
    result: dict[str, Any] = {}
    for name, field in known.items():
        path = f"{where}{name}"
        if value.get(name) is None:
            if field.required:
                problems.append(f"{path} is missing")
            continue
        result[name] = _value(field.shape, value[name], path, problems)
    return result


def _unknown(value: Mapping[Any, Any], known: Mapping[str, Field], where: str) -> Iterable[str]:
    free = [name for name in known if value.get(name) is None]
    for name in value:
        if name in known:
            continue
        meant = nearest(str(name), free) or nearest(str(name), known)
        hint = f" (did you mean {where}{meant}?)" if meant else ""
        yield f"{where}{str(name)[:60]} is unknown{hint}"


def _value(shape: Shape, value: Any, where: str, problems: list[str]) -> Any:
    if shape.type == "array":
        return _array(shape, value, where, problems)
    if shape.type == "object":
        result = _object(shape.fields, value, f"{where}.", problems)
    else:
        result = _READERS[shape.type](value)
        if shape.choices and result is not _WRONG:
            result = _choice(shape.choices, result)
    if result is _WRONG:
        problems.append(f"{where} must be {_wanted(shape)}, not {_kind(value)}")
    return result


def _array(shape: Shape, value: Any, where: str, problems: list[str]) -> Any:
    value = _parsed(value, list)
    item = shape.items
    if item is None:
        return value
    if isinstance(value, str) and item.type == "object":
        value = _parsed(value, dict)
    if isinstance(value, dict) and item.type == "object":
        value = [value]
    if not isinstance(value, list):
        problems.append(f"{where} must be {_wanted(shape)}, not {_kind(value)}")
        return _WRONG
    return [_value(item, one, f"{where}[{i}]", problems) for i, one in enumerate(value)]


def _parsed(value: Any, wanted: type) -> Any:
    """Return what a JSON string stands for if that is of the wanted type, else ``value``."""
    if not isinstance(value, str):
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return parsed if isinstance(parsed, wanted) else value


def _string(value: Any) -> Any:
    if isinstance(value, str):
        return value
    # A whole number has one spelling; 3.10 or true do not.
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else _WRONG


def _integer(value: Any) -> Any:
    number = _number(value)
    return int(number) if number is not _WRONG and number == int(number) else _WRONG


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return _WRONG
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return _WRONG
    return number if abs(number) < 1e15 else _WRONG


def _boolean(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower() if isinstance(value, (str, int)) else ""
    return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}.get(
        word, _WRONG
    )


def _choice(choices: tuple[str, ...], value: str) -> Any:
    return next((one for one in choices if one == value.strip().lower()), _WRONG)


_READERS: dict[JsonType, Callable[[Any], Any]] = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
}


def _wanted(shape: Shape) -> str:
    if shape.choices:
        return f"one of {', '.join(shape.choices)}"
    article = "an" if shape.type[0] in "aio" else "a"
    return f"{article} {shape.type}"


def _kind(value: Any) -> str:
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        text = json.dumps(value)
        return text if len(text) <= 60 else f"{text[:57]}..."
    return {bool: "a boolean", dict: "an object", list: "a list"}.get(type(value), "null")
