"""Which plugins are found, and that nothing comes from where others could put it."""

import importlib.metadata
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from hermes_core.local.config import Config
from hermes_core.local.extensions import HOOKS, Hooks, find_plugins, has_plugins

Install = Callable[..., Path]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / ".hermes"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def install(home: Path) -> Install:
    """Put a plugin into the home, or into another folder."""

    def install(name: str = "mine", api: str = "1", place: Path | None = None) -> Path:
        folder = (place or home / "plugins") / name
        folder.mkdir(parents=True)
        (folder / "plugin.yaml").write_text(f"api: {api}\n" if api else "version: 3\n")
        (folder / "__init__.py").write_text("def register(hooks): ...\n")
        for path in (folder, *folder.iterdir()):
            path.chmod(path.stat().st_mode & ~0o022)
        return folder

    return install


def config_of(home: Path, *points: str) -> Config:
    return Config(home=home, env={"HOME": str(home.parent)}, plugin_entry_points=points)


def found(home: Path, *roots: Path, points: tuple[str, ...] = ()) -> tuple[list[str], list[str]]:
    plugins, warnings = find_plugins(config_of(home, *points), roots)
    return [plugin.name for plugin in plugins], warnings


def test_a_plugin_is_found_and_loads(home: Path, workspace: Path, install: Install) -> None:
    install()
    (plugin,), warnings = find_plugins(config_of(home), [workspace])
    assert warnings == []
    hooks = Hooks(plugin.name)
    plugin.load()(hooks)
    assert hooks.found == {}


def test_plugins_come_in_the_order_of_their_names(home: Path, install: Install) -> None:
    for name in ("b", "a", "c"):
        install(name)
    assert found(home) == (["a", "b", "c"], [])


def test_nothing_to_find(home: Path) -> None:
    assert found(home) == ([], [])
    assert not has_plugins(config_of(home))
    assert has_plugins(config_of(home, "x"))


def test_other_programs_plugins_are_passed_over_in_silence(home: Path, install: Install) -> None:
    install("theirs", api="")
    install("model-providers")
    (home / "plugins" / "model-providers" / "plugin.yaml").unlink()
    assert found(home) == ([], [])


def test_a_newer_plugin_is_named(home: Path, install: Install) -> None:
    install("newer", api="2")
    names, (warning,) = found(home)
    assert names == []
    assert "newer" in warning
    assert "api 2" in warning


def test_a_manifest_that_cannot_be_read_is_named(home: Path, install: Install) -> None:
    (install() / "plugin.yaml").write_text("api: [")
    names, (warning,) = found(home)
    assert names == []
    assert "mine" in warning


@pytest.mark.parametrize("linked", ["folder", "file", "plugins"])
def test_no_link_is_followed(
    home: Path, workspace: Path, install: Install, linked: str, tmp_path: Path
) -> None:
    elsewhere = install("mine", place=tmp_path / "elsewhere")
    if linked == "folder":
        (home / "plugins").mkdir()
        (home / "plugins" / "mine").symlink_to(elsewhere)
    elif linked == "plugins":
        (home / "plugins").symlink_to(elsewhere.parent)
    else:
        (install() / "more.py").symlink_to(elsewhere / "__init__.py")
    names, (warning,) = found(home, workspace)
    assert names == []
    assert "link" in warning


def test_a_home_that_is_reached_by_a_link_is_fine(
    home: Path, install: Install, tmp_path: Path
) -> None:
    install()
    (tmp_path / "other").symlink_to(home)
    assert found(tmp_path / "other") == (["mine"], [])


@pytest.mark.parametrize("name", [".", "__init__.py"])
def test_what_others_can_write_is_not_loaded(home: Path, install: Install, name: str) -> None:
    path = install() / name
    path.chmod(path.stat().st_mode | 0o020)
    names, (warning,) = found(home)
    assert names == []
    assert "chmod" in warning


def test_a_home_in_the_workspace_loads_nothing(tmp_path: Path, install: Install) -> None:
    work = tmp_path / "repository"
    install(place=work / ".hermes" / "plugins")
    config = Config(home=work / ".hermes", env={"HOME": str(tmp_path / "user")})
    plugins, (warning,) = find_plugins(config, [work])
    assert plugins == []
    assert "lies in the workspace" in warning


def test_the_usual_home_in_the_users_own_folder_is_the_users(home: Path, install: Install) -> None:
    install()
    assert found(home, home.parent) == (["mine"], [])
    assert found(home, home) == (["mine"], [])


def test_a_plugin_that_is_the_workspace_loads_nothing(home: Path, install: Install) -> None:
    names, (warning,) = found(home, install())
    assert names == []
    assert "lies in the workspace" in warning


def test_a_hook_that_there_is_not_is_refused_with_the_nearest() -> None:
    hooks = Hooks("mine")
    with pytest.raises(ValueError, match="pre_tool_call"):
        hooks.add("pre_tool_cal", print)
    with pytest.raises(ValueError, match="needs a function"):
        hooks.add("pre_tool_call", cast(Any, "print"))
    for name in HOOKS:
        hooks.add(name, print)
    assert set(hooks.found) == set(HOOKS)


class TestEntryPoints:
    @pytest.fixture
    def package(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> Iterator[Callable[[Path], None]]:
        """Install a package with an entry point ``guard``, in a folder."""

        def install(place: Path) -> None:
            place.mkdir(parents=True, exist_ok=True)
            (place / "guard_of_a_test.py").write_text("def register(hooks): ...\n")
            monkeypatch.syspath_prepend(str(place))
            point = importlib.metadata.EntryPoint("guard", "guard_of_a_test", "hermes.plugins")

            def entry_points(*, group: str, name: str) -> list[importlib.metadata.EntryPoint]:
                return [point] if (group, name) == ("hermes.plugins", "guard") else []

            monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)

        yield install
        sys.modules.pop("guard_of_a_test", None)

    def test_one_that_is_named_is_loaded(
        self, home: Path, workspace: Path, tmp_path: Path, package: Callable[[Path], None]
    ) -> None:
        package(tmp_path / "site-packages")
        (plugin,), warnings = find_plugins(config_of(home, "guard"), [workspace])
        assert warnings == []
        plugin.load()(Hooks("guard"))
        assert found(home, workspace) == ([], [])

    def test_one_that_there_is_not_is_named(
        self, home: Path, tmp_path: Path, package: Callable[[Path], None]
    ) -> None:
        package(tmp_path / "site-packages")
        names, (warning,) = found(home, points=("other",))
        assert names == []
        assert "plugins.entry_points" in warning

    def test_one_from_the_workspace_is_not_loaded(
        self, home: Path, workspace: Path, package: Callable[[Path], None]
    ) -> None:
        package(workspace / "lib")
        names, (warning,) = found(home, workspace, points=("guard",))
        assert names == []
        assert "lies in the workspace" in warning
        assert "guard_of_a_test" not in sys.modules
