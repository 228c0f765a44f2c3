"""A provider's prompt cache: marks at the system prompt and the last three messages, or a key."""

import json
import zlib
from collections.abc import Iterable
from typing import Any, Final

_LAST: Final = 3
"""With the system prompt, the four marks that a request may have."""


def cache_key(beginning: Any) -> str:
    """Return a key that is the same for all requests of conversations with this beginning."""
    text = json.dumps(beginning, separators=(",", ":")).encode("ascii")
    return f"{len(text):x}-{zlib.crc32(text):08x}"


def mark_block(block: dict[str, Any]) -> None:
    """Mark the prompt up to and with ``block`` as worth keeping."""
    block["cache_control"] = {"type": "ephemeral"}


def mark_turns(turns: Iterable[dict[str, Any]]) -> None:
    """Mark the last block of the last turns whose last block takes a mark."""
    marked = 0
    for turn in reversed(list(turns)):
        block = turn["content"][-1]
        if block["type"] not in ("thinking", "redacted_thinking"):
            mark_block(block)
            marked += 1
        if marked == _LAST:
            return


def mark_contents(messages: list[dict[str, Any]]) -> None:
    """Mark the last content part of the system prompt and of the last messages that have text.

    A text becomes a list of one part, which alone takes the mark. A sound takes none.
    """
    left = _LAST
    for message in reversed(messages):
        if message["role"] in ("system", "developer") or not left:
            continue
        left -= _mark_content(message)
    system = [m for m in messages if m["role"] in ("system", "developer")]
    if system:
        _mark_content(system[-1])


def _mark_content(message: dict[str, Any]) -> bool:
    content = message["content"]
    if isinstance(content, str) and content.strip():
        content = message["content"] = [{"type": "text", "text": content}]
    if not content or not isinstance(content, list):
        return False
    taking = [part for part in content if part["type"] != "input_audio"]
    if taking:
        mark_block(taking[-1])
    return bool(taking)
