"""Keys that show up where they must not be: one for each owner, told apart wherever they are seen.

``canary(owner)`` makes a key that no shape of a real one resembles, so that nothing hides it but
the knowledge of it. Every stand-in of the suite hands what it received to ``WATCH``, with the
owners whose keys it may get; ``tests/conftest.py`` fails the test after which a key of somebody
else's was seen. A key is found plain, URL-quoted, JSON-escaped and inside base64.
"""

import base64
import hashlib
import json
import re
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import quote

_TAIL = "/+="
"""Signs that a URL quotes, so that its form differs from the plain one."""

_SHAPE = re.compile(rb"cnry\.(?P<owner>[A-Za-z0-9_-]+)\.[0-9a-f]{12}")
_MARKS = (b"cnry.", *(base64.b64encode(part) for part in (b"cnr", b"ry.", b"nry")))
"""What every form of every key holds: plain, and in base64 at each offset."""

_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{24,}")
_FROM_URL = bytes.maketrans(b"-_", b"+/")


def canary(owner: str, mark: str = "") -> str:
    """Return the key of ``owner``, always the same; another one for each ``mark``."""
    digest = hashlib.sha256(f"{owner} {mark}".encode()).hexdigest()[:12]
    return f"cnry.{owner}.{digest}{_TAIL}"


def owners_in(data: bytes) -> set[str]:
    """Return the owners of all keys that stand in ``data``, in any of their forms."""
    found = {match["owner"].decode() for match in _SHAPE.finditer(data)}
    for run in _BASE64.findall(data):
        plain = _decoded(run)
        found |= {match["owner"].decode() for match in _SHAPE.finditer(plain)}
    return found


def forms_of(key: str) -> set[bytes]:
    """Return a key as it looks plain, in a URL, in JSON, and in base64 at any offset."""
    plain = key.encode()
    forms = {plain, quote(key, safe="").encode(), json.dumps(key)[1:-1].encode()}
    for offset in range(3):
        whole = base64.b64encode(b"\0" * offset + plain)
        # what the bytes around decide is left out: the first signs and the last group
        forms.add(whole[4 if offset else 0 : len(whole) // 4 * 4 - 4])
    return forms | {key.replace("/", "\\/").encode()}


def may_hold_key(data: bytes) -> bool:
    """Tell whether ``data`` may hold any form of any key; much quicker than to look for all."""
    return any(mark in data for mark in _MARKS)


def _decoded(run: bytes) -> bytes:
    run = run.translate(_FROM_URL)
    run = run[: len(run) - 1] if len(run) % 4 == 1 else run
    return base64.b64decode(run + b"=" * (-len(run) % 4))


@dataclass(frozen=True)
class Leak:
    """A key of ``owner`` that arrived at ``place``, which is not its own."""

    owner: str
    place: str

    def __str__(self) -> str:
        return f"the key of {self.owner} reached {self.place}"


class Watch:
    """What was seen of keys at places that are not theirs. Any thread may tell it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._leaks: list[Leak] = []

    def saw(self, place: str, owners: Collection[str], *parts: bytes | str) -> None:
        """Look through what ``place`` received, where the keys of ``owners`` may go."""
        data = b"\n".join(part.encode() if isinstance(part, str) else part for part in parts)
        leaks = [Leak(owner, place) for owner in sorted(owners_in(data) - set(owners))]
        with self._lock:
            self._leaks += leaks

    def take(self) -> list[Leak]:
        """Return the leaks since the last call, and forget them."""
        with self._lock:
            leaks, self._leaks = self._leaks, []
        return leaks

    @contextmanager
    def held_to_account(self) -> Iterator[None]:
        """Fail at the end of the block if a key went astray within it."""
        yield
        leaks = self.take()
        if leaks:
            raise AssertionError("; ".join(map(str, leaks)))


WATCH = Watch()
"""The suite's watch. What arrives after a test has ended counts for the next one."""
