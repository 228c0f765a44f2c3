"""Globs over relative paths, as people and models write them.

``*.py`` is a name at any depth, ``src/**/*.py`` a path, ``src`` a file or folder of that name
with all that is in it, ``*.{ts,tsx}`` either, ``!*.min.js`` everything else.
"""

import re
from collections.abc import Callable

Filter = Callable[[str], bool]
"""Tells whether a relative path is wanted."""

_MAGIC = re.compile(r"[*?\[{]")
_BRACES = re.compile(r"\{([^{}]*)\}")
_MAX_ALTERNATIVES = 64


def path_filter(glob: str) -> Filter:
    """Return the filter of one glob; raise ``ValueError`` if it is none."""
    if glob.startswith("!"):
        wanted = path_filter(glob[1:])
        return lambda path: not wanted(path)
    patterns = [_pattern(one) for one in alternatives(glob)]
    return lambda path: any(pattern.fullmatch(path) for pattern in patterns)


def name_filter(text: str) -> Filter:
    """Return the filter of a search for files: a glob, or else a part of the path."""
    if _MAGIC.search(text):
        return path_filter(text)
    return lambda path: text in path


def base_names(glob: str | None) -> tuple[str, ...]:
    """Return the globs of file names that ``glob`` amounts to, none if it is about paths."""
    names = (glob or "").removeprefix("**/")
    plain = _MAGIC.search(names) and not names.startswith("!") and "/" not in names
    return tuple(alternatives(names)) if plain else ()


def alternatives(glob: str) -> list[str]:
    """Return ``glob`` with its braces written out; raise ``ValueError`` if there are too many."""
    done: set[str] = set()
    waiting = [glob]
    while waiting:
        one = waiting.pop()
        braces = _BRACES.search(one)
        if braces is None:
            done.add(one)
        else:
            before, after = one[: braces.start()], one[braces.end() :]
            waiting += [f"{before}{choice}{after}" for choice in braces[1].split(",")]
        if len(done) + len(waiting) > _MAX_ALTERNATIVES:
            raise ValueError(f"the glob {glob!r} has too many alternatives")
    return sorted(done)


def _pattern(glob: str) -> re.Pattern[str]:
    glob = glob.removeprefix("./").removeprefix("/") if glob not in ("/", "./", ".") else "**"
    if "/" in glob.rstrip("/"):
        return re.compile(f"{_translated(glob.rstrip('/'))}(?:/.*)?", re.DOTALL)
    if _MAGIC.search(glob):
        return re.compile(f"(?:.*/)?{_translated(glob.rstrip('/'))}", re.DOTALL)
    return re.compile(f"(?:.*/)?{re.escape(glob.rstrip('/'))}(?:/.*)?", re.DOTALL)


_TOKENS = re.compile(r"(\*\*/)|(/\*\*$)|(\*+)|(\?)|(\[[!^]?\]?[^\]/]*\])|(.)", re.DOTALL)


def _translated(glob: str) -> str:
    parts = []
    for anywhere, below, star, question, chars, other in _TOKENS.findall(glob):
        if anywhere:
            parts.append("(?:.*/)?")
        elif below:
            parts.append("/.*")
        elif star:
            parts.append("[^/]*" if star == "*" else ".*")
        elif question:
            parts.append("[^/]")
        elif chars:
            parts.append(_chars(chars))
        else:
            parts.append(re.escape(other))
    return "".join(parts)


def _chars(chars: str) -> str:
    body = chars[1:-1]
    negated = "^" if body[:1] in ("!", "^") else ""
    escaped = re.sub(r"([\\\[\]^&~|])", r"\\\1", body[1:] if negated else body)
    return f"[{negated}{escaped}]"
