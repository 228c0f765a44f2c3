import random

import pytest

from hermes_core.local.output import Output, clean
from hermes_core.local.redrawn import LONGEST, ROWS


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
        ("\x1b(B\x1b[?25lx\x1b[2K\x1b7", ""),
        ("10%\x1b[1G50%\x1b[G99%\x1b[0Gdone\n", "done\n"),
        ("50%\x1b[1G", "50%"),
        ("name\x1b[20Gsize", "namesize"),
        ("50%\x1b[2K\rdone", "done"),
        ("50%\r\x1b[2Kdone", "done"),
        ("50%\r\x1b[K\nnext", "\nnext"),
        ("50%\r\x1b[0Kdone", "done"),
        ("50%\x1b[K\n", "50%\n"),
        ("ab\x1b[1Kc\n", "c\n"),
        ("ab\b\x1b[Kc", "ac"),
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
    assert len(output._rows.text) <= LONGEST
    assert len(output._head) + len(output._tail) <= 2_000
    assert len(output.text()) < 1_100


def test_a_progress_line_without_end_shows_its_last_state() -> None:
    pieces = [f"\r{n}%".encode() for n in range(50_000)]
    assert kept(b"start\n", *pieces) == "start\n49999%"


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("a 1%\nb 1%\n\x1b[2A\x1b[2Ka 9%\n\x1b[2Kb 9%\n", "a 9%\nb 9%\n"),
        ("a\nb\n\x1b[2Fc\n", "c\nb\n"),
        ("a\nb\x1b[1F\x1b[Ec\n", "a\nc\n"),
        ("a\nb\nc\x1b[2A\r1\x1b[B2\x1b[9B3\n", "1\n2\n3\n"),
        ("a\nb\n\x1b[Ac\n", "a\nc\n"),
        ("a\nb\n\x1bMc\n", "a\nc\n"),
        ("a\nb\nc\n\x1b[2A\x1b[Jd\n", "a\nd\n"),
        ("a\nb\n\x1b[9Ac\n", "c\nb\n"),
        ("a\x1b[Ab\n", "ab\n"),
        ("a\nb\n\x1b[2A", "a\nb\n"),
        ("a\nb\n\x1b[A\x1b[A\x1b[A\x1b[3Bc", "a\nb\nc"),
    ],
)
def test_lines_further_up_are_drawn_anew(raw: str, shown: str) -> None:
    assert kept(raw.encode()) == shown
    assert kept(*(bytes([byte]) for byte in raw.encode())) == shown


def test_what_lies_too_far_up_is_settled() -> None:
    lines = [f"{n}\n" for n in range(ROWS + 20)]
    shown = kept("".join(lines).encode(), b"\x1b[999Anew\n", limit=10_000)
    assert shown == "".join([*lines[:20], "new\n", *lines[21:]])


def test_bars_of_many_tasks_leave_their_last_state_in_bounded_memory() -> None:
    output = Output(10_000)
    for percent in range(2_000):
        frame = "".join(f"\x1b[2Ktask {n}: {percent}\n" for n in range(8))
        output.feed((f"\x1b[8A{frame}" if percent else frame).encode())
        assert len(output._rows.text) < 2 * LONGEST
    output.finish()
    assert output.text() == "".join(f"task {n}: 1999\n" for n in range(8))


@pytest.mark.parametrize("line", ["x" * 3_000, "x\r" * 3_000, "\x1b[A\x1b[B" * 900, "\x1b[3Ax\n"])
def test_no_order_of_moves_takes_memory(line: str) -> None:
    output = Output(1_000)
    output.feed(b"\n" * 60)
    for _ in range(60):
        output.feed(f"{line}\x1b[7A".encode())
        output.feed(f"{line}\n".encode())
        assert len(output._rows.text) <= 5 * LONGEST
    output.finish()
    assert len(output.text()) < 1_100


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
            [
                *("a", "é", "\n", "\r", "\b", "\x1b[31m", "\x1b", "\0", "😀"),
                *("\x1b[A", "\x1b[2A", "\x1b[K", "\x1b[2K", "\x1b[1G", "\x1b[J", "\x1b[B"),
            ],
            k=600,
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
