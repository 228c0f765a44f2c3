"""What simple commands print, where that can be told from their text alone."""

import base64
import binascii
import re

from hermes_core.approval.floor.command import Command
from hermes_core.approval.floor.marks import UNKNOWN, plain

_MAX = 16_384
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\\\": "\\"}


def input_of(command: Command, depth: int = 0) -> str | None:
    """Return the text that a command reads on its input, or None if it is not known."""
    if command.text is not None:
        return command.text
    return output_of(command.piped, depth + 1) if command.piped and depth < 8 else None


def output_of(command: Command, depth: int = 0) -> str | None:
    """Return what a command prints, or None if it is not known."""
    words = [plain(word) for word in command.words]
    if not words or any(UNKNOWN in word for word in command.words):
        return None
    name, rest = words[0].rpartition("/")[2], words[1:]
    if name == "echo":
        return _echo(rest)
    if name == "printf":
        return _printf(rest)
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


def _unescape(text: str) -> str:
    text = re.sub(r"\\[nt\\]", lambda found: _ESCAPES[found.group()], text)
    return re.sub(
        r"\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{3}))",
        lambda found: chr(int(found[1], 16) if found[1] else int(found[2], 8) & 0xFF),
        text,
    )


def _filtered(name: str, words: list[str], text: str) -> str | None:
    if name in ("cat", "tee") and not [word for word in words if not word.startswith("-")]:
        return text
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
