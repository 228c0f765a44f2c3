"""Nothing foreign may steer the terminal."""

import pytest

from acp_server.cli.printable import visible, visible_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\nnext", "plain\ttext\nnext"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x9b31m\x07\x00\x7f", "\\x9b31m\\x07\\x00\\x7f"),
        ("one\r\ntwo", "one\ntwo"),
        ("over\rwritten", "over\\rwritten"),
        ("abc\u202edef", "abc\\u202edef"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("half \ud800", "half \\ud800"),
        ("👩\u200d💻 é ñ 漢字", "👩\u200d💻 é ñ 漢字"),
    ],
)
def test_text_keeps_its_words_and_loses_its_power(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("rm -rf x\nls", "rm -rf x\\nls"),
        ("a\tb\r", "a\\tb\\r"),
        ("join\u200der", "join\\u200der"),
        ("fill\u3164er", "fill\\u3164er"),
    ],
)
def test_a_title_stays_on_its_line_and_hides_nothing(text: str, shown: str) -> None:
    assert visible_line(text) == shown


def test_no_control_character_survives() -> None:
    every = "".join(chr(code) for code in range(0x3000) if chr(code) not in "\n\t")
    shown = visible(every) + visible_line(every)
    assert not [c for c in shown if ord(c) < 32 or 127 <= ord(c) < 160]
