"""Names as models write them, and the names that were meant."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher


def find_tool(name: str, known: Iterable[str]) -> str | None:
    """Return the known tool that ``name`` spells in another way, or None.

    Tolerated are case, ``-`` and blanks for ``_``, CamelCase, a ``functions.`` before and a
    ``_tool`` behind, and whatever follows a quote or an angle bracket. A name that is merely
    similar is not taken: what runs is never a guess.
    """
    names = {_plain(one): one for one in known}
    plain = _plain(name)
    return names.get(plain) or names.get(plain.removesuffix("_tool"))


def unknown_tool(name: str, known: Iterable[str]) -> str:
    """Return the text that tells a model that there is no tool of this name."""
    names = list(known)
    meant = nearest(_plain(name), names)
    hint = f" Did you mean {meant}?" if meant else ""
    return f"There is no tool {name[:80]!r}.{hint} The tools are: {', '.join(names)}."


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that ``name`` most likely stands for, or None if none is near.

    A name that contains the other as a word (``old_string`` and ``old``) is near as well.
    """
    scored = [(_likeness(name, one), one) for one in known]
    score, best = max(scored, default=(0.0, None))
    return best if score >= 0.6 else None


def _likeness(name: str, known: str) -> float:
    ratio = SequenceMatcher(None, _plain(name), _plain(known)).ratio()
    words = set(_plain(name).split("_")) & set(_plain(known).split("_"))
    return max(ratio, 0.75) if words else ratio


def _plain(name: str) -> str:
    name = re.split(r"""["'<>(\[{]""", name.strip().lstrip("\"'<"), maxsplit=1)[0]
    name = name.strip().removeprefix("functions.").removeprefix("tools.")
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"[\s-]+", "_", name).lower().strip("_")
