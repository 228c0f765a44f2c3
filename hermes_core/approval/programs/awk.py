"""Programs of awk that only print: no files of their own, no commands, no endless loops."""

import re

_RISKY = frozenset(
    {
        *("system", "getline", "close", "fflush", "while", "do", "function", "func"),
        *("ENVIRON", "PROCINFO", "SYMTAB", "FUNCTAB", "ARGV", "ARGC"),
    }
)
"""Names; in strings and regular expressions they are only text."""
_ENDLESS = re.compile(r"for\s*\(\s*;|;\s*;|\\\n")
_TOKEN = re.compile(
    r"(?P<space>[ \t]+)|(?P<comment>\#[^\n]*)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<number>[0-9]+(?:\.[0-9]*)?)|(?P<string>\"(?:[^\"\\\n]|\\.)*\")"
    r"|(?P<mark>\|\||&&|>=|>>|\|&|[-+*%^=!<>~?:,;(){}\[\]$|/.\n&])"
)
_REGEX = re.compile(r"/(?:[^/\\\n\[]|\\.|\[\^?\]?[^\]/\n\\]*\])*/")
_BEFORE_REGEX = frozenset(("", "(", ",", "{", "}", ";", "\n", "!", "~", "&&", "||"))
_WORDS = frozenset(
    {"print", "printf", "in", "return", "delete", "case", "if", "else", "exit", "length", "regex"}
)
"""After these a slash is not known to divide; ``regex`` stands for a regular expression."""


def awk_objection(text: str) -> str:
    """Return why a program may do more than print, or ``""``."""
    if _ENDLESS.search(text):
        return "the awk program may never end, or is not understood"
    return _Program(text).objection()


class _Program:
    def __init__(self, text: str) -> None:
        self._text = text
        self._braces = 0
        self._parens = 0

    def objection(self) -> str:
        at, before = 0, ""
        while at < len(self._text):
            if self._text[at] == "/" and (found := self._regex(at, before)):
                at, before = found.end(), "regex"
                continue
            token = _TOKEN.match(self._text, at)
            if not token:
                return "the awk program is not understood"
            kind, mark = token.lastgroup or "", token.group()
            if objection := self._objection(kind, mark, before):
                return objection
            if kind not in ("space", "comment"):
                before = mark
            at = token.end()
        return "" if self._braces == self._parens == 0 else "the awk program is not understood"

    def _regex(self, at: int, before: str) -> re.Match[str] | None:
        return _REGEX.match(self._text, at) if before in _BEFORE_REGEX else None

    def _objection(self, kind: str, mark: str, before: str) -> str:
        if kind == "name" and mark in _RISKY:
            return f"the awk program uses {mark!r}"
        if kind != "mark":
            return ""
        if mark in ("|", "|&", ">>"):
            return "the awk program writes to a file or a command"
        if mark == ">" and self._braces and not self._parens:
            return "the awk program may write to a file"
        if mark == "/" and not _divides(before):
            return "the awk program is not understood"
        self._braces += (mark == "{") - (mark == "}")
        self._parens += (mark == "(") - (mark == ")")
        if self._braces < 0 or self._parens < 0:
            return "the awk program is not understood"
        return ""


def _divides(before: str) -> bool:
    """Return whether a slash after this token can only be a division."""
    if before in _WORDS:
        return False
    return before == "]" or before[:1].isalnum() or before[:1] in ("_", '"')
