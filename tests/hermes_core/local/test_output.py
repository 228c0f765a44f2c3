import random

import pytest

from hermes_core.local.output import Output, clean


def kept(*pieces: bytes, limit: int = 1_000) -> str:
    output = Output(limit)
    for piece in pieces:
        output.feed(piece)
    output.finish()
    return output.text()


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[1;31mred\x1b[0m\n", "red\n"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b(B\x1b[?25lx\x1b[2K\x1b7", "x"),
        ("one\r\ntwo\r\n", "one\ntwo\n"),
        ("10%\r50%\r100%\ndone", "100%\ndone"),
        ("50%\r", "50%"),
        ("\rready", "ready"),
        ("ab\bc\n", "ac\n"),
        ("x\n\b\by", "x\ny"),
        ("bell\a null\0 del\x7f c1\x9b", "bell null del c1"),
        ("\x1b", ""),
        ("\u202ekept", "\u202ekept"),
    ],
)
def test_text_is_what_a_terminal_would_end_up_showing(raw: str, shown: str) -> None:
    assert clean(raw) == shown
    assert kept(raw.encode()) == shown
    assert kept(*(bytes([byte]) for byte in raw.encode())) == shown


def test_bytes_that_are_not_utf_8_are_replaced() -> None:
    assert kept(b"caf\xe9 \xff\n") == "caf\ufffd \ufffd\n"
    assert kept("é".encode()[:1]) == "\ufffd"


def test_a_character_split_between_reads_is_whole() -> None:
    data = "añ€😀".encode()
    for cut in range(len(data)):
        assert kept(data[:cut], data[cut:]) == "añ€😀"


def test_up_to_the_limit_everything_is_kept() -> None:
    text = "".join(f"line {n}\n" for n in range(100))
    output = Output(len(text))
    output.feed(text.encode())
    output.finish()
    assert output.text() == text
    assert not output.truncated


def test_beyond_it_beginning_and_end_are_kept_and_the_rest_is_counted() -> None:
    output = Output(100)
    for number in range(1_000):
        output.feed(f"line {number:04}\n".encode())
    output.finish()
    text = output.text()
    assert output.truncated
    assert text.startswith("line 0000\nline 0001\n")
    assert text.endswith("line 0998\nline 0999\n")
    assert "\n[... 9,900 bytes left out ...]\n" in text


def test_cuts_fall_between_characters() -> None:
    for limit in range(40, 60):
        text = kept("😀".encode() * 1_000, limit=limit)
        assert set(text.replace("bytes left out", "")) <= set("😀\n[.]0123456789, ")


def test_one_endless_line_is_bounded_in_memory() -> None:
    output = Output(1_000)
    for _ in range(200):
        output.feed(b"x" * 65_536)
    assert len(output._pending) <= 65_536
    assert len(output._head) + len(output._tail) <= 2_000
    assert len(output.text()) < 1_100


def test_a_progress_line_without_end_shows_its_last_state() -> None:
    pieces = [f"\r{n}%".encode() for n in range(50_000)]
    assert kept(b"start\n", *pieces) == "start\n49999%"


def test_an_escape_sequence_split_in_a_long_line_is_dropped_whole() -> None:
    assert kept(b"a" * 9_000 + b"\x1b[3", b"1mred", limit=20_000) == "a" * 9_000 + "red"


def test_the_text_so_far_has_the_unfinished_line() -> None:
    output = Output(1_000)
    output.feed(b"one\ntw")
    assert output.text() == "one\ntw"
    output.feed(b"o\x1b[")
    assert output.text().startswith("one\ntwo")


def test_any_cutting_of_the_input_gives_the_same_text() -> None:
    raw = "".join(
        random.Random(7).choices(
            ["a", "é", "\n", "\r", "\b", "\x1b[31m", "\x1b", "\0", "😀"], k=600
        )
    ).encode()
    whole = kept(raw, limit=10_000)
    for seed in range(50):
        cuts = sorted(random.Random(seed).sample(range(len(raw)), 20))
        pieces = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
        assert kept(*pieces, limit=10_000) == whole


def test_a_secret_is_masked_before_anything_is_cut() -> None:
    key = "sk-" + "abcdefghij" * 4
    for limit in range(80, 240, 3):
        text = kept(b"word " * 20, key.encode(), b" word" * 60, limit=limit)
        assert "sk-a" not in text
        assert "hij" not in text


def test_nor_is_one_parted_in_a_long_line() -> None:
    key = "sk-" + "abcdefghij" * 4
    for before in range(8_150, 8_230, 3):
        text = kept(b"x" * before + b" ", key[:20].encode(), key[20:].encode() + b" y" * 9_000)
        assert "abcdefghij" not in text


def test_all_of_the_text_goes_to_whoever_wants_it() -> None:
    pieces: list[str] = []
    output = Output(100, pieces.append)
    for number in range(1_000):
        output.feed(f"\x1b[1mline {number}\r\n".encode())
    output.feed(b"the end")
    output.finish()
    assert output.truncated
    assert "".join(pieces) == "".join(f"line {n}\n" for n in range(1_000)) + "the end"
