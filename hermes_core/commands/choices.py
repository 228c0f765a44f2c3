"""The models that a session can choose from, without asking anybody: what is stored and known.

A provider is in the list if it has a key or a login, if it runs without one and was asked for its
models before, or if it is the one in use. Its models are those of its own list as it was last
asked for, else those that its profile names.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hermes_core.commands.model import known_models
from hermes_core.commands.providers import provider_rows
from hermes_core.ground.errors import ConfigError, ProviderError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.usage import Usage
from hermes_core.local.config import Config
from hermes_core.model.assembly import runtime_for
from hermes_core.model.catalogue import ModelInfo, is_list_due, list_models, stored_list
from hermes_core.model.facts import known_fact
from hermes_core.model.prices import estimate
from hermes_core.providers.named import find_provider
from hermes_core.providers.registry import directory_for
from hermes_core.providers.resolution import Request

LONGEST = 150
"""Models of one provider that are offered; ``/model NAME`` takes any other."""

_ANY_MODEL = "any"
_NO_KEY = "no key"
_DEMO = "demo"


@dataclass(frozen=True, slots=True)
class Choice:
    """A model to choose. window: tokens; prices: US dollars for a million tokens in and out."""

    model: str
    name: str = ""
    window: int | None = None
    prices: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Choices:
    """The models of one provider."""

    provider: str
    name: str
    models: tuple[Choice, ...]


def model_choices(config: Config, in_use: Runtime | None = None) -> list[Choices]:
    """Return what can be chosen, the provider in use first, with its model. Nobody is asked."""
    found = [
        group
        for runtime, title in _usable(config, in_use)
        if (group := _of(runtime, title, config))
    ]
    if in_use is None:
        return found
    mine = [group for group in found if group.provider == in_use.provider]
    others = [group for group in found if group.provider != in_use.provider]
    return [_with_model(mine[0] if mine else None, in_use), *others]


def refresh_lists(config: Config, in_use: Runtime | None, interrupt: Interrupt) -> bool:
    """Ask for the lists that are due: that of the provider in use, and those that are stored.

    Returns whether one was asked for. A provider that cannot be asked keeps what is stored.
    """
    asked = False
    for runtime, _ in _usable(config, in_use):
        is_mine = in_use is not None and runtime.provider == in_use.provider
        if not is_list_due(runtime, config, even_if_new=is_mine):
            continue
        try:
            list_models(runtime, config, interrupt=interrupt)
        except (ConfigError, ProviderError):
            continue
        asked = True
    return asked


def _usable(config: Config, in_use: Runtime | None) -> list[tuple[Runtime, str]]:
    """Return the providers to choose from, each as it would be asked, with its name for people."""
    usable: list[tuple[Runtime, str]] = []
    for row in provider_rows(config):
        is_mine = in_use is not None and row.name == in_use.provider
        if is_mine and in_use is not None:
            usable.append((in_use, row.display_name))
            continue
        if not row.usable or row.name == _DEMO:
            continue
        try:
            runtime = runtime_for(Request(provider=row.name, model=_ANY_MODEL), config)
        except ConfigError:
            continue
        if not row.found.startswith(_NO_KEY) or stored_list(runtime, config):
            usable.append((runtime, row.display_name))
    return usable


def _of(runtime: Runtime, title: str, config: Config) -> Choices | None:
    models: Sequence[ModelInfo] | None = stored_list(runtime, config)
    if not models:
        profile = find_provider(runtime.provider, config, directory_for(config.home))
        models = known_models(profile)
    chosen = tuple(_choice(model, runtime) for model in models[:LONGEST])
    return Choices(runtime.provider, title or runtime.provider, chosen) if chosen else None


def _with_model(group: Choices | None, runtime: Runtime) -> Choices:
    """Return the group of the provider in use, with the model in use in it."""
    group = group or Choices(runtime.provider, runtime.provider, ())
    if any(choice.model == runtime.model for choice in group.models):
        return group
    mine = Choice(runtime.model, "", runtime.context_window, _listed_prices(runtime))
    return replace(group, models=(mine, *group.models))


def _choice(model: ModelInfo, runtime: Runtime) -> Choice:
    window = model.window
    if window is None:
        fact = known_fact(runtime.provider, model.id, elsewhere=not _is_users_own(runtime))
        window = None if fact is None else fact.window
    asked = replace(runtime, model=model.id, prices=model.prices)
    return Choice(model.id, model.name, window, _listed_prices(asked))


def _listed_prices(runtime: Runtime) -> tuple[float, float] | None:
    """Return the prices; those of the table only once something else has loaded it."""
    if runtime.prices is None and "genai_prices" not in sys.modules:
        return None
    read, written = (estimate(runtime, one) for one in (Usage(input=1_000), Usage(output=1_000)))
    if read is None or written is None:
        return None
    return round(read * 1_000, 6), round(written * 1_000, 6)


def _is_users_own(runtime: Runtime) -> bool:
    return runtime.provider.partition(":")[0] == "custom"
