"""The sections of ``config.yaml`` that name providers. What is odd there is named and left out.

A wrong entry never stops the start: the file may be shared with another program, and the entry
may be one that is not in use.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from hermes_core.ground.errors import ConfigError
from hermes_core.local.config_values import ValueReader, nearest, shown
from hermes_core.local.provider_keys import (
    CHOICE_KEYS,
    ENTRY_KEYS,
    LOGIN_KEYS,
    STRATEGIES,
    TASK_KEYS,
    TASKS,
)
from hermes_core.local.provider_settings import AuxiliaryTask, Choice, LoginSettings, NamedProvider
from hermes_core.local.setting import Key
from hermes_core.local.yaml_file import KeyPath


def read_providers(data: Mapping[Any, Any], reader: ValueReader) -> dict[str, Any]:
    """Return the fields of ``Config`` that those sections give."""
    return {
        "providers": _named(data, reader),
        "fallback_providers": _fallbacks(data, reader),
        "auxiliary": _tasks(data.get("auxiliary"), reader),
        "credential_pool_strategies": _strategies(data.get("credential_pool_strategies"), reader),
        "auth": _logins(data.get("auth"), reader),
    }


def _named(data: Mapping[Any, Any], reader: ValueReader) -> tuple[NamedProvider, ...]:
    found: dict[str, NamedProvider] = {}
    own = _mapping(data.get("providers"), ("providers",), reader)
    rows: list[tuple[str, Any, KeyPath]] = [
        (str(name).strip(), entry, ("providers", str(name))) for name, entry in own.items()
    ]
    for entry in _list(data.get("custom_providers"), ("custom_providers",), reader):
        name = entry.get("name") if isinstance(entry, Mapping) else None
        rows.append((name.strip() if isinstance(name, str) else "", entry, ("custom_providers",)))
    for name, entry, place in rows:
        if not name or not name.isprintable() or not isinstance(entry, Mapping):
            reader.warn(place, f"an entry of '{place[0]}' without name or keys is ignored")
        elif name.lower() not in found:
            values = _entry(entry, ENTRY_KEYS, place, reader)
            found[name.lower()] = NamedProvider(name=name, **values)
    return tuple(found.values())


def _fallbacks(data: Mapping[Any, Any], reader: ValueReader) -> tuple[Choice, ...]:
    chain = _choices(data.get("fallback_providers"), ("fallback_providers",), reader)
    legacy = data.get("fallback_model")
    if isinstance(legacy, Mapping):
        legacy = [legacy]
    chain += _choices(legacy, ("fallback_model",), reader)
    unique: dict[tuple[str, str, str | None], Choice] = {}
    for choice in chain:
        unique.setdefault((choice.provider.lower(), choice.model, choice.base_url), choice)
    return tuple(unique.values())


def _choices(data: Any, place: KeyPath, reader: ValueReader) -> list[Choice]:
    found = []
    for number, entry in enumerate(_list(data, place, reader), start=1):
        values = _entry(entry, CHOICE_KEYS, place, reader) if isinstance(entry, Mapping) else {}
        missing = [name for name in ("provider", "model") if not values.get(name)]
        if missing:
            text = f"entry {number} of '{'.'.join(place)}' has no {' and no '.join(missing)}"
            reader.warn(place, f"{text}, and is ignored")
        else:
            found.append(Choice(**values))
    return found


def _tasks(data: Any, reader: ValueReader) -> dict[str, AuxiliaryTask]:
    tasks = {}
    for name, entry in _mapping(data, ("auxiliary",), reader).items():
        place = ("auxiliary", str(name))
        if name not in TASKS:
            near = nearest(str(name), TASKS, 0.8)
            if near:
                reader.warn(place, f"unknown key 'auxiliary.{name}' - did you mean '{near}'?")
            continue
        keys = _mapping(entry, place, reader)
        values = _entry(keys, TASK_KEYS, place, reader)
        chain = _choices(keys.get("fallback_chain"), (*place, "fallback_chain"), reader)
        tasks[str(name)] = AuxiliaryTask(fallback_chain=tuple(chain), **values)
    return tasks


def _strategies(data: Any, reader: ValueReader) -> dict[str, str]:
    place = ("credential_pool_strategies",)
    key = Key("", "", "choice", STRATEGIES[0], "", choices=STRATEGIES)
    return {
        str(name).lower(): reader.value(key, value, (*place, str(name)))
        for name, value in _mapping(data, place, reader).items()
        if isinstance(value, str)
    }


def _logins(data: Any, reader: ValueReader) -> dict[str, LoginSettings]:
    logins = {}
    for name, entry in _mapping(data, ("auth",), reader).items():
        place = ("auth", str(name))
        keys = _mapping(entry, place, reader)
        logins[str(name).lower()] = LoginSettings(**_entry(keys, LOGIN_KEYS, place, reader))
    return logins


def _entry(
    entry: Mapping[Any, Any], keys: Sequence[Key], place: KeyPath, reader: ValueReader
) -> dict[str, Any]:
    """Return the fields of one entry; other programs' keys are left alone silently."""
    known = {name: key for key in keys for name in (key.leaf, *key.spellings)}
    values: dict[str, Any] = {}
    for name, value in entry.items():
        key = known.get(_snake(str(name)))
        if key is None or value is None:
            continue
        try:
            values.setdefault(key.field, reader.value(key, value, (*place, str(name))))
        except ConfigError as error:
            reader.warn((*place, str(name)), f"{_reason(error)}; it is ignored")
    return {field: value for field, value in values.items() if value is not None}


def _reason(error: ConfigError) -> str:
    """Return an error's words without its file, line and advice."""
    return str(error).partition(": ")[2].removesuffix(". Correct that line.")


def _snake(name: str) -> str:
    """Return ``baseUrl`` as ``base_url``."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


def _mapping(data: Any, place: KeyPath, reader: ValueReader) -> Mapping[Any, Any]:
    if data is None or isinstance(data, Mapping):
        return data or {}
    reader.warn(place, f"'{'.'.join(place)}' must hold keys, not {shown(data)}; it is ignored")
    return {}


def _list(data: Any, place: KeyPath, reader: ValueReader) -> Sequence[Any]:
    if data is None or isinstance(data, list):
        return data or ()
    reader.warn(place, f"'{'.'.join(place)}' must be a list, not {shown(data)}; it is ignored")
    return ()
