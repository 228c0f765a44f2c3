"""Reads git's configuration files by git's own rules, without running git.

The grammar is that of git-config(1): sections with quoted subsections, quotes and escapes in
values, a backslash at the end of a line, ``#`` and ``;`` comments.
"""

import re

_SECTION = re.compile(r'\s*\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\\n]|\\.)*)"\s*)?\]')
_KEY = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)[ \t]*")
_BLANK = re.compile(r"(?:\s+|[#;][^\n]*)*")
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}

MAX_SIZE = 256 * 1024


class BadConfig(Exception):
    """The text is no configuration as git reads it."""


def read_settings(text: str) -> list[tuple[str, str, str]]:
    """Return section and key (both lower case, joined by a dot), subsection, and value.

    A key without a value is ``true``. Raises ``BadConfig``.
    """
    found: list[tuple[str, str, str]] = []
    section = subsection = ""
    at = 1 if text.startswith("\ufeff") else 0
    while True:
        blank = _BLANK.match(text, at)
        at = blank.end() if blank else at
        if at >= len(text):
            return found
        if header := _SECTION.match(text, at):
            section, subsection = _section(header)
            at = header.end()
            continue
        key = _KEY.match(text, at)
        if key is None or not section:
            raise BadConfig("a line is neither a section nor a setting")
        value, at = _value(text, key.end())
        found.append((f"{section}.{key[1].lower()}", subsection, value))


def _section(header: re.Match[str]) -> tuple[str, str]:
    section = header[1].lower()
    if header[2] is not None:
        return section, re.sub(r"\\(.)", r"\1", header[2])
    section, _, subsection = section.partition(".")
    return section, subsection


def _value(text: str, at: int) -> tuple[str, int]:
    if text[at : at + 1] != "=":
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        rest = text[at:end].strip()
        if rest and rest[0] not in "#;":
            raise BadConfig("a setting has no value")
        return "true", end
    return _text(text, at + 1)


def _text(text: str, at: int) -> tuple[str, int]:
    parts: list[str] = []
    quoted = False
    while at < len(text):
        char = text[at]
        if char == "\n":
            break
        if char == "\\":
            after = text[at + 1 : at + 2]
            if after not in ("\n", "") and after not in _ESCAPES:
                raise BadConfig("a value has an unknown escape")
            parts.append(_ESCAPES.get(after, ""))
            at += 2
            continue
        if char == '"':
            quoted = not quoted
        elif char in "#;" and not quoted:
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            break
        else:
            parts.append(char)
        at += 1
    if quoted:
        raise BadConfig("a quote is not closed")
    return "".join(parts).strip(), at
