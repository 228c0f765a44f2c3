"""Whether a form asks for a password, a key or the like. Pure, and no list of words is complete.

The Model Context Protocol forbids servers to ask for such things in a form; they have pages for it.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

_WORDS = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_ALONE = frozenset(
    (
        *("password", "passwords", "passwd", "passphrase", "passcode", "pwd"),
        *("secret", "secrets", "credential", "credentials", "apikey", "otp", "totp", "pin"),
        *("cvv", "cvc", "passwort", "kennwort", "contraseña", "senha", "пароль"),
    )
)
_PAIRS = frozenset(
    (
        *(("api", "key"), ("api", "keys"), ("api", "token"), ("access", "key")),
        *(("access", "keys"), ("access", "token"), ("access", "tokens"), ("auth", "token")),
        *(("refresh", "token"), ("bearer", "token"), ("session", "token"), ("personal", "token")),
        *(("private", "key"), ("secret", "key"), ("signing", "key"), ("ssh", "key")),
        *(("seed", "phrase"), ("recovery", "phrase"), ("recovery", "code")),
        *(("security", "code"), ("card", "number"), ("credit", "card"), ("debit", "card")),
    )
)
_WITHIN = ("密码", "密碼", "パスワード", "비밀번호")
_ASKING = frozenset(
    (
        *("enter", "type", "paste", "provide", "give", "supply"),
        *("input", "send", "share", "submit", "tell"),
    )
)
_NOT = frozenset(("not", "never", "no", "don", "t", "without"))
_ELSEWHERE = frozenset(
    ("for", "of", "about", "to", "with", "without", "by", "from", "in", "on", "called", "named")
)
_REACH = 7


def names_a_secret(name: str) -> bool:
    """Return whether the name or title of a field is that of a secret (``githubToken``)."""
    words = _words(name)
    return _holds(words) or words[-1:] == ["token"] or any(part in name for part in _WITHIN)


def asks_for_a_secret(text: str) -> bool:
    """Return whether a sentence asks a person to give a secret ("Enter your API key").

    To name one is not to ask for it ("Enter a label for your API key").
    """
    words = _words(text)
    return any(_holds(_object_of(words, place)) for place in _asking(words))


def _asking(words: Sequence[str]) -> Iterable[int]:
    for place, word in enumerate(words):
        if word in _ASKING and not _NOT.intersection(words[max(0, place - 2) : place]):
            yield place


def _object_of(words: Sequence[str], verb: int) -> list[str]:
    found: list[str] = []
    for word in words[verb + 1 : verb + 1 + _REACH]:
        if word in _ELSEWHERE:
            break
        found.append(word)
    return found


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(text)]


def _holds(words: Sequence[str]) -> bool:
    pairs = pairwise(words)
    return not _ALONE.isdisjoint(words) or not _PAIRS.isdisjoint(pairs)
