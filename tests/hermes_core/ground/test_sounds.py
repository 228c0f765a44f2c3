"""Which format a sound has, and how many tokens it is reckoned at."""

import base64
import struct

import pytest

from hermes_core.ground.sounds import format_of, sound_tokens


def wav(rate: int, size: int, first: bytes = b"fmt ") -> bytes:
    """Return a WAV file with ``rate`` bytes a second and ``size`` bytes of silence."""
    form = struct.pack("<HHIIHH", 1, 1, rate // 2, rate, 2, 16)
    chunks = first + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", size)
    return b"RIFF" + struct.pack("<I", len(chunks) + 4 + size) + b"WAVE" + chunks + bytes(size)


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (wav(32_000, 10), "wav"),
        (b"ID3\4\0", "mp3"),
        (b"\xff\xfb\x90\x64", "mp3"),
        (b"\xff\xf3\x40", "mp3"),
        (b"\xff\xf1\x50", None),  # AAC
        (b"OggS\0", None),
        (b"RIFF\0\0\0\0AVI ", None),
        (b"RIFF", None),
        (b"", None),
    ],
)
def test_the_beginning_tells_the_format(data: bytes, form: str | None) -> None:
    assert format_of(data) == form


def tokens(data: bytes, form: str) -> int:
    return sound_tokens(base64.b64encode(data).decode(), form)


def test_a_minute_costs_the_same_however_finely_it_was_recorded() -> None:
    minute = 60 * 32
    for rate in (16_000, 32_000, 176_400):
        assert tokens(wav(rate, 60 * rate), "wav") == pytest.approx(minute, rel=0.01)
    assert tokens(b"ID3" + bytes(60 * 8_000), "mp3") == pytest.approx(minute, rel=0.01)


@pytest.mark.parametrize("head", [wav(0, 0), wav(2**31, 0), wav(8_000, 0, b"JUNK"), b"RIFF", b""])
def test_a_rate_that_cannot_be_is_that_of_speech(head: bytes) -> None:
    assert tokens(head.ljust(320_000, b"\0"), "wav") == pytest.approx(320, abs=2)


def test_what_is_no_base64_still_has_a_size() -> None:
    assert sound_tokens("A", "wav") == 1
    assert sound_tokens("é" * 40, "wav") == 1
    assert sound_tokens("A" * 32_000, "flac") == 97
