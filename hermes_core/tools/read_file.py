"""The tool that reads a text file, or a part of it.

The text is handed over as it stands in the file, without line numbers: what the model copies into
``patch`` is then what the file holds, nothing has to be taken off again, and no tokens go into
numbers (an eighth of typical code). Where a line stands is told by ``search_files`` and by the
note behind a part. Notes stand in brackets on lines of their own, after the text.
"""

from collections.abc import Iterator
from typing import Annotated

from hermes_core.ground.actions import NOTHING
from hermes_core.ground.content import Location
from hermes_core.ground.errors import ToolError
from hermes_core.tools.lines import BOM, MARK, decode, plain, readable
from hermes_core.tools.registry import Output, Prepared, Progress, ToolContext, tool
from hermes_core.tools.targets import current, missing, read_action, shown

MAX_LINES = 2_000
MAX_LINE = 2_000
MAX_TOTAL = 100_000
"""Lines, characters of a line and characters in all that one call returns at most."""

_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@tool(kind="read", together="always")
def read_file(
    ctx: ToolContext,
    path: Annotated[str, "File; relative paths start at the working folder"],
    offset: Annotated[int, "First line"] = 1,
    limit: Annotated[int, "Number of lines, at most 2000"] = MAX_LINES,
) -> Prepared:
    """Read a text file as it is, without line numbers. Long files come in parts: a note in
    brackets at the end says where to read on. To read a folder, use search_files.
    """
    target = ctx.workspace.resolve(path)
    if limit < 1:
        raise ToolError(f"read_file: limit must be at least 1, not {limit}.")
    first, count = max(offset, 1), min(limit, MAX_LINES)

    def run(_: Progress) -> Output:
        data = current(ctx, target)
        if data is None:
            raise missing(ctx, target)
        text = _part(shown(ctx, target), data, first, count)
        ctx.seen.record(target, data)
        return Output(text)

    return Prepared(
        _title(shown(ctx, target), first, count),
        NOTHING if ctx.seen.is_kept(target) else read_action(ctx, target),
        run,
        locations=(Location(str(target), first),),
    )


def _title(name: str, first: int, count: int) -> str:
    if count < MAX_LINES:
        return f"Read {name} (lines {first}-{first + count - 1})"
    return f"Read {name} (from line {first})" if first > 1 else f"Read {name}"


def _part(name: str, data: bytes, first: int, count: int) -> str:
    """Return the wanted lines with the notes that belong to them."""
    _require_text(name, data)
    if data in (b"", BOM.encode()):
        return f"[{name} is empty]"
    lines = readable(plain(decode(data))).removeprefix(BOM).split("\n")
    total = len(lines) - (lines[-1] == "")
    if first > total:
        raise ToolError(f"{name} has {total} lines; line {first} is past its end.")
    chosen = _bounded(lines[first - 1 : min(first - 1 + count, total)])
    return "\n".join([*chosen, *_notes(data, first, first - 1 + len(chosen), total)])


def _notes(data: bytes, first: int, last: int, total: int) -> Iterator[str]:
    """Tell which part it is, and what cannot be seen in it, but matters to a rewrite."""
    if first > 1 or last < total:
        more = f"; read on with offset={last + 1}" if last < total else ""
        yield f"[lines {first}-{last} of {total}{more}]"
    elif not data.strip():
        yield "[nothing but blanks]"
    if b"\r\n" in data:
        mixed = data.count(b"\n") != data.count(b"\r\n")
        yield "[line ends: mixed]" if mixed else "[line ends: CRLF]"
    if last == total and not data.endswith(b"\n"):
        yield "[no newline at the end of the file]"
    if not _is_utf8(data):
        yield f"[{MARK} stands for a byte that is not UTF-8; patch keeps such bytes]"


def _is_utf8(data: bytes) -> bool:
    text = decode(data)
    return readable(text) == text


def _bounded(lines: list[str]) -> list[str]:
    """Return the first of the lines that fit, at least one, with overlong ones cut."""
    chosen: list[str] = []
    room = MAX_TOTAL
    for line in lines:
        cut = len(line) - MAX_LINE
        shortened = line if cut <= 0 else f"{line[:MAX_LINE]}[line cut: {cut} more characters]"
        room -= len(shortened) + 1
        if room < 0 and chosen:
            break
        chosen.append(shortened)
    return chosen


def _require_text(name: str, data: bytes) -> None:
    if data.startswith(_UTF16):
        raise ToolError(f"{name} is UTF-16 text. Convert it with a command such as iconv.")
    if b"\0" in data:
        raise ToolError(f"{name} is a binary file of {len(data):,} bytes, not text.")
