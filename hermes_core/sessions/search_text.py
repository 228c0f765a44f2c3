"""What can be found in a message, and how a find is shown. Pure."""

import json
import unicodedata
from collections.abc import Callable, Sequence
from typing import cast

from hermes_core.ground.messages import Message, text_of

HEAD = 48_000
TAIL = 16_000
"""Characters of a message's beginning and end that can be found, of one longer than both."""

MOST_WORDS = 12
MOST_TRIGRAMS = 24
SNIPPET = 320
_ELLIPSIS = "…"
_QUOTES = '"“”„'


def fold(text: str) -> str:
    """Return ``text`` as it is compared: case, width and composition of characters aside.

    It can be stored as UTF-8, and holds no NUL.
    """
    if text.isascii():
        return text.lower().replace("\0", " ")
    text = unicodedata.normalize("NFKC", text).casefold()
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")


def searchable(message: Message) -> str:
    """Return the folded text of a message, ``""`` for one that nobody looks for."""
    if message.get("role") not in ("user", "assistant", "tool"):
        return ""
    text = text_of(message)
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]}\n{text[-TAIL:]}"
    return fold(text).strip()


def words_of(query: str) -> list[str]:
    """Return what a query asks for, folded: its words, and what stands in quotes as one."""
    for quote in _QUOTES:
        query = query.replace(quote, '"')
    words: list[str] = []
    for place, part in enumerate(fold(query).split('"')):
        words.extend([" ".join(part.split())] if place % 2 else part.split())
    return [word for word in dict.fromkeys(words) if word][:MOST_WORDS]


def match_expression(words: Sequence[str]) -> str:
    """Return the FTS5 expression for what a trigram index can tell of ``words``; may be empty.

    A text that it fits may still lack a word: the index knows no order.
    """
    trigrams: dict[str, None] = {}
    for word in words:
        trigrams.update(dict.fromkeys(word[n : n + 3] for n in range(len(word) - 2)))
    chosen = list(trigrams)[:MOST_TRIGRAMS]
    return " AND ".join('"' + trigram.replace('"', '""') + '"' for trigram in chosen)


def snippet(text: str, words: Sequence[str], length: int = SNIPPET) -> str:
    """Return the piece of ``text`` around the first of ``words`` in it, on one line."""
    folded = fold(text)
    if len(folded) != len(text):
        text = folded
    places = [place for word in words if (place := folded.find(word)) >= 0]
    middle = min(places, default=0)
    start = max(0, min(middle - length // 3, len(text) - length))
    piece = " ".join(text[start : start + length].split())
    before = _ELLIPSIS if start else ""
    after = _ELLIPSIS if start + length < len(text) else ""
    return f"{before}{piece}{after}"


def text_of_stored(data: str) -> str:
    """Return the text of a stored message; ``""`` for a row that is damaged."""
    return _read(data, text_of)


def searchable_of_stored(data: str) -> str:
    """Return what can be found in a stored message; ``""`` for a row that is damaged."""
    return _read(data, searchable)


def _read(data: str, what: Callable[[Message], str]) -> str:
    try:
        message = json.loads(data)
        return what(cast(Message, message)) if isinstance(message, dict) else ""
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return ""
