"""A search through a folder for where ripgrep is not installed: same files, same order, same form.

This file is run as a program of its own, so that a pattern that never comes to an end can be
ended. It imports nothing of ours, reads its order as one JSON argument
``{"root", "pattern" or null for names only, "names", "ignore_case", "limit"}``, and writes what
``rg --json`` would (of names only what ``rg --files --null`` would). Exit 2: the pattern is wrong.
"""

import base64
import fnmatch
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from typing import Any

MAX_FILE = 10 * 1024 * 1024
"""Bytes of the largest file that is searched."""

Rule = tuple[str, Any]
"""A line of an ignore file, and the pattern that was made of it."""

Rules = list[tuple[str, list[Rule]]]
"""The ignore files that count in a folder, outermost first: their folder and its rules."""


def in_repository(root: str) -> bool:
    """Return whether ``root`` lies in a git repository, or is one."""
    folder = root
    while not os.path.lexists(os.path.join(folder, ".git")):
        folder, last = os.path.dirname(folder), folder
        if folder == last:
            return False
    return True


def walk(root: str) -> Iterator[tuple[str, str]]:
    """Yield the files to search, as (path, path relative to root), sorted as ripgrep sorts.

    Skipped are ``.git``, what ignore files exclude, links, and everything that is no file. In a
    repository its ignore files above ``root`` count as well, and none across its border.
    """
    if not os.path.isdir(root):
        yield root, os.path.basename(root)
        return
    bordered = in_repository(root)
    yield from _walk(root, "", _outer_rules(root) if bordered else [], bordered)


def _walk(folder: str, relative: str, rules: Rules, bordered: bool) -> Iterator[tuple[str, str]]:
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: os.fsencode(entry.name))
    except OSError:
        return
    if bordered and any(entry.name == ".git" for entry in entries):
        rules = []
    own = _rules(folder)
    rules = [*rules, (folder, own)] if own else rules
    for entry in entries:
        is_folder = _is(entry.is_dir)
        if entry.name == ".git" or not (is_folder or _is(entry.is_file)):
            continue
        if _ignored(entry.path, is_folder, rules):
            continue
        path = f"{relative}{entry.name}"
        if is_folder:
            yield from _walk(entry.path, f"{path}/", rules, bordered)
        else:
            yield entry.path, path


def _is(test: Callable[..., bool]) -> bool:
    try:
        return test(follow_symlinks=False)
    except OSError:
        return False


def _ignored(path: str, is_folder: bool, rules: Rules) -> bool:
    """Return what the last pattern that matches says, the innermost ignore file first."""
    for folder, patterns in reversed(rules):
        relative = path[len(folder.rstrip("/")) + 1 :] + ("/" if is_folder else "")
        for _, pattern in reversed(patterns):
            if pattern.match_file(relative) is not None:
                return bool(pattern.include)
    return False


def _outer_rules(root: str) -> Rules:
    """Return the rules of the folders above ``root``, up to that of its repository.

    A rule that excludes ``root`` itself does not count: whoever names a folder wants to look
    into it. One that excludes every name still does, as it speaks of what is inside.
    """
    rules: Rules = []
    folder = root
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        relative = os.path.relpath(root, above) + "/"
        rules.insert(0, (above, [rule for rule in _rules(above) if not _is_about(rule, relative)]))
        folder = above
    return rules


def _is_about(rule: Rule, relative: str) -> bool:
    line, pattern = rule
    every_name = not set(line.strip()) - set("*/")
    return not every_name and pattern.match_file(relative) is not None


def _rules(folder: str) -> list[Rule]:
    """Return the rules of a folder's ignore file; lines that are none are skipped."""
    try:
        with open(os.path.join(folder, ".gitignore"), encoding="utf-8", errors="replace") as file:
            lines = file.read(MAX_FILE).removeprefix("\ufeff").splitlines()
    except OSError:
        return []
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    rules: list[Rule] = []
    for line in lines:
        try:
            pattern = GitIgnoreSpecPattern(line)
        except (ValueError, re.error):
            continue
        if pattern.include is not None:
            rules.append((line, pattern))
    return rules


def search(
    order: dict[str, Any], write: Callable[[str], object], flush: Callable[[], object]
) -> None:
    """Write every match, file by file; raise ``re.error`` if the pattern is wrong."""
    pattern = re.compile(order["pattern"], re.IGNORECASE if order["ignore_case"] else 0)
    names = [re.compile(fnmatch.translate(name)) for name in order["names"]]
    names = names if os.path.isdir(order["root"]) else []
    left = order["limit"]
    for path, relative in walk(order["root"]):
        base = os.path.basename(relative)
        if names and not any(name.match(base) for name in names):
            continue
        for record in _matches(path, relative, pattern, left):
            left -= record["type"] == "match"
            write(json.dumps(record) + "\n")
            if record["type"] == "end":
                flush()
        if left <= 0:
            return


def _matches(
    path: str, relative: str, pattern: re.Pattern[str], limit: int
) -> Iterator[dict[str, Any]]:
    count = 0
    for number, line in enumerate(_lines(path), 1):
        found = pattern.search(line)
        if found is None:
            continue
        start = len(_bytes(line[: found.start()]))
        end = start + len(_bytes(found[0]))
        data = {"path": _text(relative), "lines": _text(f"{line}\n"), "line_number": number}
        yield {"type": "match", "data": {**data, "submatches": [{"start": start, "end": end}]}}
        count += 1
        if count == limit:
            break
    if count:
        yield {"type": "end", "data": {"path": _text(relative), "binary_offset": None}}


def _lines(path: str) -> list[str]:
    """Return the lines of a text file without their ends; none of a binary or overlarge one."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        with open(file, "rb") as stream:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE:
                return []
            data = stream.read()
    except OSError:
        return []
    if not data or b"\0" in data:
        return []
    text = data.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _text(text: str) -> dict[str, str]:
    data = _bytes(text)
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"bytes": base64.b64encode(data).decode()}


def main(argument: str) -> int:
    """Carry out one order; return the exit code."""
    order, out = json.loads(argument), sys.stdout.buffer
    if order["pattern"] is None:
        for _, relative in walk(order["root"]):
            out.write(_bytes(f"{relative}\0"))
        return 0
    try:
        search(order, lambda text: out.write(_bytes(text)), out.flush)
    except (re.error, RecursionError, OverflowError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
