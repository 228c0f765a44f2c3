"""Where a login's tokens are kept: read before they are renewed, written after it."""

from collections.abc import Mapping
from typing import Any, Protocol

from hermes_core.ground.errors import NoCredentials
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.providers.auth_store import AuthStore, section
from hermes_core.providers.grants import Grant, read_grant, text, write_grant
from hermes_core.providers.imports import (
    claude_code_path,
    codex_path,
    github_token,
    qwen_path,
    read_claude_code,
    read_codex,
    read_qwen,
    write_claude_code,
)
from hermes_core.providers.pool import STATE, entries, parts


class Place(Protocol):
    """One login's place. All methods raise ``ConfigError``; ``write`` is called under the lock."""

    def read(self) -> Grant | None:
        """Return what is there now."""
        ...

    def write(self, grant: Grant) -> None:
        """Put renewed tokens there; other fields stay."""
        ...

    def original(self, interrupt: Interrupt) -> Grant | None:
        """Return the login that this one was copied from, as its program has it now."""
        ...


def place_of(config: Config, credential_id: str) -> Place | None:
    """Return where the login of that id is kept; None for what is no stored login."""
    provider, slot = parts(credential_id)
    if slot == ":oauth":
        return StoredLogin(config, provider)
    if slot == ":claude-code":
        return ClaudeCode(config)
    if slot.startswith("#"):
        return PoolEntry(config, provider, slot.removeprefix("#"))
    return None


class StoredLogin:
    """The login of a provider in ``auth.json``."""

    def __init__(self, config: Config, provider: str) -> None:
        self._config = config
        self._provider = provider
        self._store = AuthStore(config.home)

    def read(self) -> Grant | None:
        return read_grant(self._state())

    def write(self, grant: Grant) -> None:
        data = self._store.read()
        write_grant(section(section(data, "providers"), self._provider), grant)
        self._store.write(data)

    def original(self, interrupt: Interrupt) -> Grant | None:
        source = text(self._state(), "source")
        if source == "codex":
            return read_codex(codex_path(self._config))
        if source == "qwen-code":
            return read_qwen(qwen_path(self._config))
        if source == "gh":
            try:
                return Grant(github_token(self._config, interrupt), Secret(""))
            except NoCredentials:
                return None
        return None

    def _state(self) -> Mapping[str, Any]:
        stored = self._store.read().get("providers")
        state = stored.get(self._provider) if isinstance(stored, Mapping) else None
        return state if isinstance(state, Mapping) else {}


class PoolEntry:
    """A login in a provider's pool, put there by another program."""

    def __init__(self, config: Config, provider: str, name: str) -> None:
        self._provider = provider
        self._name = name
        self._store = AuthStore(config.home)

    def read(self) -> Grant | None:
        return read_grant(self._entry(self._store.read()))

    def write(self, grant: Grant) -> None:
        data = self._store.read()
        entry = self._entry(data)
        if entry is not None:
            write_grant(entry, grant)
            entry.update({name: None for name in STATE if name in entry})
            self._store.write(data)

    def original(self, interrupt: Interrupt) -> Grant | None:
        del interrupt
        return None

    def _entry(self, data: dict[str, Any]) -> dict[str, Any] | None:
        found = (e for e in entries(data, self._provider) if e["id"] == self._name)
        return next(found, None)


class ClaudeCode:
    """Claude Code's own file: it goes on with the tokens that are written here."""

    def __init__(self, config: Config) -> None:
        self._path = claude_code_path(config)

    def read(self) -> Grant | None:
        return read_claude_code(self._path)

    def write(self, grant: Grant) -> None:
        write_claude_code(self._path, grant)

    def original(self, interrupt: Interrupt) -> Grant | None:
        del interrupt
        return None
