"""Foreign text made safe to show: nothing in it may steer a terminal or hide from its reader."""

import re

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_ZERO_WIDTH = "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2028\u2029\u2060-\u2064\ufeff"
_JOINERS = "\u200c\u200d\ufe00-\ufe0f"
_TAGS = "\U000e0000-\U000e0fff"

_UNSAFE = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{_BIDI}{_ZERO_WIDTH}{_TAGS}]")
_HIDING = re.compile(
    f"[\x00-\x1f\x7f-\x9f\ud800-\udfff{_BIDI}{_ZERO_WIDTH}{_JOINERS}{_TAGS}\u3164\uffa0]"
)


def visible(text: str) -> str:
    """Return ``text`` with control characters and other unseen ones written as escapes.

    Newlines and tabs stay; so do the joiners that emoji and some scripts need.
    """
    return _UNSAFE.sub(_escape, text.replace("\r\n", "\n"))


def visible_line(text: str) -> str:
    """Return ``text`` as one line in which every character that could deceive is an escape."""
    return _HIDING.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    char = found.group()
    code = ord(char)
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char)
    if short is not None:
        return short
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
