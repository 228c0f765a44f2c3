"""Single values of ``config.yaml``: checked, and named by their line where they are wrong."""

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hermes_core.ground.errors import ConfigError
from hermes_core.ground.secrets import Secret
from hermes_core.local.setting import Key
from hermes_core.local.yaml_file import KeyPath, YamlFile

_MINIMUM_WINDOW = 1024
_NAME = re.compile(r"[A-Za-z0-9_-]+")


class ValueReader:
    """Reads the values of one file; ``warnings`` has a line for each odd one."""

    def __init__(self, path: Path, file: YamlFile) -> None:
        self.warnings: list[str] = []
        self._path = path
        self._file = file

    def value(self, key: Key, value: Any, place: KeyPath) -> Any:
        """Return the checked value of ``key``, which stands at ``place``.

        Raises ``ConfigError``, naming file, line and key, for a value of the wrong type.
        """
        if key.type == "choice":
            return self._choice(key, value, place)
        if key.type in ("whole number", "number"):
            return self._number(key, value, place)
        if key.type == "flag":
            return self._flag(value, place)
        if key.type in ("names", "texts", "data", "models"):
            return self._collection(key, value, place)
        return self._text(key, value, place)

    def warn(self, place: KeyPath, text: str) -> None:
        """Add a warning about what stands at ``place``."""
        self.warnings.append(f"{self._path.name}:{self._file.line(place)}: {text}")

    def error(self, place: KeyPath, text: str) -> ConfigError:
        """Return the error about what stands at ``place``."""
        return ConfigError(f"{self._path}:{self._file.line(place)}: {text}. Correct that line.")

    def _text(self, key: Key, value: Any, place: KeyPath) -> Any:
        if not isinstance(value, str):
            given = "another type" if key.type == "secret" else shown(value)
            raise self.error(place, f"{dotted(place)} must be text, not {given}")
        value = value.strip()
        return Secret(value) if key.type == "secret" else value or None

    def _flag(self, value: Any, place: KeyPath) -> bool:
        if not isinstance(value, bool):
            raise self.error(place, f"{dotted(place)} must be true or false, not {shown(value)}")
        return value

    def _number(self, key: Key, value: Any, place: KeyPath) -> int | float:
        allowed = int if key.type == "whole number" else (int, float)
        name = dotted(place)
        if isinstance(value, bool) or not isinstance(value, allowed) or not math.isfinite(value):
            raise self.error(place, f"{name} must be a {key.type}, not {shown(value)}")
        if not key.minimum <= value <= key.maximum:
            bounds = f"from {key.minimum:g} to {key.maximum:.10g}"
            raise self.error(place, f"{name} must be {bounds}, not {value}")
        return value if key.type == "whole number" else float(value)

    def _choice(self, key: Key, value: Any, place: KeyPath) -> Any:
        """Return a known choice; an unknown one falls back to the default with a warning.

        Another program that shares the file may know more of them, and YAML reads ``off`` as
        false, so a scalar is never an error here.
        """
        name = dotted(place)
        if isinstance(value, (list, Mapping)):
            raise self.error(place, f"{name} must be one word, not {shown(value)}")
        value = dict(key.also).get(value, value)
        if value in key.choices:
            return str(value)
        near = nearest(str(value), key.choices, 0.6)
        hint = f"did you mean '{near}'?" if near else f"known: {', '.join(key.choices)}"
        self.warn(place, f"unknown value {shown(value)} of {name} - {hint}")
        return key.default

    def _collection(self, key: Key, value: Any, place: KeyPath) -> Any:
        if key.type == "names":
            return self._names(value, place)
        if key.type == "models":
            return self._models(value, place)
        if not isinstance(value, Mapping):
            raise self.error(place, f"{dotted(place)} must hold keys, not {shown(value)}")
        if key.type == "data":
            return {str(name): item for name, item in value.items()}
        return self._texts(value, place)

    def _names(self, value: Any, place: KeyPath) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise self.error(place, f"{dotted(place)} must be a list of names, not {shown(value)}")
        for number, item in enumerate(value, 1):
            if not isinstance(item, str) or len(item.split()) != 1:
                what = f"item {number} of {dotted(place)} must be a name, not {shown(item)}"
                raise self.error(place, what)
        return tuple(value)

    def _texts(self, value: Mapping[Any, Any], place: KeyPath) -> tuple[tuple[str, str], ...]:
        for name, item in value.items():
            if not isinstance(name, str) or not isinstance(item, str):
                raise self.error(place, f"{dotted(place)} must hold names with texts")
            if not _NAME.fullmatch(name) or not (item.isascii() and item.isprintable()):
                raise self.error(place, f"{dotted(place)} holds a character that no header has")
        return tuple(value.items())

    def _models(self, value: Any, place: KeyPath) -> tuple[tuple[str, int | None], ...]:
        if isinstance(value, Mapping):
            return tuple((str(name), _window(facts)) for name, facts in value.items())
        return tuple((name, None) for name in self._names(value, place))


def dotted(place: KeyPath) -> str:
    """Return a place as people write it."""
    return ".".join(place)


def shown(value: Any) -> str:
    """Return a value as a message may show it."""
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def nearest(name: str, known: tuple[str, ...], cutoff: float) -> str | None:
    """Return the known name that is most like ``name``, if one is like it."""
    import difflib

    return next(iter(difflib.get_close_matches(name, known, 1, cutoff)), None)


def _window(facts: Any) -> int | None:
    window = facts.get("context_length") if isinstance(facts, Mapping) else None
    if not isinstance(window, int) or isinstance(window, bool) or window < _MINIMUM_WINDOW:
        return None
    return window
