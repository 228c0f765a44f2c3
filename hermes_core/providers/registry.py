"""The providers that are known: one folder each, loaded by path when first asked for.

Bundled folders stand in ``hermes_core/plugins/model-providers/``. A folder of the same shape in
``$HERMES_HOME/plugins/model-providers/`` wins over a bundled one of the same name; it must hold
a ``plugin.yaml`` with ``api: 1`` (others belong to other programs and are left alone) and must be
the user's own. A folder that does not load is named in ``problems`` and skipped.
"""

import importlib.util
import os
import stat
import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from hermes_core.ground.errors import HermesError
from hermes_core.local.config import hermes_home
from hermes_core.providers.profile import ProviderProfile

BUNDLED = Path(__file__).parents[1] / "plugins" / "model-providers"
PLACE = Path("plugins") / "model-providers"


class _Loading(threading.local):
    found: list[ProviderProfile] | None = None


_LOADING = _Loading()
_ADDED: list[ProviderProfile] = []


class Catalogue:
    """The providers of one home. ``problems`` has a line for each folder that was skipped."""

    def __init__(self, bundled: Path, own: Path | None = None) -> None:
        self.problems: list[str] = []
        self._profiles: dict[str, ProviderProfile] = {}
        for folder in _folders(bundled):
            self._load(folder)
        for folder in _folders(own) if own else ():
            if self._is_ours(folder):
                self._load(folder)
        self._aliases = self._index()

    def get(self, name: str) -> ProviderProfile | None:
        """Return the provider with that name or alias, in any case."""
        name = name.strip().lower()
        return self._profiles.get(self._aliases.get(name, name))

    def all(self) -> list[ProviderProfile]:
        """Return every provider, by name."""
        return [self._profiles[name] for name in sorted(self._profiles)]

    def _load(self, folder: Path) -> None:
        try:
            found = _run(folder)
        except (Exception, SystemExit) as error:
            reason = str(error) or type(error).__name__
            self.problems.append(f"{folder}: not loaded: {reason.splitlines()[0]}")
            return
        if not found:
            self.problems.append(f"{folder}: registers no provider")
        for profile in found:
            self._profiles[profile.name.lower()] = profile

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

    def _index(self) -> dict[str, str]:
        aliases: dict[str, str] = {}
        for profile in self.all():
            for alias in profile.aliases:
                taken = aliases.get(alias) or (alias if alias in self._profiles else None)
                if taken:
                    self.problems.append(f"{profile.name}: the alias {alias} belongs to {taken}")
                else:
                    aliases[alias] = profile.name.lower()
        return aliases


def register_provider(profile: ProviderProfile) -> None:
    """Make ``profile`` known: to the catalogue that is loading its folder, else to the process."""
    if _LOADING.found is not None:
        _LOADING.found.append(profile)
    else:
        _ADDED.append(profile)


@cache
def catalogue_for(home: Path) -> Catalogue:
    """Return the catalogue for a home, loaded at the first call."""
    return Catalogue(BUNDLED, home / PLACE)


def get_provider_profile(name: str, home: Path | None = None) -> ProviderProfile | None:
    """Return the provider with that name or alias; None if there is none."""
    for profile in reversed(_ADDED):
        if name.strip().lower() in (profile.name.lower(), *profile.aliases):
            return profile
    return catalogue_for(home or hermes_home()).get(name)


def list_providers(home: Path | None = None) -> list[ProviderProfile]:
    """Return every known provider, by name."""
    known = {profile.name: profile for profile in catalogue_for(home or hermes_home()).all()}
    known.update({profile.name: profile for profile in _ADDED})
    return [known[name] for name in sorted(known)]


def problems(home: Path | None = None) -> list[str]:
    """Return a line for each provider folder that could not be used."""
    return list(catalogue_for(home or hermes_home()).problems)


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
