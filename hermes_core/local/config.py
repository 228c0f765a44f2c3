"""The settings and the environment, read once into a snapshot that never changes."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hermes_core.ground.actions import Mode
from hermes_core.ground.errors import ConfigError
from hermes_core.ground.runtime import ApiMode
from hermes_core.ground.secrets import REDACTOR, Secret
from hermes_core.local.confinement import SandboxMode
from hermes_core.local.mcp_settings import McpServer
from hermes_core.local.provider_settings import (
    AuxiliaryTask,
    Choice,
    LoginSettings,
    NamedProvider,
)

_NO_KEY = Secret("")
_SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIALS")
_NO_SECRETS = ("FILE", "PATH", "URL", "URI", "ID", "SECONDS", "LIMIT")
_SECRET_HEADERS = (*_SECRET_NAMES, "AUTHORIZATION", "COOKIE")


@dataclass(frozen=True, slots=True)
class Config:
    """What the user set; ``docs/configuration.md`` describes each key.

    env: the process environment as it was at the start; user_env: ``$HERMES_HOME/.env``.
    auth: login services, by the provider's name in lower case.
    compression_threshold: a part of the model's window, compression_target_ratio of that.
    api_timeout, terminal_timeout: seconds. terminal_max_output: bytes. context_window and
    max_tokens: tokens. input_price and output_price: US dollars for a million tokens; max_cost:
    US dollars of one turn.
    key_env: the variable that holds the key for ``base_url``.
    providers: the user's own endpoints. mcp_servers: the user's own, in their order.
    auxiliary: by the task's name.
    credential_pool_strategies: by the provider's name, in lower case.
    warnings: what is odd in the files, one line each.
    """

    home: Path
    provider: str | None = None
    model: str | None = None
    base_url: str | None = None
    api_key: Secret = _NO_KEY
    key_env: str | None = None
    api_mode: ApiMode | None = None
    context_window: int | None = None
    max_tokens: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    audio: bool | None = None
    extra_headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    reasoning_effort: str | None = None
    speed: str | None = None
    bedrock_region: str | None = None
    providers: tuple[NamedProvider, ...] = ()
    fallback_providers: tuple[Choice, ...] = ()
    auxiliary: Mapping[str, AuxiliaryTask] = field(default_factory=dict)
    credential_pool_strategies: Mapping[str, str] = field(default_factory=dict)
    api_timeout: float = 300.0
    api_max_retries: int = 3
    titles_enabled: bool = True
    max_turns: int = 500
    max_cost: float | None = None
    delegation_max_iterations: int = 50
    delegation_max_children: int = 3
    delegation_max_depth: int = 1
    delegation_provider: str | None = None
    delegation_model: str | None = None
    mode: Mode = "default"
    approvals_timeout: float | None = None
    second_opinion: bool = False
    memory_enabled: bool = True
    user_profile_enabled: bool = True
    compression_enabled: bool = True
    compression_threshold: float = 0.5
    compression_target_ratio: float = 0.2
    compression_protect_first_n: int = 3
    compression_protect_last_n: int = 20
    terminal_timeout: float = 180.0
    terminal_max_output: int = 50_000
    terminal_env_passthrough: tuple[str, ...] = ()
    terminal_in_editor: bool = False
    sandbox_mode: SandboxMode = "auto"
    plugin_entry_points: tuple[str, ...] = ()
    mcp_servers: tuple[McpServer, ...] = ()
    auth: Mapping[str, LoginSettings] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    user_env: Mapping[str, str] = field(default_factory=dict, repr=False)
    warnings: tuple[str, ...] = ()

    def variable(self, name: str) -> str | None:
        """Return a variable of ``.env`` or else of the environment; empty counts as unset."""
        return self.user_env.get(name) or self.env.get(name) or None


def hermes_home(environ: Mapping[str, str] | None = None) -> Path:
    """Return ``$HERMES_HOME`` or ``~/.hermes``, whether it exists or not.

    Raises ``ConfigError`` if it is relative, is not a folder, or no home is known at all.
    """
    environ = os.environ if environ is None else environ
    chosen = environ.get("HERMES_HOME", "").strip()
    home = _expand(chosen, environ) if chosen else _user_home(environ) / ".hermes"
    if not home.is_absolute():
        raise ConfigError(
            f"HERMES_HOME is {chosen!r}, which is relative. Set it to an absolute path."
        )
    try:
        if home.exists() and not home.is_dir():
            raise ConfigError(f"{home} is not a folder. Set HERMES_HOME to a folder of your own.")
    except OSError as error:
        raise ConfigError(_unreadable(home, error)) from None
    return home


def load_config(environ: Mapping[str, str] | None = None) -> Config:
    """Read ``config.yaml``, ``.env`` and the environment.

    Missing files count as empty. Every key that is found is registered for redaction. Raises
    ``ConfigError``, naming the file, the line and the key where there is one.
    """
    env = dict(os.environ if environ is None else environ)
    home = hermes_home(env)
    values, warnings = _read_settings(home / "config.yaml")
    user_env, oddities = _read_variables(home / ".env")
    config = Config(
        home=home,
        env=MappingProxyType(env),
        user_env=MappingProxyType(user_env),
        warnings=(*warnings, *oddities),
        **values,
    )
    _register_secrets(config)
    return config


def _expand(chosen: str, environ: Mapping[str, str]) -> Path:
    """Expand a leading ``~``, which no shell expands in an editor's settings."""
    first, _, rest = chosen.partition("/")
    return _user_home(environ) / rest if first == "~" else Path(chosen)


def _user_home(environ: Mapping[str, str]) -> Path:
    home = environ.get("HOME", "")
    if not home:
        import pwd

        try:
            home = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            home = ""
    if not os.path.isabs(home):
        raise ConfigError("No home folder is known. Set HOME or HERMES_HOME to an absolute path.")
    return Path(home)


def _read_settings(path: Path) -> tuple[dict[str, Any], list[str]]:
    if not _exists(path):
        return {}, []
    from hermes_core.local.config_reader import ConfigReader
    from hermes_core.local.yaml_file import read_yaml

    try:
        reader = ConfigReader(path, read_yaml(path))
    except OSError as error:
        raise ConfigError(_unreadable(path, error)) from None
    return reader.values, reader.warnings


def _read_variables(path: Path) -> tuple[dict[str, str], list[str]]:
    if not _exists(path):
        return {}, []
    from hermes_core.local.env_file import read_env

    try:
        return read_env(path)
    except OSError as error:
        raise ConfigError(_unreadable(path, error)) from None


def _exists(path: Path) -> bool:
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise ConfigError(_unreadable(path, error)) from None
    return True


def _unreadable(path: Path, error: OSError) -> str:
    reason = (error.strerror or str(error)).lower()
    return f"{path} cannot be read: {reason}. Check its permissions, or set HERMES_HOME."


def _register_secrets(config: Config) -> None:
    for key in (config.api_key, *_keys_of_entries(config)):
        REDACTOR.register(key)
    headers = (config.extra_headers, *(entry.extra_headers for entry in config.providers))
    for name, value in (pair for pairs in headers for pair in pairs):
        if name.upper().endswith(_SECRET_HEADERS):
            REDACTOR.register(Secret(value.rpartition(" ")[2]))
    for server in config.mcp_servers:
        server.register_secrets()
    own = set(_variables_of_entries(config))
    for source in (config.env, config.user_env):
        for name, value in source.items():
            if name in own or holds_secret(name):
                REDACTOR.register(Secret(value))


def holds_secret(name: str) -> bool:
    """Tell whether a variable's name says so: its last word, or ``TOKEN`` before a service's."""
    *before, last = name.upper().split("_")
    if last.endswith(_SECRET_NAMES):
        return True
    return "TOKEN" in before and last not in _NO_SECRETS


def _variables_of_entries(config: Config) -> Iterator[str | None]:
    tasks = config.auxiliary.values()
    yield config.key_env
    yield from (entry.key_env for entry in config.providers)
    yield from (choice.key_env for choice in config.fallback_providers)
    yield from (task.key_env for task in tasks)
    yield from (choice.key_env for task in tasks for choice in task.fallback_chain)


def _keys_of_entries(config: Config) -> Iterator[Secret]:
    yield from (entry.api_key for entry in config.providers)
    yield from (choice.api_key for choice in config.fallback_providers)
    yield from (login.client_secret for login in config.auth.values())
    for task in config.auxiliary.values():
        yield task.api_key
        yield from (choice.api_key for choice in task.fallback_chain)
