"""What simple commands print, where that can be told from their text alone."""

import base64
import binascii
import os
import re
from collections.abc import Callable

from hermes_core.approval.floor.command import Command
from hermes_core.approval.floor.lists import listed
from hermes_core.approval.floor.marks import BELOW, EVERY, STAR, UNKNOWN, plain
from hermes_core.approval.floor.targets import Place

_MAX = 16_384
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\\\": "\\"}
_SILENT = frozenset(("cd", "pushd", "popd", "true", ":", "set", "test", "["))
"""What prints nothing, or nothing that counts."""
_SAME_LINES = frozenset(("sort", "uniq", "tac", "shuf", "sponge"))
_ONE_FIELD = re.compile(
    r"\s*(?:NR\s*(?:>|!=|>=)\s*\d+\s*)?\{\s*print\s*\(?\s*\$(?:\d+|NF)\s*\)?;?\s*\}\s*"
)
_DIGITS = re.compile(r"(?:[0-9\[\]:^$+*() -]|\\[ds]|digit)*")


def input_of(command: Command, depth: int = 0) -> str | None:
    """Return the text that a command reads on its input, or None if it is not known."""
    if command.text is not None:
        return command.text
    return output_of(command.piped, depth + 1) if command.piped and depth < 8 else None


def printed(commands: list[Command]) -> str | None:
    """Return what a list of commands prints, or None if it is not known."""
    own = [command for command in commands if not command.inner]
    last = own[-1] if own else None
    pipe: list[int] = []
    one = last
    while one is not None and len(pipe) < 9:
        pipe.append(id(one))
        one = one.piped
    others = [one for one in own if id(one) not in pipe]
    if last is None or not all(one.words[:1] and one.words[0] in _SILENT for one in others):
        return None
    return output_of(last)


def output_of(command: Command, depth: int = 0) -> str | None:
    """Return what a command prints, with marks, or None if it is not known."""
    words = command.words
    if not words or any(UNKNOWN in word for word in words):
        return None
    name, rest = plain(words[0]).rpartition("/")[2], words[1:]
    if name in ("true", ":"):
        return ""
    if printer := _PRINTERS.get(name):
        return printer(rest)
    if command.place is not None:
        found = _path(name, rest, command.place) or listed(name, rest, command.place)
        if found is not None:
            return found
    text = input_of(command, depth)
    return None if text is None or len(text) > _MAX else _filtered(name, rest, text)


def _echo(words: list[str]) -> str:
    while words and re.fullmatch(r"-[neE]+", words[0]):
        words = words[1:]
    return _unescape(" ".join(words)) + "\n"


def _printf(words: list[str]) -> str:
    words = words[1:] if words[:1] == ["--"] else words
    if not words:
        return ""
    values = iter(words[1:])
    return _unescape(re.sub(r"%[sbqd]", lambda _: next(values, ""), words[0]))


def _where(words: list[str]) -> str | None:
    """What ``which`` and ``command -v`` tell: where the program of a name lies."""
    named = [word for word in words if not word.startswith("-")]
    return named[0] if len(named) == 1 else None


def _command(words: list[str]) -> str | None:
    return _where(words) if words[:1] in (["-v"], ["-V"]) else None


_PRINTERS: dict[str, Callable[[list[str]], str | None]] = {
    "echo": _echo,
    "printf": _printf,
    "which": _where,
    "command": _command,
}


def _unescape(text: str) -> str:
    text = re.sub(r"\\[nt\\]", lambda found: _ESCAPES[found.group()], text)
    return re.sub(
        r"\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{1,3}))",
        lambda found: chr(int(found[1], 16) if found[1] else int(found[2], 8) & 0xFF),
        text,
    )


def _path(name: str, words: list[str], place: Place) -> str | None:
    """Return the path that a program tells: the working folder, a part of what it is given."""
    given = [word for word in words if not word.startswith("-")]
    if name == "pwd":
        return place.cwd or None
    if len(given) != 1:
        return given[0] if name == "basename" and len(given) == 2 else None
    if name == "dirname":
        return os.path.dirname(given[0].rstrip("/")) or ("/" if given[0][:1] == "/" else ".")
    if name == "basename":
        return os.path.basename(given[0].rstrip("/")) or "/"
    return place.absolute(given[0]) if name in ("realpath", "readlink", "grealpath") else None


def _filtered(name: str, words: list[str], text: str) -> str | None:
    if name in ("cat", "tee") and not [word for word in words if not word.startswith("-")]:
        return text
    if any(mark in text for mark in (BELOW, EVERY, STAR)):
        return text if _passes(name, [plain(word) for word in words], text) else None
    text = plain(text)
    if name == "rev" and not words:
        return "\n".join(line[::-1] for line in text.split("\n"))
    try:
        if name == "base64" and words and words[0] in ("-d", "-D", "--decode", "-di"):
            return base64.b64decode(text).decode("utf-8", "replace")
        if name == "xxd" and "".join(words).replace("-", "") in ("rp", "pr"):
            return bytes.fromhex(text).decode("utf-8", "replace")
    except (ValueError, binascii.Error):
        return None
    return None


def _passes(name: str, words: list[str], text: str) -> bool:
    """Return whether next to nothing of a list is lost in a filter."""
    operands = [word for word in words if not word.startswith("-")]
    options = [word for word in words if word.startswith("-")]
    if name in _SAME_LINES or (name == "tr" and operands[:1] in (["\\n"], ["\\0"], [" "])):
        return True
    if name in ("tail", "gtail"):
        return any(re.fullmatch(r"(?:-n)?\+\d", word) for word in words)
    if name in ("grep", "egrep") and any(re.fullmatch(r"-\w*v\w*", word) for word in options):
        return True
    if name == "sed":
        return operands in (["1d"], ["1,1d"], ["s/^ *//"])
    if EVERY not in text:
        return False
    if name in ("grep", "egrep"):
        return len(operands) == 1 and bool(_DIGITS.fullmatch(operands[0]))
    if name in ("awk", "gawk", "mawk"):
        return len(operands) == 1 and bool(_ONE_FIELD.fullmatch(operands[0]))
    return name == "cut"
