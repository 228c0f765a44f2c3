"""Scripts of sed that only print: which commands they hold.

GNU and BSD sed disagree in places, such as a delimiter between brackets; what they may read
differently is not understood here.
"""

import re

_ADDRESS = re.compile(r"\d+(~\d+)?|\$|[+~]\d+")
_BLANK = re.compile(r"[ \t\n;]*")
_SPACES = re.compile(r"[ \t]*")
_SIMPLE = frozenset("pPdDnNgGhHx=lFz")
_FLAGS = re.compile(r"[gpiIM0-9]*")
_AFTER = re.compile(r"[ \t]*([;\n}]|$)")
_TEXT_LINE = re.compile(r"[ \t]*\\?[ \t]*[^\n\\ \t][^\n\\]*\Z")
"""Text to print on one line, up to the end; a backslash there would let it go on."""
_EXIT = re.compile(r"[ \t]*\d*")


class _NotUnderstood(Exception):
    pass


def sed_objection(script: str) -> str:
    """Return why a script may do more than print, or ``""``."""
    try:
        _Script(script).read()
    except _NotUnderstood as reason:
        return f"the sed script {reason}"
    return ""


class _Script:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    def read(self) -> None:
        while True:
            self._skip(_BLANK)
            char = self._peek()
            if not char:
                break
            if char == "}":
                self._close()
            else:
                self._addresses()
                self._command()
        if self._depth:
            raise _NotUnderstood("lacks a brace")

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip(self, what: re.Pattern[str]) -> str:
        found = what.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return found.group() if found else ""

    def _close(self) -> None:
        self._at += 1
        self._depth -= 1
        if self._depth < 0:
            raise _NotUnderstood("has a brace too many")
        self._end()

    def _addresses(self) -> None:
        if not self._address():
            return
        self._skip(_SPACES)
        if self._peek() == ",":
            self._at += 1
            self._skip(_SPACES)
            if not self._address():
                raise _NotUnderstood("is not understood")
            self._skip(_SPACES)
        while self._peek() == "!":
            self._at += 1
            self._skip(_SPACES)

    def _address(self) -> bool:
        if self._skip(_ADDRESS):
            return True
        if self._peek() != "/":
            return False
        self._at += 1
        self._section("/")
        while self._peek() in ("I", "M"):
            self._at += 1
        return True

    def _command(self) -> None:
        char = self._peek()
        self._at += 1
        if char == "{":
            self._depth += 1
        elif char in _SIMPLE and char:
            self._end()
        elif char in ("q", "Q"):
            self._skip(_EXIT)
            self._end()
        elif char in ("a", "i", "c") and self._skip(_TEXT_LINE):
            return
        elif char in ("s", "y"):
            self._substitute(char)
        else:
            raise _NotUnderstood(f"uses {char or 'an address without a command'}")

    def _substitute(self, char: str) -> None:
        delimiter = self._peek()
        if not delimiter or delimiter in "\\\n[]" or delimiter.isalnum() or delimiter.isspace():
            raise _NotUnderstood("has an odd delimiter")
        self._at += 1
        self._section(delimiter)
        self._section(delimiter, pattern=False)
        if char == "s":
            self._skip(_FLAGS)
        if self._peek() in ("e", "w", "m"):
            raise _NotUnderstood("runs or writes what it substitutes")
        self._end()

    def _section(self, delimiter: str, *, pattern: bool = True) -> None:
        start = self._at
        while (char := self._peek()) != delimiter:
            if char == "" or (char == "\n" and pattern):
                raise _NotUnderstood("is not closed")
            self._at += 2 if char == "\\" else 1
        section = self._text[start : self._at]
        self._at += 1
        if pattern and "[" in section:
            self._brackets(section, delimiter)

    def _brackets(self, section: str, delimiter: str) -> None:
        """Refuse brackets that are not closed where the section ends for GNU sed."""
        rest = section
        while "[" in rest:
            before, _, rest = rest.partition("[")
            if before.endswith("\\") and not before.endswith("\\\\"):
                continue
            body = rest[1:] if rest.startswith("^") else rest
            close = body.find("]", 1)
            if close < 0 or delimiter in body[:close]:
                raise _NotUnderstood("has brackets that are not understood")
            if "[:" in body[:close]:
                close = body.find("]", body.find(":]") + 2)
            rest = body[close + 1 :]

    def _end(self) -> None:
        found = _AFTER.match(self._text, self._at)
        if not found:
            raise _NotUnderstood("is not understood")
        if found.group(1) != "}":
            self._at = found.end()
