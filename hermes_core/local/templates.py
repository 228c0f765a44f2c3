"""The user's own prompts: ``commands/NAME.md`` in the folder of our settings, typed as ``/NAME``.

Front matter may hold ``description`` and ``argument-hint``; the rest is the prompt. Nothing is
taken from a workspace, and no link is followed.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from hermes_core.ground.errors import ConfigError, ToolError
from hermes_core.local.files import LocalFiles
from hermes_core.local.skills import body_of, front_matter

FOLDER = "commands"
ENDING = ".md"
MOST = 200
LONGEST_FILE = 100_000
"""Files that are looked at, and bytes of one."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_HINTS = ("argument-hint", "argument_hint", "hint")
_SHORT = 120


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt of the user's own; ``hint``: what may follow its name."""

    name: str
    description: str
    hint: str
    body: str


@dataclass(frozen=True, slots=True)
class Broken:
    """A file that is no usable prompt, and why not."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Templates:
    """What there is, in the order of names."""

    usable: tuple[Template, ...] = ()
    broken: tuple[Broken, ...] = ()


Stamp = tuple[tuple[str, int, int], ...]
"""Names of files with what changes when they do."""


def stamp_of(home: Path) -> Stamp:
    """Return what differs once the files do; nothing is read but the folder."""
    found = []
    place = Path(os.path.realpath(home)) / FOLDER
    for name in _names(place):
        try:
            status = os.lstat(place / name)
        except OSError:
            continue
        found.append((name, status.st_mtime_ns, status.st_size))
    return tuple(found)


def read_templates(home: Path, taken: frozenset[str] = frozenset()) -> Templates:
    """Return the prompts; ``taken``: names of commands, which none may have. Never raises."""
    place = Path(os.path.realpath(home)) / FOLDER
    usable: list[Template] = []
    broken: list[Broken] = []
    for file in _names(place):
        name = file.removesuffix(ENDING)
        try:
            usable.append(_read(place / file, name, taken))
        except (ToolError, ConfigError) as error:
            broken.append(Broken(name, " ".join(str(error).split())))
    return Templates(tuple(usable), tuple(broken))


def _names(place: Path) -> list[str]:
    try:
        return sorted(name for name in os.listdir(place) if name.endswith(ENDING))[:MOST]
    except OSError:
        return []


def _read(path: Path, name: str, taken: frozenset[str]) -> Template:
    if not _NAME.fullmatch(name):
        raise ConfigError("a name has letters, digits, - and _ alone, and begins with one of both")
    if name.casefold() in taken:
        raise ConfigError(f"/{name} is a command of Hermes; give the file another name")
    data = LocalFiles().read(path)
    if len(data) > LONGEST_FILE:
        raise ConfigError(f"it has {len(data):,} bytes, and {LONGEST_FILE:,} is the limit")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigError("it is not UTF-8") from None
    told, body = front_matter(text), body_of(text).strip()
    if not body:
        raise ConfigError("it holds no prompt")
    description = _line(told.get("description")) or _line(body.partition("\n")[0].lstrip("# "))
    hint = next((_line(told[key]) for key in _HINTS if told.get(key)), "")
    return Template(name, description, hint, body)


def _line(value: object) -> str:
    if isinstance(value, list):  # argument-hint: [file] is a list for YAML
        value = f"[{', '.join(map(str, value))}]"
    line = " ".join(str(value or "").split())
    return line if len(line) <= _SHORT else line[: _SHORT - 1] + "…"
