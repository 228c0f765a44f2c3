"""Lists of small mappings in a YAML file, changed entry by entry: comments and the rest stay.

key:
  - name: "value"
    other: "value"
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_core.ground.errors import ConfigError
from hermes_core.local.files import write_atomically
from hermes_core.local.folders import make_private_folder
from hermes_core.local.yaml_file import parse_yaml, read_text

if TYPE_CHECKING:
    from yaml import Node

Entry = Mapping[str, str]

_WAIT = 10.0


def append_entry(path: Path, key: str, entry: Entry, head: str) -> None:
    """Add ``entry`` at the end of the list ``key``; ``head`` begins a file that is not there yet.

    Raises ``ConfigError`` if the file cannot be read or written, or is of another form.
    """
    with _changing(path):
        text = _text_of(path)
        if not text.strip():
            text = f"{head}{key}:\n"
        before = _list_of(text, key, path)
        changed = text if text.endswith("\n") else f"{text}\n"
        changed += _lines(entry)
        wanted = [*before, dict(entry)]
        if _parsed(changed, key) != wanted:
            at = _end_of_list(text, key)
            lines = text.splitlines(keepends=True)
            changed = "".join([*lines[:at], _lines(entry), *lines[at:]])
        if _parsed(changed, key) != wanted:
            raise _odd(path, key)
        _write(path, changed)


def remove_entry(path: Path, key: str, number: int) -> None:
    """Take the entry of the list ``key`` with the index ``number`` out.

    Raises ``ConfigError``, also if there is no such entry.
    """
    with _changing(path):
        text = _text_of(path)
        before = _list_of(text, key, path)
        if not 0 <= number < len(before):
            raise ConfigError(f"{path} has no entry {number + 1} any more. List them again.")
        first, after = _place(text, key, number)
        lines = text.splitlines(keepends=True)
        changed = "".join([*lines[:first], *lines[after:]])
        wanted = [*before[:number], *before[number + 1 :]]
        if (_parsed(changed, key) or []) != wanted:
            raise _odd(path, key)
        _write(path, changed)


def _lines(entry: Entry) -> str:
    marks = ["  - ", *["    "] * (len(entry) - 1)]
    pairs = zip(marks, entry.items(), strict=True)
    return "".join(f"{mark}{name}: {_quoted(value)}\n" for mark, (name, value) in pairs)


def _quoted(text: str) -> str:
    """Return ``text`` as a YAML string in ASCII; every character comes back, surrogates too."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if " " <= char <= "~":
        return char
    number = ord(char)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _list_of(text: str, key: str, path: Path) -> list[Any]:
    data = parse_yaml(text, str(path))
    found = data.get(key) if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(found, list | None):
        raise _odd(path, key)
    return found or []


def _parsed(text: str, key: str) -> Any:
    try:
        data = parse_yaml(text, "it")
    except ConfigError:
        return None
    return data.get(key) if isinstance(data, dict) else None


def _place(text: str, key: str, number: int) -> tuple[int, int]:
    """Return the lines of an entry, counted from 0: the first, and the one after the last."""
    items = _items(text, key)
    first: int = items[number].start_mark.line
    last = items[number].end_mark
    after = last.line if last.column == 0 or number + 1 < len(items) else last.line + 1
    if number + 1 < len(items):
        after = items[number + 1].start_mark.line
        lines = text.splitlines()
        while after > first + 1 and lines[after - 1].lstrip().startswith("#"):
            after -= 1
    lines = text.splitlines()
    while after > first + 1 and not lines[after - 1].strip():
        after -= 1
    return first, after


def _end_of_list(text: str, key: str) -> int:
    items = _items(text, key)
    if items:
        return _place(text, key, len(items) - 1)[1]
    lines = text.splitlines()
    at = next((n for n, line in enumerate(lines) if line.startswith(f"{key}:")), len(lines) - 1)
    return at + 1


def _items(text: str, key: str) -> "Sequence[Node]":
    import yaml

    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if isinstance(root, yaml.MappingNode):
        for name, value in root.value:
            if name.value == key and isinstance(value, yaml.SequenceNode):
                return list(value.value)
    return []


def _text_of(path: Path) -> str:
    try:
        return read_text(path)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}.") from None


def _write(path: Path, text: str) -> None:
    try:
        write_atomically(path, text.encode("utf-8"), 0o600)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror or error}.") from None


def _odd(path: Path, key: str) -> ConfigError:
    return ConfigError(
        f"{path} has a form that Hermes cannot change: it needs a list under `{key}:`. Edit it "
        "by hand."
    )


@contextmanager
def _changing(path: Path) -> Iterator[None]:
    """Hold a file alone among Hermes's processes while it is changed."""
    from filelock import FileLock, Timeout

    lock = FileLock(path.with_name(path.name + ".lock"), mode=0o600)
    try:
        make_private_folder(path.parent)
        lock.acquire(timeout=_WAIT)
    except Timeout:
        raise ConfigError(f"{path} is being changed by another Hermes. Try again.") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror or error}.") from None
    try:
        yield
    finally:
        lock.release()
