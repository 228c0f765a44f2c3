"""The terminal's paper: finished blocks are printed once, the last one is live."""

import io
import re

from rich.console import Console
from rich.text import Text

from acp_server.cli.live import LivePaper, last_lines, split_finished, split_paragraphs

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Screen:
    """A terminal of 60 by 12 that remembers what it was sent."""

    def __init__(self) -> None:
        self.sent = io.StringIO()
        self.console = Console(
            file=self.sent,
            force_terminal=True,
            color_system="standard",
            width=60,
            height=12,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
            _environ={"TERM": "xterm"},
        )
        self.paper = LivePaper(self.console)

    @property
    def words(self) -> str:
        return ESCAPE.sub("", self.sent.getvalue()).replace("\r", "")


def test_only_blocks_that_cannot_change_are_finished() -> None:
    assert split_finished("# Title\n\nText\n\n```py\nx = 1\n\ny") == (
        ["# Title\n", "Text\n"],
        "```py\nx = 1\n\ny",
    )
    assert split_finished("- one\n\n- two") == ([], "- one\n\n- two")
    assert split_finished("one\ntwo") == ([], "one\ntwo")
    assert split_finished("") == ([], "")


def test_blocks_joined_again_are_the_text() -> None:
    text = "para\n\n- a\n  - b\n\n> quote\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend"
    blocks, rest = split_finished(text)
    assert "\n".join([*blocks, rest]) == text
    assert rest == "end"


def test_paragraphs_of_a_thought() -> None:
    assert split_paragraphs("one\ntwo\n\nthree") == (["one\ntwo"], "three")


def test_a_long_block_shows_its_end_with_its_fence() -> None:
    code = "```py\n" + "\n".join(str(n) for n in range(50))
    assert last_lines(code, 3) == "```py\n47\n48\n49"
    assert last_lines("a\nb", 3) == "a\nb"


def test_a_finished_block_is_printed_once_and_the_last_one_at_the_end() -> None:
    screen = Screen()
    for piece in ("# Ti", "tle\n\nFir", "st.\n\nSec", "ond."):
        screen.paper.stream("answer", piece)
    screen.paper.close()
    assert screen.words == "Title\n\nFirst.\n\nSecond.\n"


def test_the_live_part_is_taken_away() -> None:
    screen = Screen()
    screen.paper.begin()
    screen.paper.status([Text("$ make")])
    screen.paper.tick()
    assert "$ make" in screen.words
    assert "Ctrl-C stops" in screen.words
    screen.sent.truncate(0)
    screen.sent.seek(0)
    screen.paper.status([])
    screen.paper.block(Text("done"))
    screen.paper.end()
    assert "\x1b[?25h" in screen.sent.getvalue()
    assert "done" in screen.words
    assert "$ make" not in screen.words


def test_a_question_hides_what_is_going_on() -> None:
    screen = Screen()
    screen.paper.begin()
    screen.paper.status([Text("$ make")])
    screen.sent.truncate(0)
    screen.sent.seek(0)
    screen.paper.footer(Text("y  Allow"))
    assert "y  Allow" in screen.words
    assert "$ make" not in screen.words
    screen.paper.end()


def test_the_live_part_is_no_higher_than_the_screen() -> None:
    screen = Screen()
    screen.paper.begin()
    screen.sent.truncate(0)
    screen.sent.seek(0)
    screen.paper.stream("answer", "```\n" + "\n".join(f"row {n}" for n in range(100)))
    screen.paper.tick()
    rows = screen.words.strip("\n").split("\n")
    assert len(rows) <= 12
    assert "row 99" in screen.words
    assert "row 80" not in screen.words
    screen.paper.end()
    assert "row 0" in screen.words


def test_thoughts_are_dim_and_marked_on_every_line() -> None:
    screen = Screen()
    screen.paper.stream("thought", "word " * 30)
    screen.paper.close()
    lines = screen.words.rstrip("\n").split("\n")
    assert len(lines) > 1
    assert all(line.startswith("┊ ") for line in lines)
    assert "\x1b[2;3m" in screen.sent.getvalue()


def test_links_are_written_out_and_send_no_escape_of_their_own() -> None:
    screen = Screen()
    screen.paper.stream("answer", "[here](https://example.org/x)")
    screen.paper.close()
    assert "https://example.org/x" in screen.words
    assert "\x1b]8" not in screen.sent.getvalue()


def test_markup_of_the_console_is_not_interpreted() -> None:
    screen = Screen()
    screen.paper.block(Text("[red]x[/red] :smile:"))
    screen.paper.stream("answer", "[bold]y[/bold] :smile:")
    screen.paper.close()
    assert "[red]x[/red] :smile:" in screen.words
    assert "[bold]y[/bold] :smile:" in screen.words
