"""The models that an endpoint serves, from its own list, kept for an hour.

Asking needs a key, and obeys the same rule as a model call: the key goes to its own hosts alone.
"""

import hashlib
import json
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from hermes_core.ground.errors import ConfigError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.local.config import Config
from hermes_core.local.files import write_atomically
from hermes_core.local.folders import make_private_folder
from hermes_core.model.masking import masked_data
from hermes_core.providers.credentials import is_login
from hermes_core.providers.named import find_provider
from hermes_core.providers.refresh import prepared
from hermes_core.providers.registry import directory_for
from hermes_core.transport.fetch import binding_of, fetch_json
from hermes_core.transport.network import network_for

CACHE = Path("cache") / "models.json"
KEPT_FOR = 3600.0
"""Seconds for which a list is not asked for again."""

TIMEOUT = 8.0
_ANTHROPIC_VERSION = "2023-06-01"
_PAGE = 1000
"""Models on a page, in the Messages format's own list: the most that there may be. Unasked, 20."""

_WINDOW_KEYS = (
    "context_length",
    "context_window",
    "max_input_tokens",
    "max_context_length",
    "max_model_len",
    "inputTokenLimit",
    "n_ctx",
)
_OTHER_KINDS = ("embed", "image", "audio", "speech", "tts", "rerank", "moderation", "video", "stt")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One model of a list. window: tokens; prices: as in ``Runtime``; None if it does not say.

    audio: whether it takes sounds, as aggregators list it.
    """

    id: str
    name: str = ""
    window: int | None = None
    max_output: int | None = None
    prices: tuple[float, float, float] | None = None
    audio: bool | None = None


def list_models(
    runtime: Runtime,
    config: Config,
    *,
    refresh: bool = False,
    interrupt: Interrupt | None = None,
    clock: Callable[[], float] = time.time,
) -> tuple[ModelInfo, ...]:
    """Return the models of the runtime's endpoint that can use tools, as far as its list says so.

    A login that is about to end is renewed before. Raises ``ConfigError`` if the provider lists
    none, ``ProviderError`` if it cannot be asked.
    """
    kept = _Kept(config.home, runtime)
    found = None if refresh else kept.fresh(clock())
    if found is not None:
        return found
    runtime = prepared(config, runtime, interrupt=interrupt or Interrupt())
    url, headers = _place(runtime, config)
    bound = binding_of(runtime)
    bound = replace(bound, headers=(*bound.headers, *headers))
    answer = fetch_json(
        url,
        binding=bound,
        network=network_for(config, url),
        timeout=TIMEOUT,
        interrupt=interrupt,
    )
    models = tuple(read_list(masked_data(answer.data)))
    if models:
        kept.keep(models, clock())
    return models


def stored_list(runtime: Runtime, config: Config) -> tuple[ModelInfo, ...]:
    """Return the endpoint's list as it was last asked for; empty if it never was."""
    return _Kept(config.home, runtime).fresh(None) or ()


def is_list_due(
    runtime: Runtime,
    config: Config,
    *,
    even_if_new: bool,
    clock: Callable[[], float] = time.time,
) -> bool:
    """Return whether the endpoint's list is too old; even_if_new: one that there is not yet is."""
    kept = _Kept(config.home, runtime)
    if kept.fresh(clock()) is not None:
        return False
    return even_if_new or kept.fresh(None) is not None


def kept_model(runtime: Runtime, config: Config) -> ModelInfo | None:
    """Return what the endpoint's list said of the runtime's model when it was last asked."""
    models = _Kept(config.home, runtime).fresh(None) or ()
    return next((model for model in models if model.id == runtime.model), None)


def read_list(data: Any) -> Iterable[ModelInfo]:
    """Yield the models of a list that are language models and, where it says so, use tools."""
    entries = data
    if isinstance(data, Mapping):
        entries = next((data[key] for key in ("data", "models") if key in data), ())
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        return
    for entry in entries:
        if isinstance(entry, str):
            yield ModelInfo(entry)
        elif isinstance(entry, Mapping) and (name := _name(entry)) and _is_usable(entry):
            yield ModelInfo(
                name,
                str(entry.get("display_name") or entry.get("name") or ""),
                _window(entry),
                _count(entry.get("max_output_tokens") or entry.get("max_completion_tokens")),
                _prices(entry),
                _takes_audio(entry),
            )


def _name(entry: Mapping[str, Any]) -> str:
    found = next((entry[key] for key in ("id", "slug", "key", "model", "name") if key in entry), "")
    return found.removeprefix("models/") if isinstance(found, str) else ""


def _is_usable(entry: Mapping[str, Any]) -> bool:
    parameters, tags = entry.get("supported_parameters"), entry.get("tags")
    able = entry.get("capabilities")
    kind = str(entry.get("type") or (able.get("type") if isinstance(able, Mapping) else "")).lower()
    if any(word in kind for word in _OTHER_KINDS):
        return False
    if isinstance(parameters, list):
        return "tools" in parameters
    if isinstance(tags, list) and kind == "language":
        return "tool-use" in tags
    if isinstance(able, list):
        return bool({"tools", "tool_use"} & {str(word) for word in able})
    supports = able.get("supports") if isinstance(able, Mapping) else None
    return bool(supports.get("tool_calls", True)) if isinstance(supports, Mapping) else True


def _window(entry: Mapping[str, Any]) -> int | None:
    places: list[Any] = [entry, entry.get("top_provider"), entry.get("meta")]
    able = entry.get("capabilities")
    if isinstance(able, Mapping) and isinstance(limits := able.get("limits"), Mapping):
        window = limits.get("max_prompt_tokens") or limits.get("max_context_window_tokens")
        places.insert(0, {"context_length": window})
    for place in places:
        for key in _WINDOW_KEYS:
            if isinstance(place, Mapping) and (count := _count(place.get(key))):
                return count
    return None


def _takes_audio(entry: Mapping[str, Any]) -> bool | None:
    """Return whether sounds are among what a model is listed to take; None if nothing is."""
    for place in (entry.get("architecture"), entry):
        kinds = place.get("input_modalities") if isinstance(place, Mapping) else None
        if isinstance(kinds, list):
            return "audio" in kinds
    return None


def _prices(entry: Mapping[str, Any]) -> tuple[float, float, float] | None:
    """Return the US dollars for a token, as aggregators list them; None unless both are known."""
    listed = entry.get("pricing")
    if not isinstance(listed, Mapping):
        return None
    read = _dollars(listed.get("prompt", listed.get("input")))
    written = _dollars(listed.get("completion", listed.get("output")))
    if read is None or written is None:
        return None
    cached = _dollars(listed.get("input_cache_read"))
    return (read, written, read if cached is None else cached)


def _dollars(value: Any) -> float | None:
    try:
        price = float(value)
    except (TypeError, ValueError):
        return None
    return price if 0 <= price < 1 else None


def _count(value: Any) -> int | None:
    whole = isinstance(value, (int, float)) and not isinstance(value, bool)
    return int(value) if whole and 0 < value < 1e9 else None


def _place(runtime: Runtime, config: Config) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the list's address, and what has to be said to get it."""
    profile = find_provider(runtime.provider, config, directory_for(config.home))
    if profile is not None and not profile.lists_models:
        raise ConfigError(f"{runtime.provider} does not list its models. Name the one you want.")
    if runtime.auth in ("aws", "process") or runtime.base_url.startswith("scripted:"):
        raise ConfigError(f"{runtime.provider} does not list its models. Name the one you want.")
    base = runtime.base_url.rstrip("/")
    own_address = profile is not None and profile.base_url == runtime.base_url
    listed = profile.models_url if profile is not None and own_address else None
    if runtime.api_mode == "anthropic_messages":
        headers = (("anthropic-version", _ANTHROPIC_VERSION),)
        listed = listed or f"{base.removesuffix('/v1')}/v1/models"
        return f"{listed}?limit={_PAGE}", headers
    return listed or f"{base}/models", ()


def _kept_info(model: Mapping[str, Any]) -> ModelInfo:
    info = ModelInfo(**model)
    if info.prices is None:
        return info
    read, written, cached = map(float, info.prices)
    return replace(info, prices=(read, written, cached))


class _Kept:
    """The lists on the disk: one for each address with its login or key, told by a hash alone."""

    def __init__(self, home: Path, runtime: Runtime) -> None:
        self._path = home / CACHE
        name = runtime.credential
        secret = name if is_login(name) else runtime.api_key.reveal()
        told = f"{runtime.provider}\n{runtime.base_url}\n{secret}"
        self._key = hashlib.sha256(told.encode(errors="surrogatepass")).hexdigest()[:32]

    def fresh(self, now: float | None) -> tuple[ModelInfo, ...] | None:
        """Return the list if it is not too old at ``now``; of any age with None."""
        try:
            entry = self._read()[self._key]
            if now is not None and not 0 <= now - float(entry["at"]) < KEPT_FOR:
                return None
            return tuple(map(_kept_info, entry["models"]))
        except (KeyError, TypeError, ValueError):
            return None

    def keep(self, models: Sequence[ModelInfo], now: float) -> None:
        """Keep a list; that a disk is full or read-only is no reason to fail."""
        lists = self._read()
        lists[self._key] = {"at": now, "models": [asdict(model) for model in models]}
        with suppress(OSError):
            make_private_folder(self._path.parent)
            write_atomically(self._path, json.dumps({"lists": lists}).encode(), 0o600)

    def _read(self) -> dict[str, Any]:
        try:
            lists = json.loads(self._path.read_bytes())["lists"]
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError) as error:
            _log.info("the kept lists of models cannot be read: %s", error)
            return {}
        return lists if isinstance(lists, dict) else {}
