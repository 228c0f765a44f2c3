"""Checks what a client sends against a generated type, as leniently as the schema asks for.

Unknown keys pass. A field that does not fit falls back where the schema says so (``markers``);
elsewhere the error names it by its path, such as ``mcpServers[0].command``. The walk over a type
is done once and kept.
"""

from collections.abc import Callable
from functools import cache, partial
from types import NoneType, UnionType
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

from acp_server.schema.errors import invalid_params
from acp_server.schema.markers import ON_ERROR, ON_NULL, SKIP_INVALID, Marker

_Check = Callable[[Any], Any]

_MISSING = object()


def check(params: Any, expected: Any = None) -> dict[str, Any]:
    """Return ``params`` as the ``TypedDict`` class ``expected`` wants them; None: any object.

    What falls back is changed in a copy. Raises ``RpcError`` (-32602) naming the field at fault.
    """
    try:
        result: dict[str, Any] = (_mapping if expected is None else _checker(expected))(params)
    except _MismatchError as mismatch:
        field = mismatch.field()
        raise invalid_params(f"{field or 'params'}: {mismatch.text}", field) from None
    return result


class _MismatchError(Exception):
    def __init__(self, text: str, *path: str | int) -> None:
        self.text = text
        self.path = list(path)

    def field(self) -> str:
        parts = [f"[{p}]" if isinstance(p, int) else f".{p}" for p in reversed(self.path)]
        return "".join(parts).removeprefix(".")


@cache
def _checker(expected: Any) -> _Check:
    if is_typeddict(expected):
        return _object_checker(expected)
    origin, arguments = get_origin(expected), get_args(expected)
    if origin in (Annotated, Required, NotRequired):
        return _checker(arguments[0])
    if origin is Literal:
        return partial(_literal, arguments)
    if origin is list:
        return partial(_array, _checker(arguments[0]), False)
    if origin is dict:
        return partial(_dictionary, _checker(arguments[1]))
    if origin in (Union, UnionType):
        return _union_checker(arguments)
    return _PLAIN[expected]


# Plain values


def _got(value: Any) -> str:
    if value is None:
        return "null"
    kinds = {bool: "boolean", int: "number", float: "number", str: "string", list: "array"}
    return kinds.get(type(value), "object")


def _instance(kind: type, name: str, value: Any) -> Any:
    if not isinstance(value, kind):
        raise _MismatchError(f"{name} expected, got {_got(value)}.")
    return value


def _integer(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _MismatchError(f"integer expected, got {_got(value)}.")
    return value


def _number(value: Any) -> Any:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise _MismatchError(f"number expected, got {_got(value)}.")
    return value


_mapping = partial(_instance, dict, "object")
_PLAIN: dict[Any, _Check] = {
    str: partial(_instance, str, "string"),
    bool: partial(_instance, bool, "boolean"),
    int: _integer,
    float: _number,
    NoneType: partial(_instance, NoneType, "null"),
    Any: lambda value: value,
}


def _literal(allowed: tuple[Any, ...], value: Any) -> Any:
    if value not in allowed:
        listed = ", ".join(f'"{item}"' for item in allowed)
        raise _MismatchError(f"{'one of ' if len(allowed) > 1 else ''}{listed} expected.")
    return value


# Containers


def _array(item_check: _Check, skip_invalid: bool, value: Any) -> list[Any]:
    items = []
    for index, item in enumerate(_instance(list, "array", value)):
        try:
            items.append(item_check(item))
        except _MismatchError as mismatch:
            if not skip_invalid:
                mismatch.path.append(index)
                raise
    return items


def _dictionary(item_check: _Check, value: Any) -> dict[str, Any]:
    result = {}
    for key, item in _mapping(value).items():
        try:
            result[key] = item_check(item)
        except _MismatchError as mismatch:
            mismatch.path.append(key)
            raise
    return result


class _Field:
    """One field of an object: its check and what stands in for a value that does not fit."""

    def __init__(self, name: str, hint: Any, required: bool) -> None:
        self.name = name
        self.required = required
        if get_origin(hint) in (Required, NotRequired):
            hint = get_args(hint)[0]
        markers: tuple[Marker, ...] = ()
        if get_origin(hint) is Annotated:
            hint, *marks = get_args(hint)
            markers = tuple(marks)
        self.on_error = ON_ERROR in markers
        self.on_null = ON_NULL in markers
        self.check = _checker(hint)
        if SKIP_INVALID in markers:
            self.check = _skipping(hint)
        self._default = _default_of(hint)

    def take(self, value: Any) -> Any:
        """Return the value to keep; ``_MISSING`` for none."""
        if value is None and self.on_null:
            return self._fallback()
        try:
            return self.check(value)
        except _MismatchError as mismatch:
            if self.on_error:
                return self._fallback()
            mismatch.path.append(self.name)
            raise

    def _fallback(self) -> Any:
        return self._default() if self.required else _MISSING


def _object_checker(expected: Any) -> _Check:
    hints = get_type_hints(expected, include_extras=True)
    required = expected.__required_keys__
    return partial(_object, [_Field(n, hint, n in required) for n, hint in hints.items()])


def _object(fields: list[_Field], value: Any) -> dict[str, Any]:
    result = dict(_mapping(value))
    for field in fields:
        if field.name in result:
            kept = field.take(result[field.name])
            if kept is _MISSING:
                del result[field.name]
            else:
                result[field.name] = kept
        elif field.required:
            raise _MismatchError("missing.", field.name)
    return result


def _members(hint: Any) -> list[Any]:
    """Return the members of a union other than None; the type itself if it is no union."""
    arguments = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return [member for member in arguments if member is not NoneType]


def _skipping(hint: Any) -> _Check:
    check_item = _checker(get_args(_members(hint)[0])[0])
    check_array = partial(_array, check_item, True)
    if NoneType not in get_args(hint):
        return check_array
    return lambda value: None if value is None else check_array(value)


def _default_of(hint: Any) -> Callable[[], Any]:
    if NoneType in get_args(hint):
        return NoneType
    origin = get_origin(hint)
    return list if origin is list else dict


# Unions


def _union_checker(arguments: tuple[Any, ...]) -> _Check:
    members = [member for member in arguments if member is not NoneType]
    if all(is_typeddict(member) for member in members) and len(members) > 1:
        inner = _choice_checker(members)
    elif len(members) == 1:
        inner = _checker(members[0])
    else:
        inner = partial(_first_fit, [_checker(member) for member in members])
    if NoneType not in arguments:
        return inner
    return lambda value: None if value is None else inner(value)


def _first_fit(checks: list[_Check], value: Any) -> Any:
    first: _MismatchError | None = None
    for check_member in checks:
        try:
            return check_member(value)
        except _MismatchError as mismatch:
            first = first or mismatch
    raise first or _MismatchError("nothing fits.")


def _choice_checker(members: list[Any]) -> _Check:
    """Return a check that chooses the member by the value of its tag, if the members have one."""
    hints = [get_type_hints(member) for member in members]
    tags = (n for hint in hints for n, kind in hint.items() if get_origin(kind) is Literal)
    tag = next(tags, None)
    if tag is None:
        return partial(_first_fit, [_checker(member) for member in members])
    tagged: dict[Any, _Check] = {}
    otherwise: _Check | None = None
    for member, hint in zip(members, hints, strict=True):
        if tag in hint:
            tagged[get_args(hint[tag])[0]] = _checker(member)
        else:
            otherwise = _checker(member)
    return partial(_choose, tag, tagged, otherwise)


def _choose(tag: str, tagged: dict[Any, _Check], otherwise: _Check | None, value: Any) -> Any:
    kind = _mapping(value).get(tag, _MISSING)
    chosen = tagged.get(kind) if isinstance(kind, str) else None
    chosen = chosen or otherwise
    if chosen:
        return chosen(value)
    if kind is _MISSING:
        raise _MismatchError("missing.", tag)
    listed = ", ".join(f'"{name}"' for name in tagged)
    raise _MismatchError(f"one of {listed} expected.", tag)
