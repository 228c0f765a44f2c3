"""Globs over relative paths, as people and models write them.

``*.py`` is a name at any depth, ``src/**/*.py`` a path, ``src`` a file or folder of that name
with all that is in it, ``*.{ts,tsx}`` either, ``!*.min.js`` everything else.
"""

import re
from collections.abc import Callable, Sequence

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
    matchers = [_matcher(one) for one in alternatives(glob)]
    return lambda path: any(matches(path) for matches in matchers)


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


def _matcher(glob: str) -> Filter:
    """Return what tells whether a path matches one glob, in time linear in both."""
    glob = glob.removeprefix("./").removeprefix("/") if glob not in ("/", "./", ".") else "**"
    glob = glob.rstrip("/")
    if "/" in glob:
        *names, last = glob.split("/")
        below = [_name("*"), _ANYWHERE] if last == "**" else [_name(last), _ANYWHERE]
        parts = [_ANYWHERE if name == "**" else _name(name) for name in names] + below
    elif _MAGIC.search(glob):
        parts = [_ANYWHERE, _name(glob)]
    else:
        parts = [_ANYWHERE, glob.__eq__, _ANYWHERE]
    return lambda path: _matches(parts, path.split("/"))


_ANYWHERE: Filter | None = None
"""A part of a pattern that any number of folders match, none included."""


def _matches(parts: Sequence[Filter | None], names: Sequence[str]) -> bool:
    """Match names against parts; only the last open ``_ANYWHERE`` ever needs to take more."""
    part, name = 0, 0
    resume, taken = -1, 0
    while name < len(names):
        wanted = parts[part] if part < len(parts) else _nothing
        if wanted is None:
            resume, taken = part, name
            part += 1
        elif wanted(names[name]):
            part += 1
            name += 1
        elif resume >= 0:
            taken += 1
            part, name = resume + 1, taken
        else:
            return False
    return all(left is None for left in parts[part:])


def _nothing(_name: str) -> bool:
    return False


_TOKENS = re.compile(r"(\*+)|(\?)|(\[[!^]?\]?[^\]/]*\])|(.)", re.DOTALL)


def _name(glob: str) -> Filter:
    """Return the filter of names for a glob without folders.

    What stands between two stars is taken where it first fits, for good: no other place would
    let more match, and so the time does not grow with the number of stars.
    """
    pieces = [""]
    for star, question, chars, other in _TOKENS.findall(glob):
        if star:
            pieces.append("")
        else:
            pieces[-1] += "." if question else _chars(chars) if chars else re.escape(other)
    text = pieces[0]
    if len(pieces) > 1:
        text += "".join(f"(?>.*?{piece})" for piece in pieces[1:-1]) + f".*{pieces[-1]}"
    pattern = re.compile(text, re.DOTALL)
    return lambda name: pattern.fullmatch(name) is not None


def _chars(chars: str) -> str:
    body = chars[1:-1]
    negated = "^" if body[:1] in ("!", "^") else ""
    escaped = re.sub(r"([\\\[\]^&~|])", r"\\\1", body[1:] if negated else body)
    return f"[{negated}{escaped}]"
