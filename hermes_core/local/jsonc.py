"""JSON as editors let people write it: comments and trailing commas, read with every place kept.

What is accepted is JSON (RFC 8259) with ``//`` and ``/* */`` comments, a comma behind the last
member and a byte order mark; the same as VS Code, Zed and JetBrains read.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MAX_DEPTH = 200
_SPACE = " \t\r\n\ufeff"
_SCALAR = '"-0123456789tfn'
_DECODER = json.JSONDecoder()


class JsoncError(ValueError):
    """A text that cannot be read or changed; ``what`` says why, ``line`` where (0: as a whole)."""

    def __init__(self, what: str, line: int = 0, column: int = 0) -> None:
        super().__init__(f"line {line}, column {column}: {what}" if line else what)
        self.what = what
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands: ``text[start:end]``. ``members`` is None unless an object."""

    start: int
    end: int
    value: Any
    members: tuple["Member", ...] | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """A key of an object: where it begins, its value, and the index of the comma behind it."""

    key: str
    start: int
    node: Node
    comma: int | None


def parse(text: str) -> Node | None:
    """Return the value that ``text`` holds; None if it is empty but for space and comments.

    Of a key that stands twice, the last value counts. Raises ``JsoncError``.
    """
    reader = _Reader(text)
    start = reader.skip(0)
    if start == len(text):
        return None
    node = reader.value(start, 0)
    end = reader.skip(node.end)
    if end < len(text):
        raise reader.error(end, "there is more after the end of the value")
    return node


def trivia(text: str, index: int) -> Iterator[tuple[str, int, int]]:
    """Yield what stands from ``index`` on until a value or sign begins: kind, start and end.

    Kinds are ``space`` (one character), ``line`` and ``block`` (comments). A block comment that
    is not closed raises ``JsoncError``.
    """
    while index < len(text):
        if text[index] in _SPACE:
            kind, end = "space", index + 1
        elif text.startswith("//", index):
            kind, end = "line", text.find("\n", index)
            end = len(text) if end < 0 else end
        elif text.startswith("/*", index):
            kind, end = "block", text.find("*/", index + 2) + 2
            if end < 2:
                raise _error(text, index, "a comment that begins here is not closed")
        else:
            return
        yield kind, index, end
        index = end


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def skip(self, index: int) -> int:
        """Return where the next sign or value begins."""
        for _, _, end in trivia(self._text, index):
            index = end
        return index

    def error(self, index: int, what: str) -> JsoncError:
        return _error(self._text, index, what)

    def value(self, index: int, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.error(index, f"it is nested more than {MAX_DEPTH} deep")
        sign = self._text[index : index + 1]
        if sign == "{":
            return self._object(index, depth)
        if sign == "[":
            return self._array(index, depth)
        return self._scalar(index)

    def _object(self, start: int, depth: int) -> Node:
        members: list[Member] = []
        index = self.skip(start + 1)
        while self._text[index : index + 1] != "}":
            if members and members[-1].comma is None:
                raise self.error(index, "a comma or } is missing")
            key = self._scalar(index) if self._text[index : index + 1] == '"' else None
            if key is None:
                raise self.error(index, "a key in double quotes, or }, is missing")
            colon = self.skip(key.end)
            if self._text[colon : colon + 1] != ":":
                raise self.error(colon, "a colon is missing after the key")
            node = self.value(self.skip(colon + 1), depth + 1)
            comma = self._comma(node.end)
            members.append(Member(key.value, index, node, comma))
            index = self.skip(node.end if comma is None else comma + 1)
        value = {member.key: member.node.value for member in members}
        return Node(start, index + 1, value, tuple(members))

    def _array(self, start: int, depth: int) -> Node:
        values: list[Any] = []
        index, comma = self.skip(start + 1), True
        while self._text[index : index + 1] != "]":
            if not comma:
                raise self.error(index, "a comma or ] is missing")
            node = self.value(index, depth + 1)
            values.append(node.value)
            place = self._comma(node.end)
            comma = place is not None
            index = self.skip(node.end if place is None else place + 1)
        return Node(start, index + 1, values)

    def _scalar(self, index: int) -> Node:
        sign = self._text[index : index + 1]
        if not sign or sign not in _SCALAR:
            what = "a value is missing" if sign in ("", ",", "}") else "this is no JSON value"
            raise self.error(index, what)
        try:
            value, end = _DECODER.raw_decode(self._text, index)
        except json.JSONDecodeError as error:
            raise self.error(error.pos, error.msg[:1].lower() + error.msg[1:]) from None
        if isinstance(value, float) and value in (float("inf"), float("-inf")):
            raise self.error(index, "a number is too large")
        return Node(index, end, value)

    def _comma(self, index: int) -> int | None:
        index = self.skip(index)
        return index if self._text[index : index + 1] == "," else None


def _error(text: str, index: int, what: str) -> JsoncError:
    line = text.count("\n", 0, index) + 1
    return JsoncError(what, line, index - text.rfind("\n", 0, index))
