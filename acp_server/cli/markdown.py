"""Markdown as the model writes it: quiet on the terminal, and cut where it can no longer change."""

import itertools
from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.syntax import Syntax
from rich.text import Text

LONGEST = 50_000
"""Characters of one block that are kept live."""


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
    """Return the Markdown blocks of ``text`` that no later text can change, and the rest.

    A block that is longer than ``LONGEST`` is cut all the same, so that the cost stays bounded.
    """
    blocks: list[str] = []
    while len(text) > LONGEST:
        cut = text.rfind("\n", 0, LONGEST) + 1 or LONGEST
        blocks.append(text[:cut])
        text = text[cut:]
    tokens = Markdown(text).parsed
    starts = [t.map[0] for t in tokens if t.level == 0 and t.map and t.nesting >= 0]
    if len(starts) < 2:
        return blocks, text
    lines = text.split("\n")
    blocks += ["\n".join(lines[first:last]) for first, last in itertools.pairwise(starts)]
    return blocks, "\n".join(lines[starts[-1] :])


def split_paragraphs(text: str) -> tuple[list[str], str]:
    """Return the finished paragraphs of plain ``text``, and the rest."""
    *done, rest = text.split("\n\n")
    return [part.strip("\n") for part in done if part.strip()], rest.lstrip("\n")


def last_lines(text: str, limit: int) -> str:
    """Return the end of a long block of Markdown; of a code block with its opening line."""
    lines = text[-limit * 500 :].split("\n")
    if len(lines) <= limit:
        return "\n".join(lines)
    first = text.split("\n", 1)[:1] if text.startswith(("```", "~~~")) else []
    return "\n".join([*first, *lines[-limit:]])
