"""The terminal's paper: finished blocks are printed once, the last one is live."""

import io
import re

import pytest
from rich.console import Console
from rich.text import Text

from acp_server.cli.line import Line
from acp_server.cli.live import LivePaper

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


def test_a_finished_block_is_printed_once_and_the_last_one_at_the_end() -> None:
    screen = Screen()
    for piece in ("# Ti", "tle\n\nFir", "st.\n\nSec", "ond."):
        screen.paper.stream("answer", piece)
    screen.paper.close()
    assert screen.words == "Title\n\nFirst.\n\nSecond.\n"


def test_the_time_stands_still_while_a_question_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("acp_server.cli.live.time.monotonic", lambda: now[0])
    screen = Screen()
    screen.paper.begin()
    now[0] = 103.0
    screen.paper.footer(Text("y  n"))
    now[0] = 150.0
    screen.paper.footer(Text("y  n  again"))
    now[0] = 160.0
    screen.paper.footer(None)
    assert " 3 s · Ctrl-C stops" in screen.words
    assert "160" not in screen.words
    screen.paper.end()


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


def test_a_finished_text_is_shown_once_while_something_goes_on() -> None:
    screen = Screen()
    screen.paper.begin()
    screen.paper.stream("thought", "I think.")
    screen.sent.truncate(0)
    screen.sent.seek(0)
    screen.paper.block(Text("done"))
    assert screen.words.count("I think.") == 1
    screen.paper.end()


def test_a_long_line_hangs_below_its_beginning() -> None:
    screen = Screen()
    code = "x" * 50
    screen.paper.block(Text(f"title\n  10 + {code} {code}\n     end"))
    assert screen.words == f"title\n  10 + {code}\n       {code}\n     end\n"


def test_a_list_alone_has_no_empty_lines_around_it() -> None:
    screen = Screen()
    screen.paper.stream("answer", "### Done\n\n- one\n- two\n\nEnd.")
    screen.paper.close()
    assert screen.words == "Done\n\n • one\n • two\n\nEnd.\n"


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


def test_what_is_typed_and_what_waits_stand_below_all_else() -> None:
    screen, line = Screen(), Line()
    screen.paper.begin(line)
    assert "Ctrl-C stops · type on" in screen.words
    line.feed("half a li")
    screen.paper.waiting(["one", "two\nlines", "x" * 99, "four", "five"])
    *_, working, one, two, three, more, typed = screen.words.rstrip("\n").split("\n")
    assert working.endswith("Ctrl-C stops")
    assert [one, two, more] == ["  … one", "  … two\\nlines", "  … and 2 more"]
    assert three == f"  … {'x' * 55}…"
    assert typed == "› half a li "
    screen.paper.end()


def test_what_is_typed_stays_below_a_question() -> None:
    screen, line = Screen(), Line()
    screen.paper.begin(line)
    line.feed("half")
    screen.paper.footer(Text("y  Allow once"))
    assert screen.words.rstrip("\n").endswith("y  Allow once\n› half ")
    screen.paper.end()


def test_a_long_text_leaves_room_for_what_runs() -> None:
    screen, line = Screen(), Line()
    screen.paper.begin(line)
    before = len(screen.words)
    line.feed("word " * 500)
    screen.paper.draw()
    rows = screen.words[before:].strip("\n").split("\n")
    assert len(rows) <= 11
    assert "Ctrl-C stops" in screen.words[before:]
    screen.paper.end()


def test_pastes_are_marked_only_while_something_can_be_typed() -> None:
    for line in (None, Line()):
        screen = Screen()
        screen.paper.begin(line)
        screen.paper.end()
        sent = screen.sent.getvalue()
        assert (sent.count("\x1b[?2004h"), sent.count("\x1b[?2004l")) == (2 * (line is not None,))
