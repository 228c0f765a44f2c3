"""Changing a YAML file that a person wrote: only what is meant changes, comments and order stay.

The text is spliced at the marks that PyYAML gives its nodes. Afterwards the new text is read as a
whole: unless it holds exactly the old data with the change, it is refused and nothing is written.
"""

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_core.ground.errors import ConfigError
from hermes_core.local.files import write_atomically
from hermes_core.local.folders import make_private_folder
from hermes_core.local.yaml_file import read_text

if TYPE_CHECKING:
    from yaml import Node

BACKUP = ".orig"
"""Added to the name of the copy that is made before a file's first change."""

Value = str | int | float | bool | list[Any] | dict[str, Any]


class YamlEdit:
    """Changes to one file, made in memory; ``save`` writes them.

    Raises ``ConfigError`` if the file is not valid YAML, holds no keys at its top, or is written in
    a way that a change cannot be made safely.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._bom = ""
        self._text = self._read()
        self._newline = "\r\n" if "\r\n" in self._text else "\n"
        self._before = self._text
        self.data: dict[str, Any] = self._parsed(self._text)

    def set(self, section: str, values: Mapping[str, Value | None]) -> None:
        """Set keys of a top-level section; None takes a key out."""
        for key, value in values.items():
            wanted = copy.deepcopy(self.data)
            inside = wanted.get(section)
            if inside is None:
                inside = wanted[section] = {}
            if not isinstance(inside, dict):
                raise self._refusal(section)
            if value is None:
                if key not in inside:
                    continue
                del inside[key]
                self._apply(self._without((section, key)), wanted)
            elif inside.get(key) != value or type(inside.get(key)) is not type(value):
                inside[key] = value
                self._apply(self._with(section, key, value), wanted)

    def put(self, key: str, value: Value | None) -> None:
        """Set a top-level key whole; None takes it out."""
        wanted = copy.deepcopy(self.data)
        if value is None:
            if wanted.pop(key, None) is None:
                return
            self._apply(self._without((key,)), wanted)
            return
        wanted[key] = value
        text = self._without((key,)) if key in self.data else self._text
        self._apply(self._appended(text, _block({key: value})), wanted)

    def append(self, key: str, item: dict[str, Any]) -> None:
        """Add an item to the end of a top-level list."""
        there = self.data.get(key)
        if not there:
            self.put(key, [item])
            return
        if not isinstance(there, list):
            raise self._refusal(key)
        wanted = copy.deepcopy(self.data)
        wanted[key].append(item)
        sequence = _value_of(self._root(), key)
        if sequence.flow_style:
            at = sequence.end_mark.index - 1
            gap = "" if self._text[:at].rstrip().endswith(",") else ", "
            cut = len(self._text[:at].rstrip())
            new = f"{self._text[:cut]}{gap}{json.dumps(item)}{self._text[cut:]}"
        else:
            indent = " " * sequence.start_mark.column
            lines = [f"{indent}- {line}" for line in _block(item).splitlines()[:1]]
            lines += [f"{indent}  {line}" for line in _block(item).splitlines()[1:]]
            new = self._inserted(_end(self._text, sequence.value[-1]), lines)
        self._apply(new, wanted)

    def remove(self, key: str, place: int) -> None:
        """Take an item out of a top-level list, the whole list with its last one."""
        there = self.data.get(key)
        if not isinstance(there, list) or not 0 <= place < len(there):
            raise self._refusal(key)
        if len(there) == 1:
            self.put(key, None)
            return
        wanted = copy.deepcopy(self.data)
        del wanted[key][place]
        sequence = _value_of(self._root(), key)
        node = sequence.value[place]
        if sequence.flow_style:
            first, last = node.start_mark.index, node.end_mark.index
            if place + 1 < len(there):
                last = sequence.value[place + 1].start_mark.index
            else:
                first = sequence.value[place - 1].end_mark.index
            new = self._text[:first] + self._text[last:]
        else:
            first = _line_start(self._text, node.start_mark.index)
            new = self._text[:first] + self._text[_end(self._text, node) :]
        self._apply(new, wanted)

    def save(self) -> None:
        """Write the file, if anything has changed; the first change of a file leaves a copy."""
        if self._text == self._before:
            return
        try:
            make_private_folder(self._path.parent)
            original = self._path.with_name(self._path.name + BACKUP)
            if self._path.exists() and not original.exists():
                write_atomically(original, self._path.read_bytes(), 0o600)
            write_atomically(self._path, (self._bom + self._text).encode())
        except OSError as error:
            raise ConfigError(
                f"{self._path} cannot be written: {error.strerror or error}. Check its permissions."
            ) from None
        self._before = self._text

    # The text

    def _read(self) -> str:
        if not self._path.exists():
            return ""
        try:
            if self._path.read_bytes().startswith(b"\xef\xbb\xbf"):
                self._bom = "\ufeff"
            return read_text(self._path)
        except OSError as error:
            raise ConfigError(f"{self._path} cannot be read: {error.strerror or error}.") from None

    def _parsed(self, text: str) -> dict[str, Any]:
        import yaml

        try:
            data = yaml.safe_load(text)
        except yaml.YAMLError as error:
            line = getattr(getattr(error, "problem_mark", None), "line", 0) + 1
            raise ConfigError(
                f"{self._path}:{line}: not valid YAML. Correct that line first."
            ) from None
        if data is None:
            return {}
        if not isinstance(data, dict):
            raise ConfigError(f"{self._path}:1: the file must hold keys, such as 'model:'.")
        return data

    def _root(self) -> Any:
        import yaml

        return yaml.compose(self._text, yaml.SafeLoader)

    def _with(self, section: str, key: str, value: Value) -> str:
        root = self._root()
        mapping = _value_of(root, section) if root is not None else None
        if mapping is None:
            return self._appended(self._text, _block({section: {key: value}}))
        if _is_empty(mapping):
            return self._refilled(mapping, section, {key: value})
        node = _value_of(mapping, key)
        if node is not None and not _is_empty(node):
            first, last = node.start_mark.index, node.end_mark.index
            return self._text[:first] + _scalar(value) + self._text[last:]
        if node is not None:
            at = next(k.end_mark.index for k, v in mapping.value if v is node)
            colon = self._text.index(":", at) + 1
            rest = self._text[max(colon, node.end_mark.index) :]
            return f"{self._text[:colon]} {_scalar(value)}{rest}"
        if mapping.flow_style:
            at = len(self._text[: mapping.end_mark.index - 1].rstrip())
            return f"{self._text[:at]}, {json.dumps(key)}: {_scalar(value)}{self._text[at:]}"
        indent = " " * mapping.value[0][0].start_mark.column
        last_value = mapping.value[-1][1]
        return self._inserted(_end(self._text, last_value), [f"{indent}{key}: {_scalar(value)}"])

    def _refilled(self, node: Any, section: str, values: dict[str, Any]) -> str:
        """Fill a section that holds nothing yet, as ``model:`` or ``model: {}``."""
        if node.start_mark.index != node.end_mark.index:
            filled = json.dumps(values)
            return self._text[: node.start_mark.index] + filled + self._text[node.end_mark.index :]
        key = next(k for k, _ in self._root().value if k.value == section)
        at = self._text.find("\n", key.end_mark.index) + 1 or len(self._text)
        return self._inserted(at, [f"  {line}" for line in _block(values).splitlines()])

    def _without(self, path: tuple[str, ...]) -> str:
        mapping = self._root()
        for name in path[:-1]:
            mapping = _value_of(mapping, name)
        place = next(i for i, (key, _) in enumerate(mapping.value) if key.value == path[-1])
        key, value = mapping.value[place]
        if mapping.flow_style:
            last = len(mapping.value) - 1
            first = mapping.value[place - 1][1].end_mark.index if place else key.start_mark.index
            end = value.end_mark.index
            if not place and last:
                end = mapping.value[1][0].start_mark.index
            return self._text[:first] + self._text[end:]
        if len(path) > 1 and len(mapping.value) == 1:
            return self._without(path[:-1]) if path[:-1] else self._text
        start = _line_start(self._text, key.start_mark.index)
        return self._text[:start] + self._text[_end(self._text, value, key) :]

    def _appended(self, text: str, block: str) -> str:
        lines = block.splitlines()
        if text.rstrip().endswith("..."):
            raise self._refusal(lines[0].rstrip(":"))
        gap = "" if not text or text.endswith("\n") else self._newline
        return text + gap + "".join(line + self._newline for line in lines)

    def _inserted(self, at: int, lines: list[str]) -> str:
        head, tail = self._text[:at], self._text[at:]
        gap = "" if not head or head.endswith("\n") else self._newline
        return head + gap + "".join(line + self._newline for line in lines) + tail

    def _apply(self, text: str, wanted: dict[str, Any]) -> None:
        try:
            understood = self._parsed(text)
        except ConfigError:
            raise self._refusal("a part") from None
        if _told(understood) != _told(wanted):
            raise self._refusal("a part")
        self._text, self.data = text, wanted

    def _refusal(self, what: str) -> ConfigError:
        return ConfigError(
            f"{self._path}: {what} of it is written in a way that cannot be changed safely. "
            "Change it by hand; nothing was written."
        )


def _told(data: Any) -> Any:
    """Return data in a form that also tells 1 from true and from 1.0, and an empty section away."""
    if isinstance(data, dict):
        told = {key: _told(value) for key, value in data.items()}
        return {key: value for key, value in told.items() if value != {}}
    if isinstance(data, list):
        return [_told(item) for item in data]
    return (type(data).__name__, data)


def _value_of(mapping: Any, key: str) -> Any:
    """Return the node of a key's value, the last one that counts; None without one."""
    from yaml import MappingNode

    if not isinstance(mapping, MappingNode):
        return None
    found = None
    for name, value in mapping.value:
        if name.value == key:
            found = value
    return found


def _is_empty(node: "Node") -> bool:
    from yaml import ScalarNode

    return not node.value or (isinstance(node, ScalarNode) and node.value in ("~", "null"))


def _scalar(value: Value) -> str:
    """Return a value on one line, quoted so that no reader takes a text for something else."""
    if isinstance(value, str) and value.replace("-", "").replace("_", "").isalpha():
        return value if value.lower() not in _WORDS else json.dumps(value)
    return json.dumps(value, ensure_ascii=False)


_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})


def _block(data: dict[str, Any], indent: str = "") -> str:
    """Return data in block form, each key on a line."""
    lines: list[str] = []
    for key, value in data.items():
        if isinstance(value, dict) and value:
            lines += [f"{indent}{key}:", _block(value, f"{indent}  ").rstrip("\n")]
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            lines.append(f"{indent}{key}:")
            for item in value:
                inner = _block(item, f"{indent}    ").rstrip("\n")
                lines.append(f"{indent}  - {inner.lstrip()}")
        else:
            lines.append(f"{indent}{key}: {_scalar(value)}")
    return "\n".join(lines) + "\n"


def _line_start(text: str, index: int) -> int:
    return text.rfind("\n", 0, index) + 1


def _end(text: str, node: Any, key: Any = None) -> int:
    """Return where the line after a node begins, comments on its own lines included.

    A block's end mark stands behind the blank lines and comments that follow it; those belong to
    what comes next.
    """
    from yaml import CollectionNode

    last = node
    while isinstance(last, CollectionNode) and not last.flow_style and last.value:
        inner = last.value[-1]
        last = inner[1] if isinstance(inner, tuple) else inner
    index = int(last.end_mark.index)
    if not text[:index].strip() or last.start_mark.index == last.end_mark.index:
        index = key.end_mark.index if key is not None else last.start_mark.index
    style = getattr(last, "style", None)
    if style in ("|", ">"):
        return index
    return text.find("\n", index) + 1 or len(text)
