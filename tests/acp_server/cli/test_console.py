"""What is written to people, and whether in colour."""

import io
import re

import pytest

from acp_server.cli import console
from acp_server.cli.markdown import Answer

SGR = re.compile(r"\x1b\[([0-9;]*)m")


class Tty(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environ", "coloured"),
    [
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, True),
        ({"TERM": "dumb"}, False),
    ],
)
def test_colour_follows_the_environment(environ: dict[str, str], coloured: bool) -> None:
    assert console.coloured(Tty(), environ) is coloured
    assert console.coloured(io.StringIO(), environ) is False


def test_an_error_is_red_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for stream, wanted in ((Tty(), "\x1b[31mIt broke.\x1b[0m"), (io.StringIO(), "It broke.")):
        monkeypatch.setattr("sys.stderr", stream)
        console.explain("It  broke.", "Mend it.")
        assert stream.getvalue() == f"{wanted}\nMend it.\n"


def test_long_lines_are_broken_between_words_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    path = "/a/very-long/path-that-has/no-space/at-all"
    line = f"The store is at {path} and cannot be opened."
    assert console.wrapped(line, io.StringIO()) == line
    assert console.wrapped(line, Tty()) == f"The store is at\n{path}\nand cannot be opened."
    assert console.wrapped(line, Tty(), 2).splitlines()[1:] == [
        f"  {path}",
        "  and cannot be opened.",
    ]
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr("sys.stderr", stream := Tty())
    console.explain("It broke in the middle of something.", "Mend it with care, and then go on.")
    assert max(map(len, stream.getvalue().splitlines())) < 30


def test_what_an_encoding_lacks_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="ascii"))
    console.say("✓ done \ud800")
    assert raw.getvalue() == b"? done ?\n"


def test_a_closed_stderr_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    stream.close()
    monkeypatch.setattr("sys.stderr", stream)
    console.explain("It broke.", "Mend it.")


def test_the_console_of_a_terminal_interprets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("sys.stdout", stream)
    console.terminal().print("[bold]x[/bold] :smile: 1234")
    assert stream.getvalue() == "[bold]x[/bold] :smile: 1234\n"


def test_markdown_paints_no_background(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Tty()
    monkeypatch.setattr("sys.stdout", stream)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    text = "# T\n\n`code` and\n\n```python\nx = 1\n```\n\n> quote\n\n1. one"
    console.terminal().print(Answer(text))
    codes = {code for found in SGR.findall(stream.getvalue()) for code in found.split(";")}
    assert "36" in codes
    assert not codes & {str(code) for code in (*range(40, 48), *range(100, 108))}
