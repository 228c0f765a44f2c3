"""Names of tools as every provider takes them: ``server__tool``, each one once. Pure."""

import hashlib
import re
from collections.abc import Container

LONGEST = 64
"""Characters of a name; the least that a provider allows."""

_SERVER = 24
_MARK = 6
_ODD = re.compile(r"[^A-Za-z0-9_-]+")


def tool_name(server: str, tool: str, taken: Container[str]) -> str:
    """Return the name under which the model is told of a server's tool.

    One that had to be shortened, or is taken, ends in a mark made from the whole of it, so that it
    is the same each time.
    """
    whole = f"{plain(server)[:_SERVER]}__{plain(tool)}"
    if len(whole) <= LONGEST and whole not in taken and len(plain(server)) <= _SERVER:
        return whole
    for number in range(1_000):
        mark = hashlib.sha256(f"{server}\0{tool}\0{number}".encode("utf-8", "replace")).hexdigest()
        name = f"{whole[: LONGEST - _MARK - 1]}_{mark[:_MARK]}"
        if name not in taken:
            return name
    raise ValueError("no name is left")


def plain(text: str) -> str:
    """Return ``text`` with nothing but letters, digits, ``_`` and ``-``; it begins with a letter.

    Doubled underscores, which part server and tool, are made one.
    """
    name = re.sub(r"_{2,}", "_", _ODD.sub("_", text)).strip("_-")
    return name if name[:1].isalpha() else f"s_{name}".rstrip("_")
