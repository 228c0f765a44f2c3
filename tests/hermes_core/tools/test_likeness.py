import time

from hermes_core.tools.likeness import nearest_block

TEXT = """\
import os


def load(path):
    with open(path) as file:
        return file.read()


def save(path, text):
    with open(path, "w") as file:
        file.write(text)
"""


def test_lines_that_are_equal_show_where_the_block_is() -> None:
    old = "def save(path, content):\n    with open(path, 'w') as file:\n        file.write(text)\n"
    assert nearest_block(TEXT, old) == (
        ' 8| \n 9| def save(path, text):\n10|     with open(path, "w") as file:\n'
        "11|         file.write(text)\n12| "
    )


def test_a_line_that_is_alike_shows_where_the_block_is() -> None:
    block = nearest_block(TEXT, "    with open(paths) as files:")
    assert block is not None
    assert "5|     with open(path) as file:" in block


def test_nothing_is_shown_where_nothing_is_alike() -> None:
    assert nearest_block(TEXT, "completely different words") is None
    assert nearest_block(TEXT, "}") is None
    assert nearest_block("", "text") is None


def test_what_is_shown_is_bounded() -> None:
    text = "\n".join(f"line {number} {'x' * 500}" for number in range(100))
    block = nearest_block(text, text)
    assert block is not None
    assert len(block.split("\n")) == 24
    assert max(map(len, block.split("\n"))) <= 260


def test_a_large_file_is_answered_soon() -> None:
    text = "\n".join(f"value_{number} = compute({number})" for number in range(200_000))
    started = time.monotonic()
    assert nearest_block(text, "value_x = computed(7)\nother") is not None
    assert time.monotonic() - started < 60
