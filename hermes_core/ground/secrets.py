"""Keys that must not be printed, and the redaction of texts that may hold one."""

import binascii
import json
import re
import threading
from bisect import bisect_left
from urllib.parse import quote

MASK = "[redacted]"

_SHAPES = re.compile(
    r"""(?x)
    (?:\b|(?<=\\[nrt]))                          # also behind a line's end as JSON writes it
    (?: (?:sk|pk|rk)-[A-Za-z0-9_-]{16,}          # most providers' keys
      | gh[pousr]_[A-Za-z0-9]{20,}               # GitHub tokens
      | xox[abprs]-[A-Za-z0-9-]{10,}             # Slack tokens
      | AKIA[0-9A-Z]{16}\b                       # AWS access key ids
    )
    | (?:(?<![\w-])|(?<=\\[nrt]))                # JSON web tokens; begun once a run: linear
      eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}
    | (?<=Bearer[ ])[\w.~+/=-]{8,}               # an Authorization header's value
    | (?<=://)[^/\s:@]+:[^/\s:@]+(?=@)           # user and password of a URL
    """
)
_HINTS = (
    *("sk-", "pk-", "rk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "xox", "AKIA", "eyJ"),
    *("Bearer ", "://"),
)
"""One of them stands in whatever has such a shape; most texts have none, which is soon seen."""


class Secret:
    """A string that shows itself only to ``reveal``; empty strings are false."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the value itself."""
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"Secret({MASK!r})" if self._value else "Secret('')"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)


class Redactor:
    """Replaces known secrets, and what has the shape of one, by a stable mask.

    One instance serves a process; ``register`` may be called from any thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: tuple[str, ...] = ()
        self._in_order: tuple[str, ...] = ()
        self._longest = 0

    def register(self, secret: Secret) -> None:
        """Mask ``secret`` from now on, also as it looks in a URL, in JSON and in base64.

        Values under 8 characters are left out as too common.
        """
        value = secret.reveal()
        if len(value) < 8:
            return
        with self._lock:
            if value not in self._values:
                known = {*self._values, *_forms(value)}
                self._in_order = tuple(sorted(known))
                self._values = tuple(sorted(known, key=len, reverse=True))
                self._longest = len(self._values[0])

    def redact(self, text: str) -> str:
        """Return ``text`` with every registered secret and secret-like string masked."""
        text = self.redact_known(text)
        return _SHAPES.sub(MASK, text) if any(hint in text for hint in _HINTS) else text

    def redact_known(self, text: str) -> str:
        """Return ``text`` with every registered secret masked, and nothing else changed."""
        for value in self._values:
            text = text.replace(value, MASK)
        return text

    def part_of_secret(self, text: str) -> int:
        """Return how many characters at the end of ``text`` may be the beginning of a secret."""
        values = self._in_order
        for start in range(max(0, len(text) - self._longest + 1), len(text)):
            end = text[start:]
            place = bisect_left(values, end)
            if place < len(values) and values[place].startswith(end):
                return len(end)
        return 0


def _forms(value: str) -> set[str]:
    data = value.encode(errors="surrogatepass")
    base64 = binascii.b2a_base64(data, newline=False).decode().rstrip("=")
    return {value, quote(data, safe=""), json.dumps(value)[1:-1], base64}


REDACTOR = Redactor()
"""The process's redactor: every key that is loaded registers here."""
