"""The section ``mcp_servers`` of ``config.yaml``. What is odd there is named and left out."""

from collections.abc import Mapping
from typing import Any

from hermes_core.ground.errors import ConfigError
from hermes_core.local.config_values import ValueReader, shown
from hermes_core.local.mcp_keys import MCP_KEYS, MCP_SECTION
from hermes_core.local.mcp_settings import McpServer
from hermes_core.local.yaml_file import KeyPath

_BY_NAME = {name: key for key in MCP_KEYS for name in (key.leaf, *key.spellings)}


def read_servers(data: Any, reader: ValueReader) -> tuple[McpServer, ...]:
    """Return the servers that the section names, in its order."""
    if data is None:
        return ()
    if not isinstance(data, Mapping):
        reader.warn((MCP_SECTION,), f"'{MCP_SECTION}' must hold names, not {shown(data)}")
        return ()
    found = (_server(str(name), entry, reader) for name, entry in data.items())
    return tuple(server for server in found if server is not None)


def _server(name: str, entry: Any, reader: ValueReader) -> McpServer | None:
    place = (MCP_SECTION, name)
    if not isinstance(entry, Mapping):
        reader.warn(place, f"the MCP server '{name}' must hold keys, not {shown(entry)}")
        return None
    values: dict[str, Any] = {}
    for key, value in entry.items():
        _take(str(key), value, (*place, str(key)), values, reader)
    if not values.get("command") and not values.get("url"):
        reader.warn(place, f"the MCP server '{name}' has no command and no url; it is ignored")
        return None
    if values.get("command"):
        values["carrier"] = "stdio"
    return McpServer(name=name, saved=True, **{"carrier": "http", **values})


def _take(
    name: str, value: Any, place: KeyPath, values: dict[str, Any], reader: ValueReader
) -> None:
    key = _BY_NAME.get(name)
    if key is None or value is None:
        return
    try:
        if key.leaf == "args":
            values["args"] = _texts(value)
        elif key.leaf in ("env", "headers"):
            values[key.field] = _pairs(value)
        else:
            values[key.field] = reader.value(key, value, place)
    except ConfigError as error:
        reason = str(error).partition(": ")[2].removesuffix(". Correct that line.") or str(error)
        reader.warn(place, f"{reason}; it is ignored")


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or any(isinstance(one, list | Mapping) for one in value):
        raise ConfigError("args must be a list of texts")
    return tuple(_plain(one) for one in value)


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, Mapping) or any(isinstance(v, list | Mapping) for v in value.values()):
        raise ConfigError("env and headers must hold names with texts")
    return tuple((str(name), _plain(one)) for name, one in value.items() if one is not None)


def _plain(value: Any) -> str:
    """Return a scalar as it was most likely written."""
    return str(value).lower() if isinstance(value, bool) else str(value)
