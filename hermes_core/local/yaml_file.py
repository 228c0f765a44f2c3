"""Reading YAML with the line of every key: the only door to the YAML library."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_core.ground.errors import ConfigError

if TYPE_CHECKING:
    from yaml import Node

KeyPath = tuple[str, ...]

MAX_SIZE = 1_000_000
"""Bytes; a settings file that is larger was not written by a person, and takes long to read."""


@dataclass(frozen=True, slots=True)
class YamlFile:
    """A file's data, and where its keys stand.

    lines: key path -> line, counted from 1; repeated: keys that stand twice in one mapping, of
    which the last one counts.
    """

    data: Any
    lines: dict[KeyPath, int] = field(default_factory=dict)
    repeated: tuple[KeyPath, ...] = ()

    def line(self, path: KeyPath) -> int:
        """Return the line of ``path``, or of the nearest key above it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_yaml(path: Path) -> YamlFile:
    """Read one YAML file; a file without content has the data None.

    Raises ``FileNotFoundError`` if there is none, ``ConfigError`` with the line if it is not
    valid YAML in UTF-8, and ``OSError`` if it cannot be read.
    """
    import yaml

    text = read_text(path)
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        node = loader.get_single_node()
        data = None if node is None else loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 1 if mark is None else mark.line + 1
        raise _invalid(path, line, error.problem or "broken") from None
    except yaml.reader.ReaderError as error:
        character = chr(error.character)
        line = text.count("\n", 0, text.find(character)) + 1
        raise _invalid(path, line, f"the character {character!r} is not allowed") from None
    except (RecursionError, ValueError, OverflowError):
        raise _invalid(path, 1, "nested too deep, or with an impossible value") from None
    lines, repeated = _index(node)
    return YamlFile(data, lines, repeated)


def parse_yaml(text: str, where: str) -> Any:
    """Return the data of a piece of YAML; raise ``ConfigError``, naming ``where``, for no YAML."""
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        raise ConfigError(f"{where} is not valid YAML: {error.problem or 'broken'}") from None
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError):
        raise ConfigError(f"{where} is not valid YAML") from None


def read_text(path: Path) -> str:
    """Return a settings file's text (UTF-8, a byte order mark dropped).

    Raises ``OSError``, and ``ConfigError`` if it is no regular file, too large or not UTF-8.
    """
    if path.exists() and not path.is_file():
        raise ConfigError(f"{path} is not a regular file. Move it away or put a text file there.")
    if path.exists() and path.stat().st_size > MAX_SIZE:
        raise ConfigError(
            f"{path} is larger than {MAX_SIZE:,} bytes, so it is not read. Is it the right file? "
            "Take out what does not belong there."
        )
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}:{line}: not UTF-8 text. Save the file as UTF-8.") from None


def _invalid(path: Path, line: int, problem: str) -> ConfigError:
    return ConfigError(f"{path}:{line}: not valid YAML ({problem}). Correct that line.")


def _index(root: "Node | None") -> tuple[dict[KeyPath, int], tuple[KeyPath, ...]]:
    lines: dict[KeyPath, int] = {}
    repeated: list[KeyPath] = []
    for path, line in _keys(root, ()):
        if path in lines:
            repeated.append(path)
        lines[path] = line
    return lines, tuple(repeated)


def _keys(node: "Node | None", above: KeyPath) -> Iterator[tuple[KeyPath, int]]:
    """Walk mappings three levels deep: no setting lies deeper, and an alias may be a loop."""
    from yaml import MappingNode, ScalarNode

    if len(above) >= 3 or not isinstance(node, MappingNode):
        return
    for key, value in node.value:
        if isinstance(key, ScalarNode):
            path = (*above, str(key.value))
            yield path, key.start_mark.line + 1
            yield from _keys(value, path)
