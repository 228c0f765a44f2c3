"""``memory``: what is kept for later sessions, for its owner to read and to change."""

from collections.abc import Iterator
from pathlib import Path

from hermes_core.ground.errors import HermesError, ToolError
from hermes_core.ground.injection import kinds_of, scan
from hermes_core.ground.typed import whole_number
from hermes_core.local.config import Config
from hermes_core.sessions.memory import FILES, Change, MemoryFile, parse, targets_of
from hermes_core.tools.visible import many_lines

USAGE = "`list`, `add TEXT`, `add --user TEXT` and `forget NUMBER`"
LATER = "New sessions are told; those that are open go on with what they began with."


def run_memory(config: Config, argument: str) -> str:
    """Run ``memory ARGUMENT`` and return what to say. Raises ``HermesError``."""
    verb, _, rest = argument.strip().partition(" ")
    rest = rest.strip()
    match verb:
        case "" | "list" | "ls":
            return memory_text(config)
        case "add" if rest.split()[:1] == ["--user"] and rest != "--user":
            return add_entry(config.home, rest.removeprefix("--user"), user=True)
        case "add" if rest and rest != "--user":
            return add_entry(config.home, rest)
        case "forget" | "remove" | "rm" if (number := whole_number(rest)) is not None:
            return forget_entry(config.home, number)
        case _:
            raise HermesError(f"That is not understood. There are: {USAGE}.")


def memory_text(config: Config) -> str:
    """Return both files as Markdown: every entry with its number, how full each file is."""
    number = 1
    parts: list[str] = []
    for target in FILES:
        file = MemoryFile(config.home, target)
        off = "" if target in targets_of(config) else ", switched off"
        try:
            entries = file.entries()
        except ToolError as error:
            parts.append(f"**{file.name}**{off}: {error}")
            continue
        lines = [f"**{file.name}** ({file.usage(entries)}{off})", ""]
        lines += [_line(n, entry) for n, entry in enumerate(entries, number)] or ["Nothing yet."]
        number += len(entries)
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def add_entry(home: Path, text: str, *, user: bool = False) -> str:
    """Remember ``text``; return what to say. Raises ``ToolError``."""
    file = MemoryFile(home, "user" if user else "memory")
    diff = file.change([Change("add", text)])
    if diff.new == diff.old:
        return f"{file.name} says so already."
    return f"Remembered in {file.name} ({file.usage(parse(diff.new))}). {LATER}"


def forget_entry(home: Path, number: int) -> str:
    """Forget the entry that ``memory_text`` shows with ``number``. Raises ``HermesError``."""
    for at, (file, entry) in enumerate(_entries(home), 1):
        if at == number:
            file.change([Change("remove", old=entry)])
            return f"Forgotten: {many_lines(entry)}\n\n{LATER}"
    raise HermesError(f"There is no entry {number}. `memory` lists them with their numbers.")


def _entries(home: Path) -> Iterator[tuple[MemoryFile, str]]:
    for target in FILES:
        file = MemoryFile(home, target)
        try:
            entries = file.entries()
        except ToolError:
            continue
        yield from ((file, entry) for entry in entries)


def _line(number: int, entry: str) -> str:
    hits = scan(entry, strict=True)
    note = f" **(not told to the model: {kinds_of(hits)})**" if hits else ""
    text = many_lines(entry).replace("\n", "\n   ")
    return f"{number}. {text}{note}"
