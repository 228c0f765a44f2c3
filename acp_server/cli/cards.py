"""What a tool call looks like: pure functions from the protocol's objects to styled text.

Everything foreign passes through ``printable``, so the plain form of each text is safe too.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.text import Text

from acp_server.cli.diffs import Line, lines_of
from acp_server.cli.printable import visible, visible_line

ICONS = {
    "read": "◇",
    "edit": "✎",
    "delete": "⌫",
    "move": "⇢",
    "search": "⌕",
    "execute": "$",
    "think": "∴",
    "fetch": "⇣",
    "switch_mode": "⇄",
}
MARKS = {"completed": ("✓", "green"), "failed": ("✗ failed", "red")}
STEPS = {"completed": ("✓", "green"), "in_progress": ("▸", "cyan"), "pending": ("○", "dim")}
QUIET_KINDS = ("read", "search")
DIFF_LINES = 40
OUTPUT_LINES = 12
LINE_WIDTH = 400
INDENT = "  "

_FENCED = re.compile(r"\s*(`{3,})[^\n`]*\n(.*?)\n?\1\s*", re.DOTALL)


@dataclass(slots=True)
class Card:
    """A tool call as far as it is known.

    ``shown`` are contents that stood in its question; ``rejected`` tells how that was answered.
    """

    title: str = ""
    kind: str = "other"
    status: str = "pending"
    content: list[dict[str, Any]] = field(default_factory=list)
    output: Any = None
    shown: list[dict[str, Any]] = field(default_factory=list)
    rejected: bool = False

    def merge(self, update: dict[str, Any]) -> None:
        """Take over what ``update`` names; what it leaves out, or gives as null, stays."""
        for name in ("title", "kind", "status"):
            if isinstance(update.get(name), str):
                setattr(self, name, update[name])
        if isinstance(update.get("content"), list):
            self.content = [part for part in update["content"] if isinstance(part, dict)]
        if update.get("rawOutput") is not None:
            self.output = update["rawOutput"]

    @property
    def ended(self) -> bool:
        """Whether the call has come to its end."""
        return self.status in MARKS


def heading(card: Card) -> Text:
    """Return the card's one line: icon, title, and how it ended."""
    mark, style = MARKS.get(card.status, ("", ""))
    icon = ICONS.get(card.kind, "•")
    text = Text.assemble((icon, style or "cyan"), " ", (visible_line(card.title), "bold"))
    if mark:
        text.append(f"  {mark}", style)
    return text


def body(card: Card, root: Path) -> list[Text]:
    """Return what an ended card shows below its heading, bounded."""
    failed = card.status == "failed"
    if card.kind in QUIET_KINDS and not failed:
        return []
    parts = [part for part in card.content if part not in card.shown]
    blocks = [_part(part, card, root, bounded=True) for part in parts]
    blocks = [block for block in blocks if block.plain]
    if not blocks and failed and isinstance(card.output, str):
        blocks = [output(card.output)]
    return blocks


def question(card: Card, root: Path) -> Text:
    """Return a permission question: the title and the content, whole."""
    icon = ICONS.get(card.kind, "•")
    title = visible_line(card.title)
    blocks = [Text.assemble((f"{icon} {title}", "bold yellow"))]
    parts = [_part(part, card, root, bounded=False) for part in card.content]
    return Text("\n").join([*blocks, *(part for part in parts if part.plain)])


def _part(part: dict[str, Any], card: Card, root: Path, *, bounded: bool) -> Text:
    if part.get("type") == "diff":
        old = part.get("oldText")
        new = part.get("newText")
        return diff(
            str(part.get("path", "")),
            old if isinstance(old, str) else None,
            new if isinstance(new, str) else "",
            root,
            limit=DIFF_LINES if bounded else None,
        )
    return output(_news(part, card), limit=OUTPUT_LINES if bounded else None)


def _news(part: dict[str, Any], card: Card) -> str:
    """Return the words of a content part: no fence, no first line that repeats the title."""
    text = text_of(part.get("content"))
    fenced = _FENCED.fullmatch(text)
    if fenced:
        text = fenced.group(2)
    first, _, rest = text.partition("\n")
    return rest if first.removeprefix("$ ") == card.title else text


def text_of(block: Any) -> str:
    """Return the words of a content block; of one that is no text, what it is."""
    if not isinstance(block, dict):
        return ""
    kind = block.get("type")
    if kind == "text":
        return str(block.get("text", ""))
    if kind == "resource_link":
        return str(block.get("uri", ""))
    return f"[{kind}]" if kind else ""


def diff(path: str, old: str | None, new: str, root: Path, *, limit: int | None) -> Text:
    """Return a coloured diff with line numbers, at most ``limit`` lines of it."""
    lines = lines_of(old, new)
    added = sum(line.mark == "+" for line in lines)
    removed = sum(line.mark == "-" for line in lines)
    name = visible_line(relative(path, root))
    text = Text.assemble(
        (f"{INDENT}{name}", ""),
        (" (new)" if old is None else "", "dim"),
        (f" +{added}", "green"),
        (f" -{removed}", "red"),
    )
    kept = lines if limit is None else lines[:limit]
    width = len(str(max((line.number for line in kept), default=0)))
    for line in kept:
        text.append("\n")
        text.append(_diff_line(line, width, cut=limit is not None))
    if len(lines) > len(kept):
        text.append(f"\n{INDENT}… {_count(len(lines) - len(kept), 'more line')}", "dim")
    return text


def _diff_line(line: Line, width: int, *, cut: bool) -> Text:
    if line.mark == "~":
        return Text(f"{INDENT}{'⋮':>{width}}", "dim")
    words = _shorten(line.text) if cut else line.text
    style = {"+": "green", "-": "red"}.get(line.mark, "")
    row = f"{line.mark} {words}".rstrip()
    return Text.assemble((f"{INDENT}{line.number:>{width}} ", "dim"), (row, style))


def output(text: str, *, limit: int | None = OUTPUT_LINES) -> Text:
    """Return text, dim and indented: its last ``limit`` lines."""
    lines = visible(text).expandtabs(4).strip("\n").split("\n")
    shown = Text(style="dim")
    if limit is not None and len(lines) > limit:
        shown.append(f"{INDENT}… {_count(len(lines) - limit, 'line')} above\n")
        lines = lines[-limit:]
    if limit is not None:
        lines = [_shorten(line) for line in lines]
    if lines != [""]:
        shown.append("\n".join(f"{INDENT}{line}".rstrip() for line in lines))
    return shown


def running(card: Card) -> Text:
    """Return a card that is still at work, for the live part: its heading and last words."""
    text = heading(card)
    said = "\n".join(filter(None, (_news(part, card) for part in card.content)))
    if card.kind not in QUIET_KINDS and said and not _has_diff(card):
        last = output(said, limit=5)
        if last.plain:
            text = Text("\n").join([text, last])
    return text


def _has_diff(card: Card) -> bool:
    return any(part.get("type") == "diff" for part in card.content)


def checklist(entries: Sequence[dict[str, Any]]) -> Text:
    """Return the plan, a line an entry."""
    rows = []
    for entry in entries:
        status = str(entry.get("status"))
        mark, style = STEPS.get(status, STEPS["pending"])
        words = "" if status == "in_progress" else "dim"
        content = visible_line(str(entry.get("content", "")))
        rows.append(Text.assemble((mark, style), " ", (content, words)))
    return Text("\n").join(rows)


def closing(used: int | None, size: int | None, seconds: float) -> Text:
    """Return the line that ends a turn: what stands in the context, and how long it took."""
    parts = [f"{seconds:.1f} s"]
    if used is not None and size:
        parts.insert(0, f"{_tokens(used)} of {_tokens(size)} tokens")
    return Text(" · ".join(parts), "dim")


def relative(path: str, root: Path) -> str:
    """Return ``path`` as seen from ``root``, or as it is when it lies elsewhere."""
    try:
        return str(Path(path).relative_to(root))
    except ValueError:
        return path


def _shorten(line: str) -> str:
    return line if len(line) <= LINE_WIDTH else f"{line[:LINE_WIDTH]}…"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _tokens(number: int) -> str:
    return str(number) if number < 1000 else f"{number / 1000:.1f}k".replace(".0k", "k")
