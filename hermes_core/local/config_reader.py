"""From the data of ``config.yaml`` to checked values, with the line of whatever is wrong."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hermes_core.ground.errors import ConfigError
from hermes_core.local.config_keys import KEYS, SECTIONS
from hermes_core.local.config_values import ValueReader, nearest, shown
from hermes_core.local.mcp_keys import MCP_SECTION
from hermes_core.local.provider_keys import STRUCTURED
from hermes_core.local.yaml_file import YamlFile

_BY_NAME = {
    f"{key.name.partition('.')[0]}.{leaf}": key
    for key in KEYS
    for leaf in (key.leaf, *key.spellings)
}


class ConfigReader:
    """Reads one file's data; afterwards ``values`` (fields of ``Config``) and ``warnings`` hold.

    Raises ``ConfigError`` naming file, line and key for a value of the wrong type.
    """

    def __init__(self, path: Path, file: YamlFile) -> None:
        self.values: dict[str, Any] = {}
        self._path = path
        self._file = file
        self._reader = ValueReader(path, file)
        self._read()

    @property
    def warnings(self) -> list[str]:
        """A line for each thing that is odd."""
        return self._reader.warnings

    def _read(self) -> None:
        data = self._file.data
        if data is None:
            return
        if not isinstance(data, Mapping):
            raise ConfigError(f"{self._path}:1: the file must hold keys, such as 'model:'.")
        for name, value in data.items():
            if name in SECTIONS:
                self._section(str(name), value)
            elif name not in (*STRUCTURED, MCP_SECTION):
                self._unknown_section(str(name))
        for path in self._file.repeated:
            if path[0] in (*SECTIONS, *STRUCTURED):
                text = f"'{'.'.join(path)}' stands twice; the last one counts"
                self._reader.warn(path, text)
        if MCP_SECTION in data:
            from hermes_core.local.mcp_reader import read_servers

            self.values["mcp_servers"] = read_servers(data[MCP_SECTION], self._reader)
        if not data.keys().isdisjoint(STRUCTURED):
            from hermes_core.local.provider_reader import read_providers

            self.values.update(read_providers(data, self._reader))

    def _section(self, name: str, data: Any) -> None:
        if data is None:
            return
        if name == "model" and isinstance(data, str):
            data = {"default": data}
        if not isinstance(data, Mapping):
            raise self._reader.error((name,), f"{name} must hold keys, not {shown(data)}")
        for leaf, value in data.items():
            key = _BY_NAME.get(f"{name}.{leaf}")
            if key is None:
                self._unknown_key(name, str(leaf))
            elif value is not None:
                self.values[key.field] = self._reader.value(key, value, (name, str(leaf)))

    def _unknown_section(self, name: str) -> None:
        near = nearest(name, (*SECTIONS, *STRUCTURED, MCP_SECTION), 0.8)
        if near:
            self._reader.warn((name,), f"unknown key '{name}' - did you mean '{near}'?")

    def _unknown_key(self, section: str, leaf: str) -> None:
        """Warn of what is a key of ours misspelt or misplaced; others are another program's."""
        elsewhere = [key.name for key in KEYS if key.leaf == leaf and "_" in leaf]
        leaves = {key.leaf: key.name for key in KEYS if key.name.startswith(f"{section}.")}
        near = elsewhere[0] if elsewhere else leaves.get(nearest(leaf, tuple(leaves), 0.75) or "")
        if near:
            text = f"unknown key '{section}.{leaf}' - did you mean '{near}'?"
            self._reader.warn((section, leaf), text)
