"""The page of providers, and what the documentation tells of them."""

import tomllib

from hermes_core.providers.indexing import PAGE, index_text
from hermes_core.providers.page import page
from hermes_core.providers.registry import BUNDLED, Catalogue


def test_the_page_is_what_the_profiles_say() -> None:
    again = "make it anew as hermes_core/providers/indexing.py says"
    assert PAGE.read_text(encoding="utf-8") == page(Catalogue(BUNDLED).all()), again


def test_every_provider_has_a_row_with_its_variables() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for profile in Catalogue(BUNDLED).all():
        (row,) = [line for line in text.splitlines() if line.startswith(f"| `{profile.name}`")]
        for word in (*profile.aliases, *profile.key_envs, *profile.url_envs):
            assert f"`{word}`" in row


def test_the_text_of_the_index_is_the_index() -> None:
    found: dict[str, object] = {}
    index = Catalogue(BUNDLED).directory.index
    exec(index_text(index), found)
    assert found["BUNDLED_INDEX"] == index


def test_what_has_to_be_installed_besides_is_told() -> None:
    root = PAGE.parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    told = "".join(page.read_text() for page in (root / "docs").glob("*.md"))
    assert [extra for extra in project["optional-dependencies"] if f".[{extra}]" not in told] == []
