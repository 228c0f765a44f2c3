"""How text lies on the terminal: cropped, trimmed, hanging, or marked at the left."""

import re

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.text import Text

_GUTTER = re.compile(r" *(?:\d+ [ +-] )?")


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
    """Drops what only fills up: spaces at the ends of lines, which would wrap when the terminal
    gets narrower, and empty lines around the whole.
    """

    def __init__(self, held: RenderableType) -> None:
        self._held = held

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines without what fills them up."""
        lines = [_trim(line) for line in console.render_lines(self._held, options, pad=False)]
        first = next((i for i, line in enumerate(lines) if line), len(lines))
        while lines and not lines[-1]:
            lines.pop()
        for line in lines[first:]:
            yield from line
            yield Segment.line()


class Hanging:
    """Wraps each line of a text so that its rest stands below its beginning, past the gutter."""

    def __init__(self, text: Text) -> None:
        self._text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the wrapped lines."""
        for line in self._text.split("\n", allow_blank=True):
            gutter = _GUTTER.match(line.plain)
            indent = min(gutter.end() if gutter else 0, options.max_width // 2)
            if indent == 0 or line.cell_len <= options.max_width:
                yield line
                continue
            head, rest = line.divide([indent])
            for wrapped in rest.wrap(console, options.max_width - indent, overflow="fold"):
                wrapped.rstrip()
                yield head + wrapped
                head = Text(" " * indent)


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


def _trim(line: list[Segment]) -> list[Segment]:
    while line and not line[-1].text.strip():
        line.pop()
    if line:
        last = line.pop()
        line.append(Segment(last.text.rstrip(), last.style))
    return line
