"""The tool that searches files: for lines by a regular expression, or for names by a glob."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from hermes_core.ground.content import Location
from hermes_core.ground.errors import ToolError
from hermes_core.local.processes import Captured, capture, child_environment, find_program
from hermes_core.tools.globs import Filter, base_names, name_filter, path_filter
from hermes_core.tools.registry import Output, Prepared, Progress, ToolContext, tool
from hermes_core.tools.search_engines import (
    Query,
    parse_files,
    parse_hits,
    ripgrep_command,
    walk_command,
)
from hermes_core.tools.targets import missing, read_action, shown
from hermes_core.tools.visible import one_line

TIME_LIMIT = 10.0
"""Seconds after which a search is ended, with what it has found."""

MAX_LIMIT = 1_000
MAX_TOTAL = 50_000
"""Results, and characters of them, that one call returns at most."""

MAX_PLACES = 10
"""Results whose places the editor is told."""

_MAX_OUTPUT = 4_000_000
_MAX_TO_SIFT = 16_000_000
"""Bytes that an engine may write, and that it may write for a glob that sifts afterwards."""

_EVERYTHING = 1_000_000

T = TypeVar("T")
R = TypeVar("R")

_LINE_BREAK = re.compile(r"\n|(?<!\\)(?:\\\\)*\\n")


@dataclass(frozen=True, slots=True)
class _Request:
    pattern: str
    root: Path
    glob: str | None
    mode: Literal["content", "files"]
    ignore_case: bool
    limit: int


@tool(kind="search", together="always")
def search_files(
    ctx: ToolContext,
    pattern: Annotated[str, "content: a regular expression; files: a glob or a part of the path"],
    *,
    path: Annotated[str, "Folder or file to search"] = ".",
    glob: Annotated[str | None, "Only files like this: *.py, src/**/*.ts, !*.min.js"] = None,
    mode: Annotated[Literal["content", "files"], "Search lines, or list files"] = "content",
    ignore_case: bool = False,
    limit: Annotated[int, "Most results"] = 100,
) -> Prepared:
    """Search file contents (results are path:line:text) or list files by name. Faster and safer
    than grep or find in the terminal. Files that .gitignore excludes are skipped, and contents of
    files that may hold secrets, unless path names them.
    """
    if not pattern:
        raise ToolError("search_files: the pattern is empty. To list all files: mode files, *.")
    if mode == "content" and _LINE_BREAK.search(pattern):
        raise ToolError("search_files: each line is searched alone; leave \\n out of the pattern.")
    root = ctx.workspace.resolve(path)
    count = max(1, min(limit, MAX_LIMIT))
    request = _Request(pattern, root, glob, mode, ignore_case, count)

    def run(_: Progress) -> Output:
        if ctx.workspace.resolve(path) != root:
            raise ToolError(f"{shown(ctx, root)} is no longer where the path leads.")
        if not root.exists():
            raise missing(ctx, root)
        return _search(ctx, request)

    return Prepared(_title(ctx, request), read_action(ctx, root), run)


def _title(ctx: ToolContext, request: _Request) -> str:
    verb = "Search for" if request.mode == "content" else "Find files"
    files = f" ({one_line(request.glob)})" if request.glob else ""
    return f"{verb} {one_line(request.pattern)} in {shown(ctx, request.root)}{files}"


def _search(ctx: ToolContext, request: _Request) -> Output:
    names = _checked(base_names, request.glob)
    is_content = request.mode == "content"
    query = Query(
        root=request.root,
        pattern=request.pattern if is_content else None,
        names=names,
        ignore_case=request.ignore_case,
        # A glob about paths sifts afterwards, so that the engine cannot know when to stop.
        limit=request.limit + 1 if is_content and (names or not request.glob) else _EVERYTHING,
    )
    wanted = _wanted(ctx, request)
    answer = _ask(ctx, query)
    found = list(islice(_results(ctx, request, wanted, answer.stdout), request.limit + 1))
    text = _report(ctx, request, [line for line, _ in found], answer)
    return Output(text, locations=tuple(place for _, place in found[:MAX_PLACES]))


def _results(
    ctx: ToolContext, request: _Request, wanted: Filter, output: bytes
) -> Iterator[tuple[str, Location]]:
    """Return the results as the model reads them, each with its place for the editor."""
    base = _base(request.root)

    def name(path: str) -> str:
        return shown(ctx, base / path)

    if request.mode == "content":
        # Nothing tells that there were hits in such a file: that alone would give it away, bit by
        # bit. What the path of the search itself names was asked for.
        hides = (lambda _: False) if ctx.is_secret(request.root) else ctx.is_secret
        hits = (
            hit for hit in parse_hits(output) if wanted(hit.path) and not hides(base / hit.path)
        )
        return (
            (f"{name(hit.path)}:{hit.line}:{hit.text}", Location(str(base / hit.path), hit.line))
            for hit in hits
        )
    named = _either(ctx, base, _named(request))
    found = (path for path in parse_files(output) if wanted(path) and named(path))
    return ((name(path), Location(str(base / path))) for path in found)


def _wanted(ctx: ToolContext, request: _Request) -> Filter:
    """Return the filter of the glob; a file that is named as the root is always wanted."""
    if not request.glob or request.root.is_file():
        return lambda _: True
    return _either(ctx, request.root, _checked(path_filter, request.glob))


def _named(request: _Request) -> Filter:
    if not request.ignore_case:
        return _checked(name_filter, request.pattern)
    lower = _checked(name_filter, request.pattern.lower())
    return lambda path: lower(path.lower())


def _either(ctx: ToolContext, base: Path, test: Filter) -> Filter:
    """Apply a filter to a path as seen from the root of the search, or from the working folder."""
    return lambda path: test(path) or test(ctx.workspace.display(base / path))


def _checked(make: Callable[[T], R], glob: T) -> R:
    try:
        return make(glob)
    except (ValueError, re.error) as error:
        raise ToolError(f"search_files: not a glob: {error}.") from None


def _base(root: Path) -> Path:
    return root if root.is_dir() else root.parent


def _ask(ctx: ToolContext, query: Query) -> Captured:
    """Ask ripgrep if there is one, and our own search where it does not know the pattern."""
    env = child_environment(ctx.config)

    def run(command: list[str]) -> Captured:
        return capture(
            command,
            _base(query.root),
            env=env,
            timeout=TIME_LIMIT,
            max_bytes=_MAX_TO_SIFT if query.limit == _EVERYTHING else _MAX_OUTPUT,
            interrupt=ctx.interrupt,
        )

    program = find_program("rg", env.get("PATH", ""))
    # A program that lies in the workspace may have come with the repository: it is not run unasked.
    if program and not ctx.workspace.contains(Path(program)):
        answer = run(ripgrep_command(program, query))
        if answer.stdout or answer.exit_code in (0, 1, None):
            return answer
    answer = run(walk_command(query))
    if answer.exit_code in (0, None):
        return answer
    reason = answer.stderr.decode(errors="replace").strip().rpartition("\n")[2]
    if answer.exit_code == 2:
        raise ToolError(
            f"search_files: the pattern is not a regular expression: {reason}. "
            "Put \\ before ( ) [ ] { } . * + ? ^ $ | to search for the character itself."
        )
    raise ToolError(f"search_files: the search failed: {reason}")


def _report(ctx: ToolContext, request: _Request, lines: list[str], answer: Captured) -> str:
    notes = []
    chosen = _bounded(lines[: request.limit])
    if len(chosen) < len(lines):
        notes.append(f"[the first {len(chosen)} results; there are more, so narrow the search]")
    elif answer.truncated:
        notes.append("[incomplete: there was too much to sift; narrow path or glob]")
    if answer.timed_out:
        notes.append(f"[incomplete: ended after {TIME_LIMIT:.0f} s; narrow path or glob]")
    if chosen:
        return "\n".join([*chosen, *notes])
    where = shown(ctx, request.root) + (f" in files {request.glob}" if request.glob else "")
    what = "matches for" if request.mode == "content" else "files"
    return "\n".join([f"No {what} {request.pattern} in {where}", *notes])


def _bounded(lines: list[str]) -> list[str]:
    ends = accumulate(len(line) + 1 for line in lines)
    return [line for line, end in zip(lines, ends, strict=True) if end <= MAX_TOTAL]
