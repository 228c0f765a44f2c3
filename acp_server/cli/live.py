"""The paper of a terminal: finished blocks are printed, only the last one and what runs is live."""

import time
from collections.abc import Iterable, Sequence

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from acp_server.cli.line import Line, drawn
from acp_server.cli.markdown import Answer, last_lines, split_finished, split_paragraphs
from acp_server.cli.paper import VOICES, Voice, group_of
from acp_server.cli.printable import visible_line
from acp_server.cli.shapes import Hanging, Marked, Tail, Trimmed

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
FRAME_SECONDS = 0.1
TYPED_ROWS = 6
"""Rows of what is being typed that are shown at most."""

WAITING_SHOWN = 3
HINT = "Ctrl-C stops"
MORE = " · type on: it waits its turn, /steer tells this one"

_PASTES_MARKED, _PASTES_PLAIN = "\x1b[?2004h", "\x1b[?2004l"


class LivePaper:
    """Writes on a terminal. Between ``begin`` and ``end`` its last lines are live.

    ``tick`` has to be called about ten times a second meanwhile: it prints what is finished of
    the running text and draws the live part, so that the cost does not grow with the number of
    pieces.
    """

    keeps_status = True

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None
        self._voice: Voice | None = None
        self._text = ""
        self._status: Sequence[Text] = ()
        self._group: str | None = None
        self._began = 0.0
        self._paused = 0.0
        self._footer: Text | None = None
        self._line: Line | None = None
        self._waiting: Sequence[str] = ()

    def __rich__(self) -> RenderableType:
        """Return the live part as it is now."""
        return Text("") if self._live is None else self._region()

    def begin(self, line: Line | None = None) -> None:
        """Start the live part; ``line`` is what is typed below it, if anything can be."""
        self._began = time.monotonic()
        self._footer = None
        self._line, self._waiting = line, ()
        if line is not None:
            self._tell(_PASTES_MARKED)
        self._live = Live(
            self,
            console=self._console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )
        self._live.start()
        self.tick()

    def end(self) -> None:
        """Close the running text and take the live part away."""
        self.close()
        live, self._live = self._live, None
        if live is not None:
            live.stop()
            if self._line is not None:
                self._tell(_PASTES_PLAIN)

    def begin_next(self) -> None:
        """Count the time from here: the next prompt's turn begins."""
        self._began = time.monotonic()

    def waiting(self, prompts: Sequence[str]) -> None:
        """Take the prompts that were sent and wait for their turn."""
        self._waiting = prompts
        self.draw()

    def draw(self) -> None:
        """Draw the live part as it is now."""
        if self._live is not None:
            self._live.refresh()

    def footer(self, text: Text | None) -> None:
        """Show only ``text`` in the live part; None brings back what is going on.

        The time of the turn stands still meanwhile.
        """
        now = time.monotonic()
        if text is not None and self._footer is None:
            self._paused = now
        elif text is None and self._footer is not None:
            self._began += now - self._paused
        self._footer = text
        self.draw()

    def stream(self, voice: Voice, text: str) -> None:
        """Take a piece of running text; it shows at the next tick."""
        if voice != self._voice:
            self.close()
            text = text.lstrip("\n")
            if not text:
                return
            self._voice = voice
        self._text += text

    def close(self) -> None:
        """Print the rest of the running text."""
        self._print_finished()
        voice, text = self._voice, self._text
        self._voice, self._text = None, ""
        if voice is not None and text.strip():
            self._print(self._styled(voice, text), group_of(voice))

    def block(self, text: Text, group: str = "") -> None:
        """Print a finished block."""
        self.close()
        self._print(Hanging(text), group)

    def status(self, blocks: Sequence[Text]) -> None:
        """Take what is going on now; it shows at the next tick."""
        self._status = blocks

    def tick(self) -> None:
        """Print what is finished and draw the live part anew."""
        if self._live is None or self._footer is not None:
            return
        self._print_finished()
        self._live.refresh()

    def _print_finished(self) -> None:
        if self._voice is None:
            return
        split = split_finished if self._voice == "answer" else split_paragraphs
        blocks, self._text = split(self._text)
        for block in blocks:
            self._print(self._styled(self._voice, block), group_of(self._voice))

    def _print(self, what: RenderableType, group: str) -> None:
        if self._group is not None and (not group or group != self._group):
            self._console.print()
        self._group = group
        self._console.print(what, overflow="fold")

    def _styled(self, voice: Voice, text: str) -> RenderableType:
        if voice == "answer":
            return Trimmed(Answer(text))
        mark = VOICES[voice]
        style = "dim italic" if voice == "thought" else "bold"
        return Marked(Text(text.strip()), mark, style)

    def _region(self) -> RenderableType:
        height = self._console.size.height - 1
        if self._footer is not None:
            return Tail(Group("", self._footer, *self._typed(height)), height)
        parts: list[RenderableType] = []
        if self._voice is not None and self._text.strip():
            parts += [self._styled(self._voice, last_lines(self._text, 2 * height)), ""]
        parts += _spaced(self._status)
        parts += [self._working(), *self._behind(), *self._typed(height)]
        if self._group is not None:
            parts.insert(0, "")
        return Tail(Group(*parts), height)

    def _working(self) -> Text:
        seconds = time.monotonic() - self._began
        frame = FRAMES[int(seconds / FRAME_SECONDS) % len(FRAMES)]
        hint = HINT if self._line is None or self._line.text else f"{HINT}{MORE}"
        working = Text.assemble((frame, "cyan"), (f" {seconds:.0f} s · {hint}", "dim"))
        return _cut(working, self._console.width)

    def _behind(self) -> list[Text]:
        """Return the prompts that wait, a row each."""
        rows = [Text(f"  … {visible_line(one)}", "dim") for one in self._waiting[:WAITING_SHOWN]]
        if more := len(self._waiting) - len(rows):
            rows.append(Text(f"  … and {more} more", "dim"))
        return [_cut(row, self._console.width) for row in rows]

    def _typed(self, height: int) -> list[Text]:
        """Return what is being typed, as the rows around its cursor."""
        line = self._line
        if line is None or not line.text:
            return []
        rows = max(min(TYPED_ROWS, height // 2), 1)
        return [drawn(line.text, line.cursor, self._console.width, rows)]

    def _tell(self, escape: str) -> None:
        self._console.file.write(escape)
        self._console.file.flush()


def _cut(row: Text, width: int) -> Text:
    row.truncate(max(width, 1), overflow="ellipsis")
    return row


def _spaced(blocks: Iterable[Text]) -> list[RenderableType]:
    found: list[RenderableType] = []
    for block in blocks:
        found += [Hanging(block), ""]
    return found
