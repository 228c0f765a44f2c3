"""Changing a JSONC text in place: one value comes or goes, every other byte stays.

Functions are pure: they take the text and return the new one. What they return is read again; if
it does not hold exactly the old data with the change, ``JsoncError`` is raised instead.
"""

import copy
import json
from collections.abc import Sequence
from typing import Any

from hermes_core.local.jsonc import JsoncError, Member, Node, parse, trivia


def load(text: str) -> dict[str, Any]:
    """Return the object that ``text`` holds, empty for an empty text. Raises ``JsoncError``."""
    root = parse(text)
    if root is None:
        return {}
    if root.members is None:
        raise JsoncError("it holds no object, which begins with {")
    value: dict[str, Any] = root.value
    return value


def text_at(text: str, path: Sequence[str]) -> str | None:
    """Return the text of the value at ``path``, as it is written; None if there is none."""
    node = _find(parse(text), path)
    return None if node is None else text[node.start : node.end]


def put(text: str, path: Sequence[str], value: Any) -> str:
    """Return ``text`` with ``value`` at ``path``; objects on the way are made where missing.

    A new key comes last, written as its neighbours are: indented alike, or on their line. A value
    that is there already stays as it is written.
    """
    data = load(text)
    wanted = _with(data, path, value)
    root = parse(text)
    if json.dumps(wanted) == json.dumps(data) and _find(root, path) is not None:
        return text
    if root is None:
        gap = "" if not text.strip("\ufeff") or text.endswith("\n") else _newline(text)
        made = f"{text}{gap}{_render(wanted, '', '  ', _newline(text))}{_newline(text)}"
    else:
        made = _put(text, root, path, value)
    return _checked(made, wanted)


def put_text(text: str, path: Sequence[str], raw: str) -> str:
    """Return ``text`` with ``raw``, the text of a value, in the place of the value at ``path``."""
    node = _find(parse(text), path)
    if node is None:
        return put(text, path, _value_of(raw))
    made = text[: node.start] + raw + text[node.end :]
    return _checked(made, _with(load(text), path, _value_of(raw)))


def take(text: str, path: Sequence[str]) -> str:
    """Return ``text`` without the key at ``path``; unchanged if it is not there."""
    wanted = copy.deepcopy(load(text))
    above, inside = _find(parse(text), path[:-1]), wanted
    if above is None or above.members is None or path[-1] not in above.value:
        return text
    for key in path[:-1]:
        inside = inside[key]
    del inside[path[-1]]
    return _checked(_without(text, above, _place(above, path[-1])), wanted)


def _with(data: dict[str, Any], path: Sequence[str], value: Any) -> dict[str, Any]:
    wanted = copy.deepcopy(data)
    inside = wanted
    for key in path[:-1]:
        inside = inside.setdefault(key, {})
        if not isinstance(inside, dict):
            raise JsoncError(f'"{key}" is there, but it is no object')
    inside[path[-1]] = value
    return wanted


def _checked(made: str, wanted: dict[str, Any]) -> str:
    if load(made) != wanted:
        raise JsoncError("it is written in a way that cannot be changed safely")
    return made


def _value_of(raw: str) -> Any:
    node = parse(raw)
    return None if node is None else node.value


def _find(node: Node | None, path: Sequence[str]) -> Node | None:
    for key in path:
        if node is None or node.members is None or key not in node.value:
            return None
        node = node.members[_place(node, key)].node
    return node


def _place(node: Node, key: str) -> int:
    """Return which member of an object has ``key``; refuse one that stands there twice."""
    found = [place for place, member in enumerate(node.members or ()) if member.key == key]
    if len(found) > 1:
        raise JsoncError(f'"{key}" stands there twice')
    return found[0]


# Putting in


def _put(text: str, root: Node, path: Sequence[str], value: Any) -> str:
    node, depth = root, 0
    while depth < len(path) and node.members is not None and path[depth] in node.value:
        node = node.members[_place(node, path[depth])].node
        depth += 1
    if depth == len(path):
        new = _render(value, _indent_of(text, node.start), _unit(text, root), _newline(text))
        return text[: node.start] + new + text[node.end :]
    for key in reversed(path[depth + 1 :]):
        value = {key: value}
    return _insert(text, root, node, path[depth], value)


def _insert(text: str, root: Node, node: Node, key: str, value: Any) -> str:
    """Add a member at the end of an object."""
    members = node.members or ()
    inner = text[node.start + 1 : node.end - 1]
    last = members[-1] if members else None
    if last is not None and "\n" not in inner:
        at = last.node.end if last.comma is None else last.comma + 1
        trail = "," if last.comma is not None else ""
        lead = ", " if last.comma is None else " "
        return f"{text[:at]}{lead}{json.dumps(key)}: {_compact(value)}{trail}{text[at:]}"
    unit, newline = _unit(text, root), _newline(text)
    if last is not None and _first_on_line(text, last.start):
        indent = _indent_of(text, last.start)
    else:
        indent = _indent_of(text, node.start) + unit
    member = f"{newline}{indent}{json.dumps(key)}: {_render(value, indent, unit, newline)}"
    if last is None:
        closing = "" if "\n" in inner else newline + _indent_of(text, node.start)
        at = node.start + 1 + len(inner.rstrip())  # behind what comments there are
        return text[:at] + member + closing + text[at:]
    if last.comma is None:
        at = _line_rest(text, last.node.end)
        return f"{text[: last.node.end]},{text[last.node.end : at]}{member}{text[at:]}"
    at = _line_rest(text, last.comma + 1)
    return f"{text[:at]}{member},{text[at:]}"


# Taking out


def _without(text: str, node: Node, place: int) -> str:
    members = node.members or ()
    member = members[place]
    before = members[place - 1] if place else None
    end = member.node.end if member.comma is None else member.comma + 1
    if _first_on_line(text, member.start):
        made = _without_lines(text, member, before, end)
    elif member.comma is None and before is not None and before.comma is not None:
        made = text[: before.comma] + text[member.node.end :]
    elif place + 1 < len(members):
        made = text[: member.start] + text[members[place + 1].start :]
    else:
        start = member.start - (text[member.start - 1] == " " and before is not None)
        made = text[:start] + text[end:]
    return _closed(made, node.start) if len(members) == 1 else made


def _without_lines(text: str, member: Member, before: Member | None, end: int) -> str:
    """Take out a member that begins a line, with what stands behind it on its last line."""
    start = text.rfind("\n", 0, member.start)
    start -= start > 0 and text[start - 1] == "\r"
    start = max(start, 0)
    rest = _line_rest(text, end)
    if text[rest : rest + 1] in ("\r", "\n"):
        end = rest
    if member.comma is None and before is not None and before.comma is not None:
        return text[: before.comma] + text[before.comma + 1 : start] + text[end:]
    return text[:start] + text[end:]


def _closed(text: str, start: int) -> str:
    """Write an object that holds nothing any more as ``{}``; comments in it stay."""
    index = start + 1
    while text[index] in " \t\r\n":
        index += 1
    return text[: start + 1] + text[index:] if text[index] == "}" else text


# How it is written


def _render(value: Any, indent: str, unit: str, newline: str) -> str:
    """Return a value over several lines; lists and what holds nothing stay on one."""
    if not isinstance(value, dict) or not value:
        return _compact(value)
    inner = indent + unit
    lines = [
        f"{inner}{json.dumps(key, ensure_ascii=False)}: {_render(one, inner, unit, newline)}"
        for key, one in value.items()
    ]
    return f"{{{newline}{f',{newline}'.join(lines)}{newline}{indent}}}"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str, root: Node) -> str:
    """Return by how much an object's members are indented in this text."""
    for member in root.members or ():
        if _first_on_line(text, member.start):
            return _indent_of(text, member.start) or "  "
    return "  "


def _first_on_line(text: str, index: int) -> bool:
    start = text.rfind("\n", 0, index) + 1
    return start > 0 and not text[start:index].strip()


def _indent_of(text: str, index: int) -> str:
    """Return what the line that holds ``index`` is indented by."""
    start = text.rfind("\n", 0, index) + 1
    line = text[start:index]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _line_rest(text: str, index: int) -> int:
    """Return where the spaces and comments that end the line of ``index`` end.

    It is ``index`` itself where something else follows on that line, or a comment leaves it.
    """
    for kind, start, end in trivia(text, index):
        if kind == "space" and text[start] in "\r\n":
            return start
        if kind == "block" and "\n" in text[start:end]:
            break
        if kind == "line":
            return end - (text[end - 1] == "\r")
    return index
