"""The user's skills: folders under ``skills`` in the folder of our settings, one a skill.

Each holds ``SKILL.md``: ``name`` and ``description`` in front matter, then how the task is done.
Further files may lie beside it. Nothing is taken from a workspace, and no link is followed.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_core.ground.errors import ConfigError, ToolError
from hermes_core.local.files import LocalFiles
from hermes_core.local.workspace import Workspace

FOLDER = "skills"
FILE_NAME = "SKILL.md"
MOST = 200
LONGEST_FILE = 100_000
"""Skills that are looked at, and bytes of a file that may be read."""

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,63}", re.ASCII)
_FRONT = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_LONGEST_FRONT = 20_000


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill; ``name`` is that of its folder."""

    name: str
    description: str
    folder: Path


def has_skills(home: Path) -> bool:
    """Return whether there is a skill, without reading one."""
    return any(True for _ in _folders(home))


def find_skills(home: Path) -> tuple[Skill, ...]:
    """Return the skills in the order of their names; one that cannot be read says why."""
    return tuple(Skill(folder.name, _description(folder), folder) for folder in _folders(home))


def read_skill(home: Path, name: str, file: str = FILE_NAME) -> str:
    """Return the text of a skill's file, its front matter included.

    Raises ``ToolError`` for a skill or file that there is not, or that lies elsewhere.
    """
    folder = next((one for one in _folders(home) if one.name == name), None)
    if folder is None:
        known = ", ".join(one.name for one in _folders(home)) or "none"
        raise ToolError(f"There is no skill {name[:80]!r}. There are: {known}.")
    real = Workspace(folder).resolve(file)
    if not real.is_relative_to(folder) or real != Path(os.path.normpath(folder / file)):
        raise ToolError(f"{file[:80]!r} does not lie in the folder of the skill {name}.")
    if not real.is_file():
        raise ToolError(f"The skill {name} has no file {file[:80]!r}. It has: {_listed(folder)}.")
    data = LocalFiles().read(real)
    if len(data) > LONGEST_FILE:
        raise ToolError(f"{file} of the skill {name} has {len(data):,} bytes, which is too much.")
    return data.decode("utf-8", "replace")


def _folders(home: Path) -> Iterator[Path]:
    place = Path(os.path.realpath(home)) / FOLDER
    try:
        names = sorted(os.listdir(place))
    except OSError:
        return
    folders = (place / name for name in names if _NAME.fullmatch(name))
    own = (one for one in folders if not one.is_symlink() and _is_file(one / FILE_NAME))
    for _, folder in zip(range(MOST), own, strict=False):
        yield folder


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _description(folder: Path) -> str:
    try:
        text = LocalFiles().read(folder / FILE_NAME).decode("utf-8", "replace")
        return " ".join(str(front_matter(text).get("description") or "").split())
    except (ToolError, ConfigError) as error:
        return f"(cannot be read: {error})"


def front_matter(text: str) -> dict[str, Any]:
    """Return the YAML between the lines ``---`` at the beginning of ``text``.

    Raises ``ConfigError`` if it is no mapping.
    """
    from hermes_core.local.yaml_file import parse_yaml

    found = _FRONT.match(text[:_LONGEST_FRONT])
    data = parse_yaml(found[1], "the front matter") if found else None
    if data is not None and not isinstance(data, dict):
        raise ConfigError("the front matter has no names and values")
    return data or {}


def body_of(text: str) -> str:
    """Return what stands behind the front matter of ``text``; all of it where there is none."""
    found = _FRONT.match(text[:_LONGEST_FRONT])
    return text[found.end() :] if found else text


def _listed(folder: Path) -> str:
    files = (Path(at) / name for at, _, names in os.walk(folder) for name in names)
    shown = sorted(str(path.relative_to(folder)) for path in files)
    return ", ".join(shown[:20])
