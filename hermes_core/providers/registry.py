"""The providers that are known: one folder each, loaded by path when it is asked for.

Bundled folders stand in ``hermes_core/plugins/model-providers/``; a generated index of them tells
which one to load. A folder of the same shape in ``$HERMES_HOME/plugins/model-providers/`` wins over
a bundled one of the same name; it must hold a ``plugin.yaml`` with ``api: 1`` (others belong to
other programs and are left alone) and must be the user's own. A folder that does not load, or that
claims another provider's name or alias, is named in ``problems`` and skipped.
"""

import importlib.util
import logging
import os
import stat
import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from hermes_core.ground.errors import ConfigError, HermesError
from hermes_core.local.config import hermes_home
from hermes_core.providers.declared import check
from hermes_core.providers.directory import Directory, Index, index_of
from hermes_core.providers.profile import ProviderProfile

BUNDLED = Path(__file__).parents[1] / "plugins" / "model-providers"
PLACE = Path("plugins") / "model-providers"

_log = logging.getLogger(__name__)


class _Loading(threading.local):
    found: list[ProviderProfile] | None = None


_LOADING = _Loading()
_ADDED: list[ProviderProfile] = []


class Catalogue:
    """The providers of one home.

    problems: a line for each folder that was skipped; overrides: one for each bundled provider
    that a folder of the user's has replaced. index: of the bundled folders, where it is known.
    """

    def __init__(self, bundled: Path, own: Path | None = None, index: Index | None = None) -> None:
        self.problems: list[str] = []
        self.overrides: list[str] = []
        self._bundled = bundled
        self._profiles: dict[str, ProviderProfile] = {}
        if index is None:
            index = index_of(p for folder in _folders(bundled) for p in self._load(folder))
        self._unread = set(index.names)
        self._lock = threading.RLock()
        self._index = index
        for folder in _folders(own) if own else ():
            if self._is_ours(folder):
                self._add(folder)
        self.directory = Directory(self._index, self._profile)

    def get(self, name: str) -> ProviderProfile | None:
        """Return the provider with that name or alias, in any case."""
        return self.directory.get(name)

    def all(self) -> list[ProviderProfile]:
        """Return every provider, by name."""
        found = (self._profile(name) for name in sorted(self._index.names))
        return [profile for profile in found if profile is not None]

    def _profile(self, name: str) -> ProviderProfile | None:
        """Return the provider of that canonical name, loading its bundled folder if need be."""
        with self._lock:
            if name not in self._profiles and name in self._unread:
                self._unread.remove(name)
                for profile in self._load(self._bundled / name):
                    self._profiles.setdefault(profile.name, profile)
            return self._profiles.get(name)

    def _load(self, folder: Path) -> list[ProviderProfile]:
        try:
            found = _run(folder)
        except (Exception, SystemExit) as error:
            reason = str(error) or type(error).__name__
            self._skip(f"{folder}: not loaded: {reason.splitlines()[0]}")
            return []
        if not found:
            self._skip(f"{folder}: registers no provider")
        return found

    def _add(self, folder: Path) -> None:
        """Take in a folder of the user's; it counts whole or not at all."""
        found = self._load(folder)
        try:
            for profile in found:
                check(profile)
            names = {profile.name for profile in found}
            replaced = [name for name in self._index.names if name in names]
            index = _merged(_without(self._index, names), index_of(found))
        except HermesError as error:
            self._skip(f"{folder}: not loaded: {error}")
            return
        self._index = index
        self._profiles.update((profile.name, profile) for profile in found)
        for name in replaced:
            self.overrides.append(f"{name}: {folder} is used in place of the bundled provider")
            _log.info("provider %s", self.overrides[-1])

    def _skip(self, line: str) -> None:
        self.problems.append(line)
        _log.warning("provider folder %s", line)

    def _is_ours(self, folder: Path) -> bool:
        """Tell whether a folder of the user's is meant for this program and safe to run."""
        from hermes_core.local.yaml_file import read_yaml

        try:
            data = read_yaml(folder / "plugin.yaml").data
            if not isinstance(data, dict) or data.get("api") != 1:
                return False
            unsafe = [path for path in (folder, folder / "__init__.py") if _others_may_write(path)]
        except FileNotFoundError:
            return False
        except (OSError, HermesError) as error:
            self.problems.append(f"{folder}: {error}")
            return False
        if unsafe:
            self.problems.append(f"{unsafe[0]}: not loaded: it can be changed by other users")
        return not unsafe


def register_provider(profile: ProviderProfile) -> None:
    """Make ``profile`` known: to the catalogue that is loading its folder, else to the process."""
    if _LOADING.found is not None:
        _LOADING.found.append(profile)
    else:
        _ADDED.append(profile)


@cache
def catalogue_for(home: Path) -> Catalogue:
    """Return the catalogue for a home; the user's own folders are loaded at the first call."""
    from hermes_core.providers.index import BUNDLED_INDEX

    return Catalogue(BUNDLED, home / PLACE, BUNDLED_INDEX)


def directory_for(home: Path) -> Directory:
    """Return the directory of a home, with what a program has registered itself."""
    known = catalogue_for(home).directory
    if not _ADDED:
        return known
    added = {profile.name: profile for profile in _ADDED}
    index = _merged(_without(known.index, set(added)), index_of(added.values()))
    return Directory(index, lambda name: added.get(name) or known.get(name))


def get_provider_profile(name: str, home: Path | None = None) -> ProviderProfile | None:
    """Return the provider with that name or alias; None if there is none."""
    return directory_for(home or hermes_home()).get(name)


def list_providers(home: Path | None = None) -> list[ProviderProfile]:
    """Return every known provider, by name."""
    directory = directory_for(home or hermes_home())
    found = (directory.get(name) for name in sorted(directory.index.names))
    return [profile for profile in found if profile is not None]


def problems(home: Path | None = None) -> list[str]:
    """Return a line for each provider folder that could not be used."""
    return list(catalogue_for(home or hermes_home()).problems)


def overrides(home: Path | None = None) -> list[str]:
    """Return a line for each bundled provider that a folder of the user's has replaced."""
    return list(catalogue_for(home or hermes_home()).overrides)


def _without(index: Index, names: set[str]) -> Index:
    """Return ``index`` without the providers of those names."""
    return Index(
        tuple(name for name in index.names if name not in names),
        {alias: name for alias, name in index.aliases.items() if name not in names},
        tuple(place for place in index.places if place[2] not in names),
        tuple(row for row in index.auto if row[0] not in names),
    )


def _merged(first: Index, then: Index) -> Index:
    """Return both. Raises ``ConfigError`` if they share a name or an alias."""
    taken = {name.lower(): name for name in first.names} | dict(first.aliases)
    for word, name in [*((name.lower(), name) for name in then.names), *then.aliases.items()]:
        if word in taken:
            raise ConfigError(f"{word} stands for {taken[word]} and for {name}.")
    return Index(
        first.names + then.names,
        {**first.aliases, **then.aliases},
        first.places + then.places,
        first.auto + then.auto,
    )


def _folders(place: Path) -> Iterable[Path]:
    try:
        return sorted(path for path in place.iterdir() if (path / "__init__.py").is_file())
    except OSError:
        return ()


def _run(folder: Path) -> list[ProviderProfile]:
    name = f"_hermes_provider_{folder.name.replace('-', '_')}"
    spec = importlib.util.spec_from_file_location(name, folder / "__init__.py")
    if spec is None or spec.loader is None:
        raise ImportError("no module")
    found: list[ProviderProfile] = []
    _LOADING.found = found
    try:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    finally:
        _LOADING.found = None
    return found


def _others_may_write(path: Path) -> bool:
    status = path.stat()
    own = status.st_uid in (os.getuid(), 0)
    return not own or bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
