"""``fallback``: the providers that stand in for the chosen one, in order."""

from typing import Any

from hermes_core.ground.errors import ConfigError
from hermes_core.ground.typed import quoted, whole_number
from hermes_core.local.config import Config
from hermes_core.local.provider_settings import Choice
from hermes_core.local.yaml_edit import YamlEdit
from hermes_core.model.assembly import runtime_for
from hermes_core.providers.named import find_provider
from hermes_core.providers.registry import directory_for
from hermes_core.providers.resolution import Request

CHAIN = "fallback_providers"
LEGACY = "fallback_model"
FILE = "config.yaml"
USAGE = "`list`, `add PROVIDER MODEL`, `remove NUMBER` and `clear`"


def chain_names(config: Config) -> list[str]:
    """Return the entries that count, in order, for people to read."""
    return [
        f"`{one.model}` through `{one.provider}`" + (f" ({one.base_url})" if one.base_url else "")
        for one in config.fallback_providers
    ]


def chain_text(config: Config) -> str:
    """Return the chain as Markdown, with what is wrong with its entries."""
    names = chain_names(config)
    lines = [f"{number}. {name}" for number, name in enumerate(names, 1)]
    if not lines:
        lines = [
            "There are no fallbacks: when the chosen provider fails, the turn ends. "
            "`add PROVIDER MODEL` adds one."
        ]
    lines += [f"- {text}" for text in config.warnings if CHAIN in text or LEGACY in text]
    return "\n".join(lines)


def run_fallback(config: Config, words: list[str]) -> tuple[str, bool]:
    """Run ``fallback WORDS``; return what to say, and whether the settings have changed.

    Raises ``ConfigError``.
    """
    match words:
        case [] | ["list" | "ls"]:
            return chain_text(config), False
        case ["add", provider, model]:
            return add_fallback(config, provider, model), True
        case ["remove" | "rm", which]:
            return remove_fallback(config, which), True
        case ["clear"]:
            return clear_fallbacks(config), True
        case _:
            raise ConfigError(f"That is not understood. There are: {USAGE}.")


def add_fallback(config: Config, provider: str, model: str) -> str:
    """Add an entry to the end of the chain; return what to say. Raises ``ConfigError``."""
    profile = find_provider(provider, config, directory_for(config.home))
    if profile is None:
        raise ConfigError(
            f"There is no provider {quoted(provider)}. `hermes providers` lists those there are."
        )
    wanted = (profile.name.lower(), model, None)
    if any(
        (one.provider.lower(), one.model, one.base_url) == wanted
        for one in config.fallback_providers
    ):
        raise ConfigError(f"`{model}` through {profile.name} stands in the chain already.")
    edit = YamlEdit(config.home / FILE)
    renew_legacy(edit)
    edit.append(CHAIN, {"provider": profile.name, "model": model})
    edit.save()
    said = f"`{model}` through `{profile.name}` is fallback {len(config.fallback_providers) + 1}."
    try:
        runtime_for(Request(provider=profile.name, model=model, main=False), config)
    except ConfigError as error:
        return f"{said} It cannot be used yet: {error}"
    return said


def remove_fallback(config: Config, which: str) -> str:
    """Take out the entry of that number, or that provider; raises ``ConfigError``."""
    chain = list(config.fallback_providers)
    number = whole_number(which)
    if number is not None:
        found = chain[number - 1 : number] if number else []
    else:
        found = [one for one in chain if which.lower() in (one.provider.lower(), one.model.lower())]
    if len(found) != 1:
        reason = "names several fallbacks" if found else "is no fallback"
        raise ConfigError(
            f"{quoted(which)} {reason}. `fallback list` shows them with their numbers."
        )
    choice = found[0]
    edit = YamlEdit(config.home / FILE)
    renew_legacy(edit)
    for place, entry in reversed(list(enumerate(_entries(edit)))):
        if _is_about(entry, choice):
            edit.remove(CHAIN, place)
    edit.save()
    return f"`{choice.model}` through `{choice.provider}` is no fallback any more."


def clear_fallbacks(config: Config) -> str:
    """Take out the whole chain; raises ``ConfigError``."""
    edit = YamlEdit(config.home / FILE)
    edit.put(LEGACY, None)
    edit.put(CHAIN, None)
    edit.save()
    return "There are no fallbacks any more."


def renew_legacy(edit: YamlEdit) -> None:
    """Turn the old ``fallback_model`` into the end of the chain, as before any first change."""
    old = edit.data.get(LEGACY)
    if old is None:
        return
    for entry in old if isinstance(old, list) else [old]:
        if isinstance(entry, dict) and entry and entry not in _entries(edit):
            edit.append(CHAIN, entry)
    edit.put(LEGACY, None)


def _entries(edit: YamlEdit) -> list[Any]:
    there = edit.data.get(CHAIN)
    return there if isinstance(there, list) else []


def _is_about(entry: Any, choice: Choice) -> bool:
    if not isinstance(entry, dict):
        return False
    named = (str(entry.get("provider", "")).strip().lower(), entry.get("model"))
    url = entry.get("base_url") or None
    return (*named, url) == (choice.provider.lower(), choice.model, choice.base_url)
