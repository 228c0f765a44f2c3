"""A strict reader of shell text, for commands that shall run unasked.

It knows the part of bash's grammar in which nothing is expanded but globs: words, quotes, lists,
pipes, comments, redirections. Whatever else stands in the text makes it unreadable, which is no
verdict on the command: it only means that a person has to read it. What is read is what bash 5
reads; a test compares the two.
"""

import re
from dataclasses import dataclass

MAX_LENGTH = 8_192
"""Characters that a command may have to be read."""
MAX_STEPS = 50
"""Simple commands that a text may hold to be read."""
MAX_WORDS = 400
"""Words and redirections that a text may hold to be read."""
MAX_PATTERNS = 20
"""Words with patterns of file names that a text may hold to be read."""

_PLAIN = re.compile(r"[A-Za-z0-9_./,:+@%^=!\]-]+")
_HISTORY = re.compile(r"!(?:[!$^#]|-?[0-9])")
_IN_DOUBLE = re.compile(r'[^"\\$`]+')
_BRACES = re.compile(r"\{[A-Za-z0-9-]*\}")
_BRACKET = re.compile(r"\[[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*\]")
_FORBIDDEN = re.compile(r"[^\x20-\x7e\t\n]")
_REDIRECT = re.compile(r"&>>?|<<|<>|<&|<\(|>\(|>\||>&|>>|[<>]")
_CONNECTOR = re.compile(r"&&|\|\||\|&|;;|;&|[;|&\n]")
_LITERAL_DOLLAR = " |)/:,.%"
"""After a dollar between double quotes, each of these leaves it a dollar."""


class Unreadable(Exception):
    """The text holds what the reader does not know; the message says what, for a person."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word after the removal of quotes.

    active: places in ``text`` where an unquoted ``*``, ``?`` or ``[`` stands, for globbing.
    bare: whether no character was quoted.
    """

    text: str
    active: tuple[int, ...] = ()
    bare: bool = True


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirection: ``fd`` is ``""`` where none was written."""

    fd: str
    operator: str
    target: Word


@dataclass(frozen=True, slots=True)
class Step:
    """A simple command. connector: what stands before it: ``""``, ``;``, ``&&``, ``||``, ``|``."""

    connector: str
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]


def read_steps(text: str) -> tuple[Step, ...]:
    """Return the simple commands of ``text`` in order; raises ``Unreadable``."""
    if len(text) > MAX_LENGTH:
        raise Unreadable("it is too long to be checked")
    if found := _FORBIDDEN.search(text):
        raise Unreadable(_odd_character(found.group()))
    return _Reader(text).steps()


def _odd_character(char: str) -> str:
    code = ord(char)
    if code < 0x20 or code == 0x7F:
        return f"it holds the control character U+{code:04X}"
    if 0xDC80 <= code <= 0xDCFF:
        return f"it holds the byte 0x{code - 0xDC00:02X}, which is no text"
    return f"it holds U+{code:04X}, which is no plain ASCII character"


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._end = len(text)
        self._at = 0
        self._steps: list[Step] = []
        self._connector = ""
        self._count = 0
        self._patterns = 0
        self._words: list[Word] = []
        self._redirects: list[Redirect] = []

    def steps(self) -> tuple[Step, ...]:
        while self._at < self._end:
            self._next()
        self._finish("")
        return tuple(self._steps)

    def _next(self) -> None:
        char = self._text[self._at]
        if char in " \t":
            self._at += 1
        elif char == "#":
            self._at = self._find("\n")
        elif found := _REDIRECT.match(self._text, self._at):
            self._redirect("", found.group())
        elif found := _CONNECTOR.match(self._text, self._at):
            self._at = found.end()
            self._connect(found.group())
        elif char in "()":
            raise Unreadable("it holds a subshell, a function or an array")
        else:
            self._take_word()

    def _find(self, what: str) -> int:
        place = self._text.find(what, self._at)
        return self._end if place < 0 else place

    def _connect(self, connector: str) -> None:
        if connector in ("&", "|&", ";;", ";&"):
            raise Unreadable(f"it holds {connector}")
        if connector == "\n" and not self._words and not self._redirects:
            return
        self._finish(";" if connector == "\n" else connector)

    def _finish(self, following: str) -> None:
        if self._words or self._redirects:
            self._steps.append(Step(self._connector, tuple(self._words), tuple(self._redirects)))
        elif following or self._connector not in ("", ";"):
            raise Unreadable("a command is missing beside an operator")
        if len(self._steps) > MAX_STEPS:
            raise Unreadable(f"it holds more than {MAX_STEPS} commands")
        self._connector = following
        self._words, self._redirects = [], []

    def _take_word(self) -> None:
        start = self._at
        word = _WordReader(self._text, start)
        self._at = word.end
        if self._at < self._end and self._text[self._at] in "<>":
            if self._text[start : self._at].isdigit():
                found = _REDIRECT.match(self._text, self._at)
                self._redirect(word.word.text, found.group() if found else "")
                return
            if word.word.text.endswith("}"):
                raise Unreadable("it holds a named descriptor")
        self._words.append(word.word)
        self._note(word.word)

    def _redirect(self, fd: str, operator: str) -> None:
        if operator not in ("<", ">", ">>", ">&", "&>", "&>>"):
            raise Unreadable(f"it holds the redirection {operator}")
        self._at += len(operator)
        while self._at < self._end and self._text[self._at] in " \t":
            self._at += 1
        if self._at >= self._end or self._text[self._at] in "\n;&|<>()#":
            raise Unreadable("a redirection lacks its target")
        word = _WordReader(self._text, self._at)
        self._at = word.end
        self._redirects.append(Redirect(fd, operator, word.word))
        self._note(word.word)

    def _note(self, word: Word) -> None:
        self._count += 1
        self._patterns += bool(word.active)
        if self._count > MAX_WORDS or self._patterns > MAX_PATTERNS or len(self._redirects) > 10:
            raise Unreadable("it holds too many words")


class _WordReader:
    """Reads one word from ``start``; ``word`` and ``end`` hold the result."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._at = start
        self._start = start
        self._parts: list[str] = []
        self._length = 0
        self._active: list[int] = []
        self._bare = True
        while self._at < len(text) and text[self._at] not in " \t\n;&|<>()":
            self._part()
        self.end = self._at
        self.word = Word("".join(self._parts), tuple(self._active), self._bare)

    def _add(self, part: str) -> None:
        self._parts.append(part)
        self._length += len(part)

    def _part(self) -> None:
        char = self._text[self._at]
        if found := _PLAIN.match(self._text, self._at):
            if _HISTORY.search(self._text, found.start(), found.end() + 1):
                raise Unreadable("it holds a !, which stands for an earlier command in some shells")
            self._at = found.end()
            self._add(found.group())
        elif char == "'":
            self._single()
        elif char == '"':
            self._double()
        elif char == "\\":
            self._backslash()
        elif char in "*?[":
            self._glob(char)
        else:
            self._odd(char)

    def _odd(self, char: str) -> None:
        inside = self._at > self._start and self._text[self._at - 1] not in ":="
        if char == "#" or (char == "~" and inside):
            length = 1
        elif char == "{" and (found := _BRACES.match(self._text, self._at)):
            length = len(found.group())
        elif char == "$" and self._text[self._at + 1 : self._at + 2] in ("", " ", "\t", "\n"):
            length = 1
        else:
            raise Unreadable(_EXPANSIONS.get(char, f"it holds an unquoted {char}"))
        self._add(self._text[self._at : self._at + length])
        self._at += length

    def _single(self) -> None:
        end = self._text.find("'", self._at + 1)
        if end < 0:
            raise Unreadable("a quote is not closed")
        self._add(self._text[self._at + 1 : end])
        self._at, self._bare = end + 1, False

    def _double(self) -> None:
        self._at, self._bare = self._at + 1, False
        while True:
            if found := _IN_DOUBLE.match(self._text, self._at):
                self._add(found.group())
                self._at = found.end()
            char = self._text[self._at : self._at + 1]
            if char == '"':
                self._at += 1
                return
            self._in_double(char)

    def _in_double(self, char: str) -> None:
        after = self._text[self._at + 1 : self._at + 2]
        if not char or not after:
            raise Unreadable("a quote is not closed")
        if char == "\\" and after != "\n":
            self._add(after if after in '$`"\\' else char + after)
            self._at += 2
        elif char == "$" and after in _LITERAL_DOLLAR + '"':
            self._add(char)
            self._at += 1
        else:
            raise Unreadable(_EXPANSIONS.get(char, "a line is continued by a backslash"))

    def _backslash(self) -> None:
        after = self._text[self._at + 1 : self._at + 2]
        if after in ("", "\n"):
            raise Unreadable("a line is continued by a backslash")
        self._add(after)
        self._at, self._bare = self._at + 2, False

    def _glob(self, char: str) -> None:
        if char != "[":
            self._active.append(self._length)
            self._add(char)
            self._at += 1
        elif found := _BRACKET.match(self._text, self._at):
            self._active.append(self._length)
            self._add(found.group())
            self._at = found.end()
        elif self._at == self._start and self._text[self._at + 1 : self._at + 2] in (" ", "\t"):
            self._add(char)
            self._at += 1
        else:
            raise Unreadable("it holds a bracket that may be a pattern of file names")


_EXPANSIONS = {
    "$": "it holds an expansion ($) whose value is not known",
    "`": "it holds a command substitution (`)",
    "~": "it holds a home folder (~)",
    "{": "it holds braces, which may expand",
    "}": "it holds a brace",
}
