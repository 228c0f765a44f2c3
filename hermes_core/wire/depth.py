"""How deep JSON may nest: what goes deeper ends programs that read it by recursion, as most do."""

import re
from typing import Final

MAX_DEPTH: Final = 100
"""Objects and lists within one another. Arguments and answers of real models stay far below."""

_SIGNS: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|[][{}]', re.DOTALL)


def too_deep_at(text: str) -> int | None:
    """Return where JSON begins to nest deeper than ``MAX_DEPTH``; None if it never does."""
    if text.count("{") + text.count("[") <= MAX_DEPTH:
        return None
    depth = 0
    for sign in _SIGNS.finditer(text):
        if sign[0] in ("{", "["):
            depth += 1
            if depth > MAX_DEPTH:
                return sign.start()
        elif sign[0] in ("}", "]"):
            depth -= 1
    return None
