"""Endpoints that the user named: entries of ``config.yaml`` as providers, ``custom:NAME``."""

import re
from dataclasses import replace

from hermes_core.ground.errors import ConfigError
from hermes_core.local.config import Config
from hermes_core.local.provider_settings import NamedProvider
from hermes_core.providers.directory import Directory
from hermes_core.providers.profile import NAMED, ProviderProfile
from hermes_core.providers.registry import directory_for

_VARIABLE = re.compile(r"\$\{(\w+)\}")


def find_provider(
    name: str, config: Config, directory: Directory | None = None
) -> ProviderProfile | None:
    """Return the provider that ``name`` means: bundled, the user's plugin, or a named endpoint.

    A canonical name is never that of a named endpoint, an alias may be. ``custom:NAME`` is the
    endpoint of that name and nothing else.
    """
    directory = directory or directory_for(config.home)
    wanted = name.strip().lower()
    if not wanted.startswith(NAMED) and directory.is_name(wanted):
        return directory.get(wanted)
    entry = entry_of(config, wanted.removeprefix(NAMED))
    if entry is not None:
        return profile_of(entry, directory)
    return None if wanted.startswith(NAMED) else directory.get(wanted)


def all_providers(config: Config) -> list[ProviderProfile]:
    """Return every provider that can be chosen, named endpoints last."""
    directory = directory_for(config.home)
    found = [directory.get(name) for name in sorted(directory.index.names)]
    found += [profile_of(entry, directory) for entry in config.providers]
    return [profile for profile in found if profile is not None]


def entry_of(config: Config, name: str) -> NamedProvider | None:
    """Return the entry of that name, in any case."""
    return next((entry for entry in config.providers if entry.name.lower() == name), None)


def entry_at(config: Config, url: str | None) -> NamedProvider | None:
    """Return the one entry whose address is ``url``; None if there is none or several.

    It gives a bare ``custom`` its identity back, which other programs save without the name.
    """
    wanted = (url or "").strip().rstrip("/")
    found = [entry for entry in config.providers if entry.enabled and _address(entry) == wanted]
    return found[0] if wanted and len(found) == 1 else None


def profile_of(entry: NamedProvider, directory: Directory) -> ProviderProfile:
    """Return a named endpoint as a provider; it is like ``custom`` in all that it does not say."""
    custom = directory.get("custom") or ProviderProfile("custom", "custom")
    ids = tuple(model for model, _ in entry.models)
    body = {**custom.compat.extra_body, **entry.extra_body}
    return replace(
        custom,
        name=f"{NAMED}{entry.name}",
        display_name=entry.display_name or entry.name,
        api_mode=entry.api_mode or custom.api_mode,
        base_url=entry.base_url,
        base_url_env=None,
        base_url_env_also=(),
        key_envs=(entry.key_env,) if entry.key_env else (),
        aliases=(),
        default_model=entry.model or next(iter(ids), None),
        compat=replace(custom.compat, extra_body=body),
        headers=entry.extra_headers,
        lists_models=entry.discover_models,
        fallback_models=ids,
        default_window=entry.context_window,
        entry=entry,
    )


def expanded(url: str, config: Config) -> str:
    """Return an address of config.yaml with the variables of ``.env`` that it names.

    The process environment is not asked: it may come from the project that is being worked on.
    Raises ``ConfigError`` for a variable that is not there.
    """

    def value(match: re.Match[str]) -> str:
        found = config.user_env.get(match[1])
        if not found:
            raise ConfigError(
                f"The address {url} names the variable {match[1]}, which is not set in "
                f"{config.home / '.env'}. Set it there."
            )
        return found

    return _VARIABLE.sub(value, url)


def _address(entry: NamedProvider) -> str:
    return (entry.base_url or "").strip().rstrip("/")
