"""The shapes of a tool's arguments, read from the signature of its function.

One reading serves two ends: the JSON Schema that a model is told, and the check of what it sends.
Understood are str, int, float, bool, Literal of strings, list, TypedDict, each with ``| None``
and with ``Annotated[..., "description"]``.
"""

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

JsonType = Literal["string", "integer", "number", "boolean", "array", "object"]

_SIMPLE: dict[type, JsonType] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """What one value may be: ``items`` belong to arrays, ``fields`` to objects."""

    type: JsonType
    choices: tuple[str, ...] = ()
    items: "Shape | None" = None
    fields: "tuple[Field, ...]" = ()


@dataclass(frozen=True, slots=True)
class Field:
    """A named value: an argument of a tool, or a key of an object."""

    name: str
    shape: Shape
    description: str = ""
    required: bool = True
    default: Any = None


def fields_of(function: Callable[..., Any]) -> tuple[Field, ...]:
    """Return the arguments of a tool's function; its first parameter is the context, left out.

    Raises ``TypeError`` for an annotation that has no shape: a mistake in the tool, not in a call.
    """
    hints = get_type_hints(function, include_extras=True)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return tuple(
        _field(
            p.name, hints[p.name], p.default is p.empty, None if p.default is p.empty else p.default
        )
        for p in parameters
    )


def description_of(function: Callable[..., Any]) -> str:
    """Return the first paragraph of the docstring, which is what the model is told."""
    return " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())


def object_schema(fields: tuple[Field, ...]) -> dict[str, Any]:
    """Return the JSON Schema of an object with these fields, without anything superfluous."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {field.name: _field_schema(field) for field in fields},
    }
    required = [field.name for field in fields if field.required]
    return {**schema, "required": required} if required else schema


def _field(name: str, hint: Any, required: bool, default: Any) -> Field:
    description = ""
    while get_origin(hint) in (Annotated, NotRequired, Required):
        if get_origin(hint) is Annotated:
            hint, description = get_args(hint)[:2]
        else:
            required = get_origin(hint) is Required
            hint = get_args(hint)[0]
    return Field(name, _shape(hint), description, required, default)


def _shape(hint: Any) -> Shape:
    if hint in _SIMPLE:
        return Shape(_SIMPLE[hint])
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        kept = [argument for argument in arguments if argument is not type(None)]
        if len(kept) == 1:
            return _shape(kept[0])
    if origin is Literal:
        return Shape("string", choices=arguments)
    if origin is list:
        return Shape("array", items=_shape(arguments[0]))
    if is_typeddict(hint):
        return Shape("object", fields=_keys(hint))
    raise TypeError(f"a tool's argument cannot be of type {hint!r}")


def _keys(typed_dict: Any) -> tuple[Field, ...]:
    hints: Mapping[str, Any] = get_type_hints(typed_dict, include_extras=True)
    required: frozenset[str] = typed_dict.__required_keys__
    return tuple(_field(name, hint, name in required, None) for name, hint in hints.items())


def _field_schema(field: Field) -> dict[str, Any]:
    schema = _shape_schema(field.shape)
    if field.description:
        schema["description"] = field.description
    if field.default is not None and field.default is not False:
        schema["default"] = field.default
    return schema


def _shape_schema(shape: Shape) -> dict[str, Any]:
    if shape.choices:
        return {"type": "string", "enum": list(shape.choices)}
    if shape.items is not None:
        return {"type": "array", "items": _shape_schema(shape.items)}
    if shape.type == "object":
        return object_schema(shape.fields)
    return {"type": shape.type}
