"""Whose words a text has: the user's, or those of a file, a page or a command.

A memory is read into every later session, so an instruction that came in through a tool must not
slip into it as if the user had given it. Words are compared, not meanings: where they cannot be
traced to the user, a person decides.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hermes_core.ground.injection import folded
from hermes_core.ground.messages import Message, text_of

SHARE = 0.6
"""The part of a text's words that must be the user's for it to count as said by the user."""

_ORDER = re.compile(
    r"\b(?:always|never|must|should|shall|do not|don't|dont|ensure|make sure|remember to|be sure"
    r"|before (?:each|every|you)|after (?:each|every)|whenever|every time|run|execute|call|use"
    r"|install|send|fetch|download|open|visit|approve|allow|skip|avoid|prefer|ask"
    r"|immer|nie|niemals|muss|musst|sollst|siempre|nunca|toujours|jamais|всегда|никогда)\b"
    r"|必ず|常に|してください|しないで|总是|始终|必须|不要|务必|항상|반드시"
)
_FENCED = re.compile(r"^(`{3,})[^\n]*\n.*?(?:^\1|\Z)", re.DOTALL | re.MULTILINE)
_RUN = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a text seems to come from.

    foreign: it reads like an instruction and is not in the user's words. source: the tool whose
    answer it resembles, ``""`` if none. digest: names the text.
    """

    foreign: bool
    source: str
    digest: str


def origin_of(texts: Sequence[str], messages: Sequence[Message]) -> Origin:
    """Return where ``texts`` seem to come from, told by what was said in ``messages``."""
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:16]
    orders = [set(_words(text)) for text in texts if _ORDER.search(folded(text))]
    if not orders:
        return Origin(False, "", digest)
    said = {word for m in messages if _is_said(m) for word in _words(own_words(m))}
    foreign = [words for words in orders if _share(words, said) < SHARE]
    if not foreign:
        return Origin(False, "", digest)
    return Origin(True, _source(foreign, messages), digest)


def _source(orders: Sequence[set[str]], messages: Sequence[Message]) -> str:
    best, name = SHARE, ""
    for message in messages:
        if message["role"] == "tool":
            there = set(_words(text_of(message)))
            share = max(_share(words, there) for words in orders)
            if share > best:
                best, name = share, message.get("name", "") or "a tool"
    return name


def _is_said(message: Message) -> bool:
    """Return whether the user wrote ``message``; a summary also tells what tools returned."""
    return message["role"] == "user" and "made" not in message


def own_words(message: Message) -> str:
    """Return what the user typed: what is embedded stands in fences, as pasted code does."""
    return _FENCED.sub(" ", text_of(message))


def _share(words: set[str], there: set[str]) -> float:
    return len(words & there) / len(words) if words else 0.0


def _words(text: str) -> Iterator[str]:
    """Yield the words of ``text``; of scripts that do not part words, pairs of characters."""
    for run in _RUN.findall(folded(text)):
        if run.isascii():
            yield from (run,) if len(run) > 2 else ()
        else:
            yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))
