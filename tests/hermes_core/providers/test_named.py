from pathlib import Path

import pytest

from hermes_core.ground.errors import ConfigError
from hermes_core.local.config import Config
from hermes_core.local.provider_settings import NamedProvider
from hermes_core.providers.named import all_providers, entry_at, expanded, find_provider

LAB = NamedProvider("lab", display_name="The lab", base_url="https://lab.example/v1")
CONFIG = Config(
    home=Path("/home/someone/.hermes"),
    providers=(
        LAB,
        NamedProvider("openrouter", base_url="https://lab.example/v2"),
        NamedProvider("off", base_url="https://off.example/", enabled=False),
    ),
    user_env={"HOST": "lab.example"},
    env={"OTHER": "evil.example"},
)


def test_named_endpoints_come_last_and_are_found_by_their_names() -> None:
    names = [profile.name for profile in all_providers(CONFIG)]
    assert names[-3:] == ["custom:lab", "custom:openrouter", "custom:off"]
    lab = find_provider("Lab", CONFIG)
    assert lab is not None
    assert (lab.name, lab.display_name) == ("custom:lab", "The lab")
    assert lab == find_provider(" custom:LAB ", CONFIG)


@pytest.mark.parametrize("name", ["custom:nobody", "custom:", "custom:deepseek", "", "nobody"])
def test_nobody_has_that_name(name: str) -> None:
    assert find_provider(name, CONFIG) is None


def test_a_canonical_name_is_the_bundled_providers() -> None:
    found = find_provider("OpenRouter", CONFIG)
    assert found is not None
    assert found.base_url == "https://openrouter.ai/api/v1"


@pytest.mark.parametrize(
    ("url", "entry"),
    [
        ("https://lab.example/v1/", LAB),
        ("https://lab.example/v1", LAB),
        ("https://lab.example", None),
        ("https://off.example", None),
        ("", None),
        (None, None),
    ],
)
def test_an_address_tells_a_name(url: str | None, entry: NamedProvider | None) -> None:
    assert entry_at(CONFIG, url) == entry


def test_variables_of_the_users_file_are_put_into_an_address() -> None:
    assert expanded("https://${HOST}/v1", CONFIG) == "https://lab.example/v1"
    assert expanded("https://a.example/$HOST", CONFIG) == "https://a.example/$HOST"
    with pytest.raises(ConfigError, match="OTHER, which is not set"):
        expanded("https://${OTHER}/v1", CONFIG)
