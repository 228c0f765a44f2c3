"""Text that hides nothing from the person who reads it.

What a person approves must look like what runs: characters that a screen does not show, or that
change how their neighbours are shown, appear as escapes. Letters of every script stay as they are.
"""

import re

LINE_BREAK = "\u21b5"
"""Stands for a line break in a text of one line; where the text itself holds it, it is escaped."""

# Printable by their category, yet drawn as nothing or as a blank: fillers, joiners, variation
# selectors, the empty Braille pattern.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def one_line(text: str) -> str:
    """Return the whole ``text`` on one line, with everything unseen made visible."""
    return "".join(_shown(char) for char in text)


def many_lines(text: str) -> str:
    """Return ``text`` with its lines and tabs, and everything else unseen made visible."""
    return "".join(char if char in "\n\t" else _escaped(char) for char in text)


def fence(text: str, language: str = "") -> str:
    """Return ``text`` as a Markdown code block that nothing inside it can close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{text.rstrip(chr(10))}\n{ticks}"


def _shown(char: str) -> str:
    if char == "\n":
        return f" {LINE_BREAK} "
    if char == LINE_BREAK:
        return _code(char)
    return _escaped(char)


def _escaped(char: str) -> str:
    return _code(char) if not char.isprintable() or _BLANK.match(char) else char


def _code(char: str) -> str:
    short = {"\t": r"\t", "\r": r"\r", "\n": r"\n"}.get(char)
    if short:
        return short
    number = ord(char)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
