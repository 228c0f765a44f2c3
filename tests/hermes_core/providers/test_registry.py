"""Provider folders: bundled ones, the user's own, and those that must not be run."""

import logging
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_core.ground.errors import ConfigError
from hermes_core.providers import registry
from hermes_core.providers.index import BUNDLED_INDEX
from hermes_core.providers.profile import ProviderProfile
from hermes_core.providers.registry import (
    BUNDLED,
    PLACE,
    Catalogue,
    get_provider_profile,
    list_providers,
    overrides,
    problems,
    register_provider,
)

FOLDERS = sorted(path.parent for path in BUNDLED.glob("*/__init__.py"))


def plugin(home: Path, name: str, body: str, manifest: str | None = "api: 1\n") -> Path:
    folder = home / PLACE / name
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(body)
    if manifest is not None:
        (folder / "plugin.yaml").write_text(manifest)
    for path in (folder, *folder.iterdir()):
        path.chmod(0o700)
    return folder


def declared(name: str, more: str = "") -> str:
    return (
        "from hermes_core.providers import ProviderProfile, register_provider\n"
        f"register_provider(ProviderProfile(name={name!r}, display_name='Mine'{more}))\n"
    )


def test_what_is_bundled_loads_without_a_problem() -> None:
    catalogue = Catalogue(BUNDLED)
    assert catalogue.problems == []
    assert [p.name for p in catalogue.all()] == [folder.name for folder in FOLDERS]


def test_the_index_is_what_the_folders_say() -> None:
    again = "make it anew as hermes_core/providers/indexing.py says"
    assert Catalogue(BUNDLED).directory.index == BUNDLED_INDEX, again


def test_no_alias_is_a_name_and_every_word_is_written_as_people_type_it() -> None:
    words = [*BUNDLED_INDEX.names, *BUNDLED_INDEX.aliases]
    assert len(set(words)) == len(words)
    assert all(word == word.lower().strip() for word in words)


def test_one_name_loads_one_folder(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path, None, BUNDLED_INDEX)
    shutil.copytree(BUNDLED / "deepseek", tmp_path / "deepseek")
    found = catalogue.get("deep-seek")
    assert found is not None
    assert found.name == "deepseek"
    assert catalogue.problems == []


def test_a_bundled_folder_that_does_not_load_is_named_once(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path, None, BUNDLED_INDEX)
    assert [catalogue.get("deepseek") for _ in range(3)] == [None, None, None]
    assert len(catalogue.problems) == 1


def test_an_alias_of_two_bundled_folders_is_an_error(tmp_path: Path) -> None:
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "__init__.py").write_text(declared(name, ", aliases=('both',)"))
    with pytest.raises(ConfigError, match="both stands for one and for two"):
        Catalogue(tmp_path)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_bundled_folder_declares_one_provider_of_its_own_name(folder: Path) -> None:
    source = (folder / "__init__.py").read_text()
    assert f'name="{folder.name}"' in source
    assert source.count("register_provider(") == 1
    assert len(source.splitlines()) <= 75


def test_every_bundled_folder_passes_the_type_check(tmp_path: Path) -> None:
    files = [tmp_path / f"{folder.name.replace('-', '_')}.py" for folder in FOLDERS]
    for folder, file in zip(FOLDERS, files, strict=True):
        shutil.copy(folder / "__init__.py", file)
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *map(str, files)],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_names_and_aliases_are_found_in_any_case() -> None:
    catalogue = Catalogue(BUNDLED)
    assert catalogue.get("OpenRouter") is catalogue.get("open-router")
    assert catalogue.get("nobody") is None


def test_the_users_own_folder_adds_and_wins(tmp_path: Path) -> None:
    plugin(tmp_path, "acme", declared("acme", ", base_url='https://acme.example/v1'"))
    plugin(tmp_path, "lmstudio", declared("lmstudio", ", base_url='http://127.0.0.1:9/v1'"))
    acme = get_provider_profile("acme", tmp_path)
    assert acme is not None
    assert acme.base_url == "https://acme.example/v1"
    studio = get_provider_profile("lmstudio", tmp_path)
    assert studio is not None
    assert studio.base_url == "http://127.0.0.1:9/v1"
    assert [p.name for p in list_providers(tmp_path)].count("lmstudio") == 1


def test_a_provider_that_is_replaced_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    folder = plugin(tmp_path, "mine", declared("deepseek", ", aliases=('deep-seek', 'ds')"))
    for _ in range(3):
        found = get_provider_profile("ds", tmp_path)
        assert found is not None
        assert found.display_name == "Mine"
    assert get_provider_profile("deepseek-chat", tmp_path) is None
    assert overrides(tmp_path) == [f"deepseek: {folder} is used in place of the bundled provider"]
    assert len([record for record in caplog.records if "in place of" in record.message]) == 1


@pytest.mark.parametrize(
    "manifest", [None, "", "name: theirs\n", "api: 2\n", "api: '1'\n", "- api\n"]
)
def test_other_programs_folders_are_left_alone(tmp_path: Path, manifest: str | None) -> None:
    mark = tmp_path / "ran"
    plugin(tmp_path, "theirs", f"open({str(mark)!r}, 'w')\n", manifest)
    catalogue = Catalogue(BUNDLED, tmp_path / PLACE)
    assert catalogue.problems == []
    assert not mark.exists()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("raise ValueError('no good')\n", "no good"),
        ("def (:\n", "invalid syntax"),
        ("x = 1\n", "registers no provider"),
        ("import nowhere_to_be_found\n", "nowhere_to_be_found"),
        ("raise SystemError\n", "SystemError"),
        (declared("mine", ", key_envs='MINE_KEY'"), "key_envs"),
        (declared("mine", ", base_url=5"), "base_url"),
        (declared("mine", ", base_url='mine.example'"), "mine.example"),
        (declared("mine", ", base_url='https://k:y@mine.example'"), "user name"),
        (declared("mine", ", api_mode='converse'"), "api_mode"),
        (declared("mine", ", compat=None"), "compat"),
        (declared("mine", ", auto='first'"), "auto"),
        (declared("mine", ", mode_rules=(('*', 'converse'),)"), "mode_rules"),
        (declared("no name"), "no name"),
        (declared("").replace("ProviderProfile(name", "dict(name"), "no ProviderProfile"),
    ],
)
def test_a_broken_folder_is_named_and_skipped(tmp_path: Path, body: str, words: str) -> None:
    folder = plugin(tmp_path, "broken", body)
    catalogue = Catalogue(BUNDLED, tmp_path / PLACE)
    assert len(catalogue.problems) == 1
    assert str(folder) in catalogue.problems[0]
    assert words in catalogue.problems[0]
    assert catalogue.get("openrouter") is not None


def test_a_broken_manifest_is_named(tmp_path: Path) -> None:
    plugin(tmp_path, "broken", declared("broken"), "api: [1\n")
    assert len(Catalogue(BUNDLED, tmp_path / PLACE).problems) == 1


@pytest.mark.parametrize("which", ["", "__init__.py"])
def test_a_folder_that_others_may_change_is_not_run(tmp_path: Path, which: str) -> None:
    mark = tmp_path / "ran"
    folder = plugin(tmp_path, "open", f"open({str(mark)!r}, 'w')\n" + declared("open"))
    (folder / which).chmod(0o777)
    catalogue = Catalogue(BUNDLED, tmp_path / PLACE)
    assert "changed by other users" in catalogue.problems[0]
    assert not mark.exists()


def test_a_folder_that_claims_anothers_alias_is_named_and_skipped(tmp_path: Path) -> None:
    plugin(tmp_path, "acme", declared("acme", ", aliases=('open-router', 'demo')"))
    catalogue = Catalogue(BUNDLED, tmp_path / PLACE)
    assert len(catalogue.problems) == 1
    assert "open-router stands for openrouter and for acme" in catalogue.problems[0]
    assert catalogue.get("acme") is None
    assert problems(tmp_path) == catalogue.problems


def test_a_name_that_is_anothers_alias_is_named(tmp_path: Path) -> None:
    plugin(tmp_path, "kimi", declared("kimi"))
    found = problems(tmp_path)
    assert len(found) == 1
    assert "kimi stands for kimi-coding and for kimi" in found[0]


def test_a_library_user_may_register_a_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_ADDED", [])
    mine = ProviderProfile("mine", "Mine", aliases=("my-own",))
    register_provider(mine)
    assert get_provider_profile("My-Own", Path("/nonexistent")) is mine
    assert mine in list_providers(Path("/nonexistent"))
