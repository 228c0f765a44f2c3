from pathlib import Path

from hermes_core.providers.page import page
from hermes_core.providers.registry import BUNDLED, Catalogue

PAGE = Path(__file__).parents[3] / "docs" / "provider-list.md"


def test_the_page_is_what_the_profiles_say() -> None:
    again = "write it anew from page(Catalogue(BUNDLED).all())"
    assert PAGE.read_text(encoding="utf-8") == page(Catalogue(BUNDLED).all()), again


def test_every_provider_has_a_row_with_its_variables() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for profile in Catalogue(BUNDLED).all():
        (row,) = [line for line in text.splitlines() if line.startswith(f"| `{profile.name}`")]
        for word in (*profile.aliases, *profile.key_envs, *profile.url_envs):
            assert f"`{word}`" in row
