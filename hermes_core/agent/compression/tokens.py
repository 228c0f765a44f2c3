"""How many tokens a request has: estimated, and corrected by what the provider last reported.

The estimate is a quarter of the UTF-8 bytes: four characters of English or code a token, and not
much more than one of Chinese or Japanese.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hermes_core.ground.messages import Message, Part
from hermes_core.ground.sounds import sound_tokens

IMAGE = 1_600
"""Tokens of an image, whatever its size."""

OVERHEAD = 4
"""Tokens of a message beside its content."""

_LEAST, _MOST = 0.4, 4.0


def text_tokens(text: str) -> int:
    """Return the estimated tokens of ``text``."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return (size + 3) // 4


def message_tokens(message: Message) -> int:
    """Return the estimated tokens of a message: text, images, sounds, calls, records."""
    count = OVERHEAD
    content = message["content"]
    if isinstance(content, str):
        count += text_tokens(content)
    for part in content if isinstance(content, list) else ():
        count += part_tokens(part)
    for call in message.get("tool_calls", ()):
        function = call["function"]
        count += OVERHEAD + text_tokens(function["name"]) + text_tokens(function["arguments"])
    if details := message.get("reasoning_details"):
        count += text_tokens(json.dumps(details))
    return count


def part_tokens(part: Part) -> int:
    """Return the estimated tokens of one part of a message."""
    if part["type"] == "text":
        return text_tokens(part.get("text", ""))
    if part["type"] == "input_audio":
        return sound_tokens(part["input_audio"]["data"], part["input_audio"]["format"])
    return IMAGE


def total_tokens(messages: Iterable[Message]) -> int:
    """Return the estimated tokens of ``messages``."""
    return sum(map(message_tokens, messages))


def schema_tokens(schemas: Sequence[Mapping[str, Any]]) -> int:
    """Return the estimated tokens of the tools that a request offers."""
    return text_tokens(json.dumps(list(schemas))) if schemas else 0


class Gauge:
    """Corrects estimates by the ratio of what was reported to what had been estimated.

    A report that is far off, as of a server that counts nothing, moves it only so far.
    """

    def __init__(self) -> None:
        self.factor = 1.0

    def calibrate(self, estimated: int, reported: int) -> None:
        """Take in that a request estimated at ``estimated`` tokens had ``reported`` of them."""
        if estimated > 0 and reported > 0:
            self.factor = min(max(reported / estimated, _LEAST), _MOST)

    def real(self, estimated: int) -> int:
        """Return how many tokens an estimate stands for."""
        return round(estimated * self.factor)

    def estimate(self, real: float) -> int:
        """Return the estimate that stands for ``real`` tokens."""
        return int(real / self.factor)
