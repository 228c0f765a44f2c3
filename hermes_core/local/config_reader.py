"""From the data of ``config.yaml`` to checked values, with the line of whatever is wrong."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hermes_core.ground.errors import ConfigError
from hermes_core.ground.secrets import Secret
from hermes_core.local.config_keys import KEYS, SECTIONS, Key
from hermes_core.local.yaml_file import YamlFile

_BY_NAME = {key.name: key for key in KEYS}


class ConfigReader:
    """Reads one file's data; afterwards ``values`` (fields of ``Config``) and ``warnings`` hold.

    Raises ``ConfigError`` naming file, line and key for a value of the wrong type.
    """

    def __init__(self, path: Path, file: YamlFile) -> None:
        self.values: dict[str, Any] = {}
        self.warnings: list[str] = []
        self._path = path
        self._file = file
        self._read()

    def _read(self) -> None:
        data = self._file.data
        if data is None:
            return
        if not isinstance(data, Mapping):
            raise ConfigError(f"{self._path}:1: the file must hold keys, such as 'model:'.")
        for name, value in data.items():
            if name in SECTIONS:
                self._section(str(name), value)
            else:
                self._unknown_section(str(name))
        for path in self._file.repeated:
            if path[0] in SECTIONS:
                self._warn(path, f"'{'.'.join(path)}' stands twice; the last one counts")

    def _section(self, name: str, data: Any) -> None:
        if data is None:
            return
        if name == "model" and isinstance(data, str):
            data = {"default": data}
        if not isinstance(data, Mapping):
            raise self._error((name,), f"{name} must hold keys, not {_shown(data)}")
        for leaf, value in data.items():
            key = _BY_NAME.get(f"{name}.{leaf}")
            if key is None:
                self._unknown_key(name, str(leaf))
            elif value is not None:
                self.values[key.field] = self._value(key, value)

    def _value(self, key: Key, value: Any) -> Any:
        if key.type == "choice":
            return self._choice(key, value)
        if key.type in ("text", "secret"):
            return self._text(key, value)
        if key.type == "names":
            return self._names(key, value)
        return self._number(key, value)

    def _text(self, key: Key, value: Any) -> Any:
        if not isinstance(value, str):
            shown = "another type" if key.type == "secret" else _shown(value)
            raise self._error(key, f"{key.name} must be text, not {shown}")
        value = value.strip()
        return Secret(value) if key.type == "secret" else value or None

    def _names(self, key: Key, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._error(key, f"{key.name} must be a list of names, not {_shown(value)}")
        return tuple(value)

    def _number(self, key: Key, value: Any) -> int | float:
        allowed = int if key.type == "whole number" else (int, float)
        if isinstance(value, bool) or not isinstance(value, allowed) or not math.isfinite(value):
            raise self._error(key, f"{key.name} must be a {key.type}, not {_shown(value)}")
        if not key.minimum <= value <= key.maximum:
            bounds = f"from {key.minimum:g} to {key.maximum:.10g}"
            raise self._error(key, f"{key.name} must be {bounds}, not {value}")
        return value if key.type == "whole number" else float(value)

    def _choice(self, key: Key, value: Any) -> str:
        """Return a known choice; an unknown one falls back to the default with a warning.

        Another program that shares the file may know more of them, and YAML reads ``off`` as
        false, so a scalar is never an error here.
        """
        if isinstance(value, (list, Mapping)):
            raise self._error(key, f"{key.name} must be one word, not {_shown(value)}")
        if value in key.choices:
            return str(value)
        near = _nearest(str(value), key.choices, 0.6)
        hint = f"did you mean '{near}'?" if near else f"known: {', '.join(key.choices)}"
        path = tuple(key.name.split("."))
        self._warn(path, f"unknown value {_shown(value)} of {key.name} - {hint}")
        return str(key.default)

    def _unknown_section(self, name: str) -> None:
        near = _nearest(name, SECTIONS, 0.8)
        if near:
            self._warn((name,), f"unknown key '{name}' - did you mean '{near}'?")

    def _unknown_key(self, section: str, leaf: str) -> None:
        elsewhere = [key.name for key in KEYS if key.name.partition(".")[2] == leaf]
        leaves = {k.name.partition(".")[2]: k.name for k in KEYS if k.name.startswith(section)}
        near = elsewhere[0] if elsewhere else leaves.get(_nearest(leaf, tuple(leaves), 0.6) or "")
        hint = f" - did you mean '{near}'?" if near else " is not used"
        self._warn((section, leaf), f"unknown key '{section}.{leaf}'{hint}")

    def _warn(self, path: tuple[str, ...], text: str) -> None:
        self.warnings.append(f"{self._path.name}:{self._file.line(path)}: {text}")

    def _error(self, where: Key | tuple[str, ...], text: str) -> ConfigError:
        path = tuple(where.name.split(".")) if isinstance(where, Key) else where
        return ConfigError(f"{self._path}:{self._file.line(path)}: {text}. Correct that line.")


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _nearest(name: str, known: tuple[str, ...], cutoff: float) -> str | None:
    import difflib

    return next(iter(difflib.get_close_matches(name, known, 1, cutoff)), None)
