"""The paper of a terminal: finished blocks are printed, only the last one and what runs is live."""

import itertools
import time
from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.segment import Segment
from rich.syntax import Syntax
from rich.text import Text

from acp_server.cli.paper import VOICES, Voice, group_of

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
FRAME_SECONDS = 0.1


class QuietHeading(Heading):
    """A heading that stays on the left."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the heading's text."""
        del console, options
        yield Text.assemble(self.text, style="bold", justify="left")


class QuietCode(CodeBlock):
    """A code block in the terminal's own colours, indented."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the highlighted code."""
        del console, options
        yield Syntax(
            str(self.text).rstrip(),
            self.lexer_name,
            theme="ansi_dark",
            word_wrap=True,
            padding=(0, 2),
            background_color="default",
        )


class Answer(Markdown):
    """Markdown as the model writes it. Links are written out, so that none can hide its target."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": QuietHeading,
        "fence": QuietCode,
        "code_block": QuietCode,
    }

    def __init__(self, text: str) -> None:
        super().__init__(text, hyperlinks=False, code_theme="ansi_dark")


def split_finished(text: str) -> tuple[list[str], str]:
    """Return the Markdown blocks of ``text`` that no later text can change, and the rest."""
    tokens = Markdown(text).parsed
    starts = [t.map[0] for t in tokens if t.level == 0 and t.map and t.nesting >= 0]
    if len(starts) < 2:
        return [], text
    lines = text.split("\n")
    blocks = ["\n".join(lines[first:last]) for first, last in itertools.pairwise(starts)]
    return blocks, "\n".join(lines[starts[-1] :])


def split_paragraphs(text: str) -> tuple[list[str], str]:
    """Return the finished paragraphs of plain ``text``, and the rest."""
    *done, rest = text.split("\n\n")
    return [part.strip("\n") for part in done if part.strip()], rest.lstrip("\n")


def last_lines(text: str, limit: int) -> str:
    """Return the end of a long block of Markdown; of a code block with its opening line."""
    lines = text.split("\n")
    if len(lines) <= limit:
        return text
    first = lines[:1] if lines[0].startswith(("```", "~~~")) else []
    return "\n".join([*first, *lines[-limit:]])


class Tail:
    """Shows only the last lines of what it holds, so that the live part fits the screen."""

    def __init__(self, held: RenderableType, limit: int) -> None:
        self._held = held
        self._limit = max(limit, 1)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the last lines."""
        lines = console.render_lines(self._held, options, pad=False)
        for line in lines[-self._limit :]:
            yield from line
            yield Segment.line()


class Trimmed:
    """Drops the spaces that fill up lines: they would wrap when the terminal gets narrower."""

    def __init__(self, held: RenderableType) -> None:
        self._held = held

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines without what fills them up."""
        for line in console.render_lines(self._held, options, pad=False):
            while line and not line[-1].text.strip():
                line.pop()
            if line:
                last = line.pop()
                line.append(Segment(last.text.rstrip(), last.style))
            yield from line
            yield Segment.line()


class Marked:
    """Puts a mark before every line of what it holds, wrapped lines included."""

    def __init__(self, held: RenderableType, mark: str, style: str) -> None:
        self._held = held
        self._mark = mark
        self._style = style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the marked lines."""
        style = console.get_style(self._style)
        inner = options.update_width(max(options.max_width - len(self._mark), 1))
        for line in console.render_lines(self._held, inner, style=style, pad=False):
            yield Segment(self._mark, style)
            yield from line
            yield Segment.line()


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
        self._footer: Text | None = None

    def __rich__(self) -> RenderableType:
        """Return the live part as it is now."""
        return Text("") if self._live is None else self._region()

    def begin(self) -> None:
        """Start the live part."""
        self._began = time.monotonic()
        self._footer = None
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

    def footer(self, text: Text | None) -> None:
        """Show only ``text`` in the live part; None brings back what is going on."""
        self._footer = text
        if self._live is not None:
            self._live.refresh()

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
        if self._voice is not None and self._text.strip():
            self._print(self._styled(self._voice, self._text), group_of(self._voice))
        self._text = ""
        self._voice = None

    def block(self, text: Text, group: str = "") -> None:
        """Print a finished block."""
        self.close()
        self._print(text, group)

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
            return Tail(self._footer, height)
        parts: list[RenderableType] = []
        if self._voice is not None and self._text.strip():
            parts += [self._styled(self._voice, last_lines(self._text, 2 * height)), ""]
        parts += _spaced(self._status)
        parts.append(self._working())
        if self._group is not None:
            parts.insert(0, "")
        return Tail(Group(*parts), height)

    def _working(self) -> Text:
        seconds = time.monotonic() - self._began
        frame = FRAMES[int(seconds / FRAME_SECONDS) % len(FRAMES)]
        return Text.assemble((frame, "cyan"), (f" {seconds:.0f} s · Ctrl-C stops", "dim"))


def _spaced(blocks: Iterable[Text]) -> list[RenderableType]:
    found: list[RenderableType] = []
    for block in blocks:
        found += [block, ""]
    return found
