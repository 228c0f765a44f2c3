"""Plugins of the user: code that looks at what the agent does, and may hold it back.

A plugin is a folder ``plugins/<name>`` in the folder of our settings, with ``plugin.yaml`` (which
says ``api: 1``) and ``__init__.py`` (which has ``register(hooks)``), or an entry point of the group
``hermes.plugins`` that the settings name. Folders without ``api`` belong to another program and are
passed over in silence; what cannot be loaded is named, and nothing else suffers from it.

Nothing comes from a workspace: no link is followed, what others can write is not loaded, and so is
what lies in a folder of the session. Only the user's usual home may lie in one, since a session in
the user's own home folder holds it.
"""

import importlib.util
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from hermes_core.ground.errors import ConfigError, HermesError
from hermes_core.local.config import Config, hermes_home

FOLDER = "plugins"
MANIFEST = "plugin.yaml"
API = 1
GROUP = "hermes.plugins"
MOST_FILES = 5_000

HOOKS = (
    "pre_tool_call",
    "post_tool_call",
    "pre_llm_call",
    "post_llm_call",
    "on_session_start",
    "on_session_end",
)

_modules: dict[Path, ModuleType] = {}


@dataclass(frozen=True, slots=True)
class Hook:
    """A function of a plugin."""

    plugin: str
    function: Callable[..., Any]


class Hooks:
    """What ``register`` is given: takes the functions of one plugin."""

    def __init__(self, plugin: str) -> None:
        self.plugin = plugin
        self.found: dict[str, list[Hook]] = {}

    def add(self, name: str, function: Callable[..., Any]) -> None:
        """Have ``function`` called as the hook ``name``; raises ``ValueError`` if there is none."""
        if name not in HOOKS:
            near = get_close_matches(str(name), HOOKS, n=1) or HOOKS
            raise ValueError(f"there is no hook {name!r}, but {', '.join(near)}")
        if not callable(function):
            raise ValueError(f"the hook {name} needs a function")
        self.found.setdefault(name, []).append(Hook(self.plugin, function))


Register = Callable[[Hooks], None]


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin that may be loaded; ``load`` runs its code and returns its ``register``."""

    name: str
    load: Callable[[], Register]


def has_plugins(config: Config) -> bool:
    """Return whether there is anything to look for."""
    return bool(config.plugin_entry_points) or os.path.isdir(config.home / FOLDER)


def find_plugins(config: Config, roots: Sequence[Path]) -> tuple[list[Plugin], list[str]]:
    """Return the plugins to load, and a line on each that is ours and cannot be.

    roots: the folders of the session, from which nothing is loaded.
    """
    found: list[Plugin] = []
    warnings: list[str] = []
    outside = _Outside(roots, config.env)
    looks: list[tuple[str, Callable[[], Plugin | None]]] = [
        (folder.name, partial(_in_folder, folder, config.home, outside))
        for folder in _folders(config.home)
    ]
    looks += [(name, partial(_entry_point, name, outside)) for name in config.plugin_entry_points]
    for name, look in looks:
        try:
            plugin = look()
        except (HermesError, OSError, ImportError, ValueError) as error:
            warnings.append(f"The plugin {name} is not loaded: {error}")
        else:
            if plugin is not None:
                found.append(plugin)
    return found, warnings


def _folders(home: Path) -> Iterator[Path]:
    place = home / FOLDER
    try:
        names = sorted(os.listdir(place))
    except OSError:
        return
    for name in names:
        if not name.startswith((".", "_")) and (place / name / MANIFEST).is_file():
            yield place / name


def _in_folder(folder: Path, home: Path, outside: "_Outside") -> Plugin | None:
    """Return the plugin of a folder, None for one that is another program's."""
    api = _api(folder / MANIFEST)
    if api is None:
        return None
    if api != API:
        raise ConfigError(f"it wants api {api!r}, and this Hermes has {API}. Upgrade one of both.")
    real = Path(os.path.realpath(home)) / FOLDER / folder.name
    if real != Path(os.path.realpath(folder)):
        raise ConfigError("links are not followed. Put its folder itself there.")
    outside.check(real)
    _check_files(real)
    if not (real / "__init__.py").is_file():
        raise ConfigError("it has no __init__.py.")
    return Plugin(folder.name, lambda: _register_of(_module(real)))


def _api(manifest: Path) -> object:
    from hermes_core.local.yaml_file import read_yaml

    data = read_yaml(manifest).data
    return data.get("api") if isinstance(data, Mapping) else None


def _check_files(folder: Path) -> None:
    """Raise ``ConfigError`` for a link, and for what another user owns or may write."""
    count = 0
    owners = (0, os.getuid())
    for place, folders, files in os.walk(folder):
        for name in (".", *folders, *files):
            path = os.path.normpath(os.path.join(place, name))
            found = os.lstat(path)
            count += 1
            if count > MOST_FILES:
                raise ConfigError(f"it has more than {MOST_FILES} files.")
            if stat.S_ISLNK(found.st_mode):
                raise ConfigError(f"{path} is a link. Links are not followed.")
            if found.st_uid not in owners or found.st_mode & 0o022:
                raise ConfigError(
                    f"others can change {path}. Make it yours alone: `chmod -R go-w {folder}`."
                )


def _module(folder: Path) -> ModuleType:
    """Import the plugin's package under a name of its own, once for the process."""
    if folder in _modules:
        return _modules[folder]
    name = f"_hermes_plugin_{len(_modules)}_{folder.name.replace('-', '_').replace('.', '_')}"
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError("it cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    _modules[folder] = module
    return module


def _register_of(module: object) -> Register:
    register = getattr(module, "register", module)
    if not callable(register):
        raise ImportError("it has no function register(hooks)")
    function: Register = register
    return function


def _entry_point(name: str, outside: "_Outside") -> Plugin:
    from importlib.metadata import entry_points

    found = entry_points(group=GROUP, name=name)
    if not found:
        raise ConfigError(
            f"no installed package has an entry point of that name in the group {GROUP}. Install"
            " it, or take it out of plugins.entry_points."
        )
    point = next(iter(found))
    top = point.module.partition(".")[0]
    spec = importlib.util.find_spec(top)
    if spec is None:
        raise ConfigError(f"its module {point.module} cannot be found.")
    places = [*(spec.submodule_search_locations or ()), *([spec.origin] if spec.origin else [])]
    for place in places:
        outside.check(Path(os.path.realpath(place)))
    return Plugin(name, lambda: _register_of(point.load()))


class _Outside:
    """Tells what lies in none of the folders of a session."""

    def __init__(self, roots: Sequence[Path], environ: Mapping[str, str]) -> None:
        self._roots = [Path(os.path.realpath(root)) for root in roots]
        try:
            usual = hermes_home({**environ, "HERMES_HOME": ""})
            self._usual: Path | None = Path(os.path.realpath(usual))
        except ConfigError:  # the user has no home
            self._usual = None

    def check(self, real: Path) -> None:
        """Raise ``ConfigError`` for what a workspace could have put there."""
        for root in self._roots:
            usual = self._usual
            own = usual and real.is_relative_to(usual) and usual.is_relative_to(root)
            if real.is_relative_to(root) and not own:
                raise ConfigError(f"it lies in the workspace ({root}), which loads no code.")
