"""One word of shell text: quotes removed, values put in, substitutions handed on to be read."""

import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Protocol

from hermes_core.approval.floor.marks import (
    BRACKET,
    CLOSE,
    COMMA,
    OPEN,
    QUERY,
    SPLIT,
    STAR,
    UNKNOWN,
)

MAX_DEPTH = 24
"""Groups and substitutions within each other."""
MAX_STEPS = 3_000
"""Pieces of text that are looked at for one command."""

_PLAIN = re.compile(r"[A-Za-z0-9_./:+@%^=!\]~,#-]+")
_QUOTED = re.compile(r'[^"\\$`]+')
_ENDS = " \t\n;&|()<>"
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
_ANSI = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|[0-7]{1,3}|u[0-9A-Fa-f]{1,4}|c.|.)", re.DOTALL)
_ANSI_CHARS = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "f": "\f",
    "v": "\v",
}
_PARAMETER = re.compile(r"[!#]?([A-Za-z_]\w*|[0-9@*])((?::?[-=+?]|[#%/:,^@]|$))(.*)", re.DOTALL)


_MAX_CUT = 200
"""Characters of a value of which a part is taken."""
MAX_VALUE = 1_000
"""Characters of a variable's value that are kept."""


class OverBudget(Exception):
    """The text is too long or too deep to be looked through."""


class Budget:
    """How much may be looked at for one command, over all texts within it."""

    def __init__(self) -> None:
        self._steps = MAX_STEPS
        self._depth = 0

    def spend(self, steps: int = 1) -> None:
        """Count work; raises ``OverBudget``."""
        self._steps -= steps
        if self._steps < 0:
            raise OverBudget

    def enter(self) -> None:
        """Go one level deeper; raises ``OverBudget``."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise OverBudget

    def leave(self) -> None:
        """Come back from a level."""
        self._depth -= 1


class Source(Protocol):
    """What a word is read from; ``at`` moves behind it.

    substituted: what a process substitution prints, where that is plain.
    """

    text: str
    at: int
    budget: Budget
    values: dict[str, str]
    substituted: str

    def list_until(self, closing: str) -> None:
        """Read commands up to ``closing``."""
        ...

    def values_until(self, closing: str) -> None:
        """Read what is no command, commands within words aside, up to ``closing``."""
        ...

    def nested(self, text: str) -> None:
        """Read the commands of a text within the word."""
        ...

    def mark(self) -> int:
        """Return a place in what was found, for ``printed_since``."""
        ...

    def printed_since(self, mark: int) -> str:
        """Return what the commands found since then print, if that is plain."""
        ...


class WordScan:
    """Reads one word at ``source.at``; ``value`` is the word with marks.

    quoted: read as between double quotes, up to the quote or the end.
    """

    def __init__(self, source: Source, *, quoted: bool = False) -> None:
        self._source = source
        self._parts: list[str] = []
        self._depth = 0
        if quoted:
            self._double_body()
        else:
            self._body()
        self.value = "".join(self._parts)

    def _body(self) -> None:
        source = self._source
        text, start = source.text, source.at
        if text.startswith("~", start):
            self._tilde()
        while source.at < len(text):
            source.budget.spend()
            char = text[source.at]
            if char in _ENDS and text[source.at : source.at + 2] not in ("<(", ">("):
                break
            self._piece(char)

    def _piece(self, char: str) -> None:
        source = self._source
        if char in _ACTIONS:
            source.at += 1
            _ACTIONS[char](self)
        elif found := _PLAIN.match(source.text, source.at):
            source.at = found.end()
            part = found.group()
            self._parts.append(part.replace(",", COMMA) if self._depth else part)
        else:
            self._parts.append(char)
            source.at += 1

    def _single(self) -> None:
        source = self._source
        end = source.text.find("'", source.at)
        end = len(source.text) if end < 0 else end
        self._parts.append(source.text[source.at : end])
        source.at = end + 1

    def _double(self) -> None:
        self._double_body()
        self._source.at += 1

    def _double_body(self) -> None:
        source = self._source
        while source.at < len(source.text):
            source.budget.spend()
            if found := _QUOTED.match(source.text, source.at):
                self._parts.append(found.group())
                source.at = found.end()
                continue
            char = source.text[source.at]
            if char == '"':
                return
            source.at += 1
            if char == "\\":
                self._escaped_in_double()
            elif char == "`":
                self._backtick(quoted=True)
            else:
                self._dollar(quoted=True)

    def _escaped_in_double(self) -> None:
        after = self._source.text[self._source.at : self._source.at + 1]
        self._source.at += 1
        if after != "\n":
            self._parts.append(after if after in '$`"\\' else "\\" + after)

    def _backslash(self) -> None:
        after = self._source.text[self._source.at : self._source.at + 1]
        self._source.at += 1
        if after != "\n":
            self._parts.append(after)

    def _backtick(self, *, quoted: bool = False) -> None:
        source = self._source
        end = source.at
        while end < len(source.text) and source.text[end] != "`":
            source.budget.spend()
            found = re.compile(r"[^`\\]+").match(source.text, end)
            end = found.end() if found else end + 2
        mark = source.mark()
        source.nested(re.sub(r"\\([`$\\])", r"\1", source.text[source.at : end]))
        source.at = end + 1
        self._put_text(source.printed_since(mark), quoted=quoted)

    def _process(self) -> None:
        source = self._source
        if source.text[source.at : source.at + 1] == "(":
            source.at += 1
            mark = source.mark()
            source.list_until(")")
            printed = source.printed_since(mark)
            source.substituted = "" if printed == UNKNOWN else printed
            self._parts.append(UNKNOWN)

    def _open(self) -> None:
        self._depth += 1
        self._parts.append(OPEN)

    def _close(self) -> None:
        self._parts.append(CLOSE if self._depth else "}")
        self._depth = max(0, self._depth - 1)

    def _tilde(self) -> None:
        source = self._source
        found = re.compile(r"~([A-Za-z0-9_+-]*)(?=[/ \t\n;&|<>()]|$)").match(source.text, source.at)
        if found is None:
            return
        name = found[1]
        homes = {"": source.values.get("HOME", UNKNOWN), "root": "/root", "+": source.values["PWD"]}
        self._parts.append(homes.get(name, f"/home/{name}"))
        source.at = found.end()

    def _dollar(self, *, quoted: bool = False) -> None:
        source = self._source
        text = source.text
        char = text[source.at : source.at + 1]
        if char == "(":
            source.at += 1
            mark = source.mark()
            if text.startswith("(", source.at):
                source.values_until(")")
            else:
                source.list_until(")")
            self._put_text(source.printed_since(mark), quoted=quoted)
        elif char == "{":
            self._parameter(quoted=quoted)
        elif char == "'" and not quoted:
            self._ansi()
        elif char == '"' and not quoted:
            pass
        elif found := _NAME.match(text, source.at):
            source.at = found.end()
            self._put(found.group(), quoted=quoted)
        else:
            self._parts.append("$")

    def _put(self, name: str, *, quoted: bool) -> None:
        """Put in the value of a variable; an unquoted one is split at its blanks."""
        value = " " if name == "IFS" else self._source.values.get(name, UNKNOWN)
        if len(value) > MAX_VALUE:
            value = UNKNOWN
        self._put_text(value, quoted=quoted and name not in ("@", "*"))

    def _put_text(self, text: str, *, quoted: bool) -> None:
        if not quoted:
            text = re.sub(r"[ \t\n]+", SPLIT, text.replace("*", STAR).replace("?", QUERY))
        self._parts.append(text)

    def _parameter(self, *, quoted: bool) -> None:
        source = self._source
        end = _closing_brace(source)
        body = source.text[source.at + 1 : end]
        source.at = end + 1
        if "$(" in body or "`" in body:
            source.nested(": " + body.replace("}", " "))
        found = _PARAMETER.fullmatch(body)
        if found is None or body.startswith(("!", "#")):
            self._parts.append(UNKNOWN)
        elif found[2] in ("", ":?", "?"):
            self._put(found[1], quoted=quoted)
        elif found[2].endswith(("-", "=")):
            known = source.values.get(found[1])
            self._parts.append(known if known is not None else self._default(found[3]))
        elif found[1] == "IFS":
            self._put("IFS", quoted=quoted)
        elif found[2] in ("#", "%"):
            value = self._source.values.get(found[1], UNKNOWN)
            source.budget.spend(1 + len(value) // 8)
            self._put_text(_cut(value, found[2], found[3]), quoted=quoted)
        else:
            self._parts.append(UNKNOWN)

    def _default(self, text: str) -> str:
        text = text.strip("\"'")
        home = self._source.values.get("HOME", UNKNOWN)
        return UNKNOWN if "$" in text or "`" in text else re.sub(r"^~(?=/|$)", home, text)

    def _ansi(self) -> None:
        source = self._source
        found = re.compile(r"'((?:[^'\\]|\\.)*)'?", re.DOTALL).match(source.text, source.at)
        if found is None:
            return
        source.at = found.end()
        self._parts.append(_ANSI.sub(_ansi_char, found[1]))

    def _glob(self, mark: str) -> None:
        self._parts.append(mark)


def _cut(value: str, end: str, pattern: str) -> str:
    """Return a value without what the pattern fits at its start (``#``) or its end (``%``)."""
    longest = pattern.startswith(end)
    pattern = pattern[longest:].strip("\"'")
    if len(value) > _MAX_CUT or any(mark in value for mark in (UNKNOWN, OPEN, SPLIT)):
        return UNKNOWN
    if any(char in pattern for char in "$`\\[") or not pattern:
        return UNKNOWN
    sizes = range(len(value), -1, -1) if longest else range(len(value) + 1)
    for size in sizes:
        cut = value[:size] if end == "#" else value[len(value) - size :]
        if fnmatchcase(cut, pattern):
            return value[size:] if end == "#" else value[: len(value) - size]
    return value


def _closing_brace(source: Source) -> int:
    depth, place = 0, source.at
    while place < len(source.text):
        source.budget.spend()
        char = source.text[place]
        depth += (char == "{") - (char == "}")
        if depth == 0:
            return place
        place += 2 if char == "\\" else 1
    return place


def _ansi_char(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] in "xu" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return _ANSI_CHARS.get(code, code)


_ACTIONS: dict[str, Callable[[WordScan], None]] = {
    "'": WordScan._single,
    '"': WordScan._double,
    "\\": WordScan._backslash,
    "`": lambda scan: scan._backtick(),
    "$": lambda scan: scan._dollar(),
    "{": WordScan._open,
    "}": WordScan._close,
    "*": lambda scan: scan._glob(STAR),
    "?": lambda scan: scan._glob(QUERY),
    "[": lambda scan: scan._glob(BRACKET),
    "<": WordScan._process,
    ">": WordScan._process,
}
