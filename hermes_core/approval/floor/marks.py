"""Characters of a private range that stand in scanned words for what was not quoted."""

UNKNOWN = "\ue000"
"""A value that is not known."""
OPEN, COMMA, CLOSE = "\ue001", "\ue002", "\ue003"
"""Braces that may expand."""
STAR, QUERY, BRACKET = "\ue004", "\ue005", "\ue006"
"""Patterns of file names."""
SPLIT = "\ue007"
"""A place where the word is split, since an unquoted value held a blank."""

BELOW = "\ue008"
"""As the last part of a path: all that lies there, however deep, as ``find`` lists it."""
EVERY = "\ue009"
"""The number of every process."""

PATTERNS = STAR + QUERY + BRACKET
_MAX_BRACES = 400
"""Characters of a word in which braces are expanded."""
_MAX_CHOICES = 24
"""Words that one may stand for."""
_PLAIN = str.maketrans(
    {OPEN: "{", COMMA: ",", CLOSE: "}", STAR: "*", QUERY: "?", BRACKET: "[", SPLIT: " "}
    | {UNKNOWN: "$?", EVERY: "$?", BELOW: "**"}
)
_RANGE = str.maketrans({chr(code): "\ufffd" for code in range(0xE000, 0xE00A)})


def without_marks(text: str) -> str:
    """Return the text of a person with these characters replaced, so that none can be forged."""
    return text.translate(_RANGE) if not text.isascii() else text


def plain(word: str) -> str:
    """Return a word as one would write it; a value that is not known shows as ``$?``."""
    return word.translate(_PLAIN) if not word.isascii() else word


def alternatives(words: list[str]) -> str:
    """Return one word that braces expand to these; a value that is not known if they are many."""
    joined = COMMA.join(words)
    if len(words) == 1 or len(words) > _MAX_CHOICES or len(joined) > _MAX_BRACES - 100:
        return words[0] if len(words) == 1 else UNKNOWN
    return OPEN + joined + CLOSE


def expand_braces(word: str, limit: int = 64) -> list[str]:
    """Return what braces make of a word; at most ``limit`` words, then the rest is dropped."""
    if OPEN not in word or len(word) > _MAX_BRACES:
        return [word]
    done: list[str] = []
    waiting = [word]
    while waiting and len(done) < limit:
        current = waiting.pop(0)
        parts = _first_group(current)
        if parts is None:
            done.append(current.translate(_PLAIN_BRACES))
        elif len(waiting) < limit:
            before, choices, after = parts
            waiting = [before + choice + after for choice in choices] + waiting
    return done


_PLAIN_BRACES = str.maketrans({OPEN: "{", COMMA: ",", CLOSE: "}"})


def _first_group(word: str) -> tuple[str, list[str], str] | None:
    """Split at the first innermost group that holds a comma."""
    start, comma = -1, False
    for place, char in enumerate(word):
        if char == OPEN:
            start, comma = place, False
        elif char == COMMA:
            comma = True
        elif char == CLOSE and start >= 0:
            if comma:
                return word[:start], word[start + 1 : place].split(COMMA), word[place + 1 :]
            start = -1
    return None
