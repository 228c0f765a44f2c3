"""What a sound is: its format, told by its beginning, and what it costs a model to hear it. Pure.

The formats are the two that endpoints of chat completions document, WAV and MP3.
"""

import base64
import binascii
import re
from typing import Final, Literal

SoundFormat = Literal["wav", "mp3"]

_WAV: Final = re.compile(rb"RIFF.{4}WAVE", re.DOTALL)
_MP3: Final = re.compile(rb"ID3|\xff[\xe2\xe3\xf2\xf3\xfa\xfb]")
_RATE: Final = 28
"""Where the bytes a second stand in a WAV file that begins with its format, as nearly all do."""

_TOKENS_A_SECOND: Final = 32
"""The most that is documented of any maker."""

_SECOND: Final[dict[str, int]] = {"wav": 32_000, "mp3": 8_000}
"""Bytes of a second where the sound does not say: speech, rather too few than too many."""

_LEAST_RATE, _MOST_RATE = 1_000, 2_000_000
_HEAD: Final = 64
"""Characters of Base64 in which the rate stands."""


def format_of(data: bytes) -> SoundFormat | None:
    """Return which of the two formats ``data`` begins as; None for any other."""
    if _WAV.match(data):
        return "wav"
    return "mp3" if _MP3.match(data) else None


def sound_tokens(data: str, form: str) -> int:
    """Return the estimated tokens of a sound in Base64; only its beginning is decoded."""
    size = len(data) * 3 // 4
    return 1 + round(size * _TOKENS_A_SECOND / _bytes_a_second(data, form))


def _bytes_a_second(data: str, form: str) -> int:
    usual = _SECOND.get(form, _SECOND["mp3"])
    if form != "wav":
        return usual
    try:
        head = base64.b64decode(data[:_HEAD])
    except (binascii.Error, ValueError):
        return usual
    if head[12:16] != b"fmt " or len(head) < _RATE + 4:
        return usual
    rate = int.from_bytes(head[_RATE : _RATE + 4], "little")
    return rate if _LEAST_RATE <= rate <= _MOST_RATE else usual
