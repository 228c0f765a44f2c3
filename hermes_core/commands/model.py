"""``model``: which provider and model answer, those there are, and saving a choice."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from hermes_core.commands.fallback import FILE, renew_legacy
from hermes_core.ground.errors import ConfigError, ProviderError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.typed import quoted
from hermes_core.local.config import Config
from hermes_core.local.yaml_edit import YamlEdit
from hermes_core.model.assembly import runtime_for
from hermes_core.model.catalogue import ModelInfo, list_models
from hermes_core.providers.named import find_provider
from hermes_core.providers.profile import ProviderProfile
from hermes_core.providers.registry import directory_for
from hermes_core.providers.resolution import Request

_ANY_MODEL = "any"
_LONGEST_NAME = 200
_OF_ENDPOINT = ("base_url", "api_key", "key_env", "api_mode", "max_tokens", "extra_headers")
_MOVED = ("base_url", "api_key", "key_env", "api_mode", "max_tokens", "extra_headers")


@dataclass(frozen=True, slots=True)
class Offer:
    """Models to choose from. note: where they are from, or why the provider's list is not."""

    provider: str
    models: tuple[ModelInfo, ...]
    note: str = ""


def model_text(runtime: Runtime) -> str:
    """Return what is in use, as Markdown."""
    return f"`{runtime.model}` through `{runtime.provider}`, {runtime.context_window:,} tokens."


def read_words(words: Sequence[str]) -> tuple[list[str], str | None]:
    """Return the words without ``--provider P``, and ``P``. Raises ``ConfigError``."""
    left: list[str] = []
    provider: str | None = None
    rest = iter(words)
    for word in rest:
        if word.startswith("--provider="):
            provider = word.partition("=")[2]
        elif word in ("--provider", "—provider"):
            provider = next(rest, "")
        elif word.startswith("--"):
            raise ConfigError(f"There is no option {quoted(word)}. There is --provider P.")
        else:
            left.append(word)
    if provider == "":
        raise ConfigError("--provider needs a name. `hermes providers` lists them.")
    return left, provider


def named_model(words: Sequence[str]) -> str | None:
    """Return the model that the words name; None for no word. Raises ``ConfigError``."""
    if len(words) > 1:
        raise ConfigError("A model's name has no spaces. Type `/model NAME`.")
    name = words[0] if words else None
    if name is not None and (len(name) > _LONGEST_NAME or not name.isprintable()):
        raise ConfigError(
            f"{quoted(name)} is no model's name: it is too long, or holds what cannot be seen. "
            "`/model list` lists those there are."
        )
    return name


def offer(
    config: Config,
    provider: str | None,
    query: str = "",
    *,
    refresh: bool = False,
    interrupt: Interrupt | None = None,
) -> Offer:
    """Return a provider's models, or those of the one in use, that every word of ``query`` fits.

    Where the provider has no list, or cannot be asked, those that its profile names are offered.
    Raises ``ConfigError`` for a provider that there is not, or that lacks a key.
    """
    request = Request(provider=provider, model=None if provider is None else _ANY_MODEL)
    runtime = runtime_for(request, config)
    note = ""
    try:
        models = list_models(runtime, config, refresh=refresh, interrupt=interrupt)
    except (ConfigError, ProviderError) as error:
        profile = find_provider(runtime.provider, config, directory_for(config.home))
        models, note = known_models(profile), str(error)
    words = query.lower().split()
    found = [one for one in models if all(word in f"{one.id} {one.name}".lower() for word in words)]
    return Offer(runtime.provider, tuple(found), note)


def offer_text(found: Offer, limit: int = 40) -> str:
    """Return models as Markdown, at most ``limit`` of them."""
    lines = [f"- `{one.id}`{_window(one)}" for one in found.models[:limit]]
    if len(found.models) > limit:
        lines.append(f"- and {len(found.models) - limit} more; a further word narrows it down")
    if not lines:
        lines = [f"No model of {found.provider} that fits is known."]
    return "\n".join([*lines, *(["", found.note] if found.note else [])])


def save_model(config: Config, provider: str | None, model: str) -> str:
    """Save provider and model in config.yaml; return what to say.

    An endpoint that was saved in section ``model`` and is not meant any more is kept under
    ``providers``. Raises ``ConfigError`` for what cannot be used; nothing is written then.
    """
    request = Request(provider=provider, model=model)
    runtime = runtime_for(request, config)
    edit = YamlEdit(config.home / FILE)
    renew_legacy(edit)
    said = [f"`{model}` through `{runtime.provider}` answers from now on."]
    section = edit.data.get("model")
    if isinstance(section, str):
        edit.put("model", {"default": section})
    old = edit.data.get("model") or {}
    changes: dict[str, Any] = {"provider": runtime.provider, "default": model}
    if _is_elsewhere(runtime, config, old):
        said += _keep_endpoint(edit, old)
        changes |= dict.fromkeys(key for key in _OF_ENDPOINT if key in old)
    if old.get("default") != model and "context_length" in old:
        changes["context_length"] = None
    edit.set("model", changes)
    edit.save()
    return " ".join(said)


def _is_elsewhere(runtime: Runtime, config: Config, old: dict[str, Any]) -> bool:
    """Tell whether the section's address and key are about another provider than the new one."""
    before = str(old.get("provider") or ("custom" if config.base_url else "")).lower()
    profile = find_provider(before, config, directory_for(config.home)) if before else None
    return (profile.name if profile else before) != runtime.provider


def _keep_endpoint(edit: YamlEdit, old: dict[str, Any]) -> list[str]:
    """Keep an endpoint of the user's own under a name made of its host."""
    url = old.get("base_url")
    known = edit.data.get("providers") or {}
    if not isinstance(url, str) or not isinstance(known, dict):
        return []
    if any(isinstance(one, dict) and one.get("base_url") == url for one in known.values()):
        return []
    name = urlsplit(url).netloc.replace(":", "-") or "endpoint"
    while name in known:
        name = f"{name}-2"
    entry = {key: old[key] for key in _MOVED if key in old}
    if old.get("default"):
        entry["model"] = old["default"]
    edit.set("providers", {name: entry})
    return [f"The endpoint that was saved is kept as `custom:{name}`."]


def known_models(profile: ProviderProfile | None) -> tuple[ModelInfo, ...]:
    """Return the models that a provider's profile names, without their windows."""
    if profile is None:
        return ()
    names = dict.fromkeys(filter(None, (profile.default_model, *profile.fallback_models)))
    return tuple(ModelInfo(name) for name in names)


def _window(model: ModelInfo) -> str:
    return f": {model.window:,} tokens" if model.window else ""
