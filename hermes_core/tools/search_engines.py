"""The two programs that search, how they are called, and what their answers mean.

ripgrep is called so that it does what ``search_walk`` does: ignore files of the tree alone count,
hidden files are searched, links are not followed, results come in the order of their paths.
"""

import base64
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_core.tools import search_walk
from hermes_core.tools.lines import decode, readable

_WIDTH = 300
_BEFORE = 100
"""Characters of a line that are shown, and of those how many before its match."""


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for. ``pattern`` None lists the files; ``names`` are globs of file names.

    limit: matches after which an engine may stop.
    """

    root: Path
    pattern: str | None
    names: tuple[str, ...] = ()
    ignore_case: bool = False
    limit: int = 100


@dataclass(frozen=True, slots=True)
class Hit:
    """One line that matches, shortened; ``path`` is relative to the root of the search."""

    path: str
    line: int
    text: str


def ripgrep_command(program: str, query: Query) -> list[str]:
    """Return the call of ripgrep, to be made in the root, or the folder of a root that is a file.

    The place is named ``./...`` so that no file name is taken for an option.
    """
    place = "./" if query.root.is_dir() else f"./{query.root.name}"
    command = [
        *(program, "--no-config", "--no-messages", "--hidden", "--glob", "!.git", "--sort", "path"),
        *("--no-ignore-dot", "--no-ignore-exclude", "--no-ignore-global"),
    ]
    if not search_walk.in_repository(str(query.root)):
        command += ["--no-require-git", "--no-ignore-parent"]
    if query.pattern is None:
        return [*command, "--files", "--null", place]
    for name in query.names:
        command += ["--type-add", f"wanted:{name}"]
    if query.names:
        command += ["--type", "wanted"]
    command += ["--ignore-case" if query.ignore_case else "--case-sensitive"]
    command += ["--max-filesize", str(search_walk.MAX_FILE), "--max-count", str(query.limit)]
    return [*command, "--crlf", "--encoding", "none", "--json", "--regexp", query.pattern, place]


def walk_command(query: Query) -> list[str]:
    """Return the call of our own search."""
    order = {
        "root": str(query.root),
        "pattern": query.pattern,
        "names": query.names,
        "ignore_case": query.ignore_case,
        "limit": query.limit,
    }
    return [sys.executable, "-I", str(search_walk.__file__), json.dumps(order)]


def parse_files(output: bytes) -> Iterator[str]:
    """Yield the paths of a list of files; a last one that was cut off is left out."""
    for path in output.split(b"\0")[:-1]:
        yield _path(path)


def parse_hits(output: bytes) -> Iterator[Hit]:
    """Yield the matches in the order in which they came; files found to be binary are left out."""
    waiting: list[Hit] = []
    for line in output.split(b"\n"):
        record = _record(line)
        if record.get("type") == "match":
            waiting.append(_hit(record["data"]))
        elif record.get("type") == "end":
            if record["data"].get("binary_offset") is None:
                yield from waiting
            waiting = []
    yield from waiting


def shorten(line: str, start: int) -> str:
    """Return the part of a line around its match, at character ``start``, with marks of the cut."""
    if len(line) <= _WIDTH:
        return line
    first = max(0, min(start - _BEFORE, len(line) - _WIDTH))
    last = first + _WIDTH
    return ("…" if first else "") + line[first:last] + ("…" if last < len(line) else "")


def _record(line: bytes) -> dict[str, Any]:
    """Return one record; nothing for the last line of an answer that was cut off."""
    try:
        record: dict[str, Any] = json.loads(line) if line else {}
    except ValueError:
        return {}
    return record


def _hit(data: dict[str, Any]) -> Hit:
    line = _bytes(data["lines"])
    places: Sequence[dict[str, Any]] = data.get("submatches") or [{"start": 0}]
    start = len(readable(decode(line[: places[0]["start"]])))
    text = readable(decode(line)).rstrip("\r\n")
    return Hit(_path(_bytes(data["path"])), data.get("line_number") or 0, shorten(text, start))


def _bytes(value: dict[str, str]) -> bytes:
    if "bytes" in value:
        return base64.b64decode(value["bytes"])
    return value["text"].encode()


def _path(path: bytes) -> str:
    return decode(path).removeprefix("./")
