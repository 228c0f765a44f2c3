"""A reader of Emacs Lisp that checks how a file is put together, where no Emacs is at hand."""

import re

_TOKEN = re.compile(
    r"""
      (?P<space>\s+ | ;[^\n]*)
    | (?P<open>[(\[]) | (?P<close>[)\]])
    | (?P<text>"(?:[^"\\]|\\.)*")
    | (?P<mark>\#'|['`,@])
    | (?P<atom>(?:\\.|[^\s()\[\]"';`,])+)
    """,
    re.VERBOSE | re.DOTALL,
)
_PAIRS = {"(": ")", "[": "]"}


def forms(text: str) -> list[str]:
    """Return the top-level forms of a file; raise ``ValueError`` with the line of a fault."""
    found: list[str] = []
    stack: list[tuple[str, int]] = []
    start = index = 0
    while index < len(text):
        token = _TOKEN.match(text, index)
        line = text.count("\n", 0, index) + 1
        if token is None:
            raise ValueError(f"line {line}: {text[index : index + 20]!r} is not Lisp")
        if token["open"]:
            if not stack:
                start = index
            stack.append((token["open"], line))
        elif token["close"]:
            if not stack or _PAIRS[stack.pop()[0]] != token["close"]:
                raise ValueError(f"line {line}: {token['close']} closes nothing")
            if not stack:
                found.append(text[start : token.end()])
        index = token.end()
    if stack:
        raise ValueError(f"line {stack[0][1]}: {stack[0][0]} is not closed")
    return found
