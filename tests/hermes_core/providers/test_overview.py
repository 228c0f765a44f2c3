from pathlib import Path

from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.local.provider_settings import NamedProvider
from hermes_core.providers.credentials import Credential
from hermes_core.providers.named import all_providers, find_provider, shadowed
from hermes_core.providers.overview import overview

CONFIG = Config(
    home=Path("/home/someone/.hermes"),
    providers=(
        NamedProvider("lab", display_name="The lab", base_url="https://lab.example/v1"),
        NamedProvider("openrouter", base_url="https://lab.example/v2"),
    ),
    user_env={"DEEPSEEK_API_KEY": "sk-ds-1"},
)
STORED = {"nous": (Credential("nous", "oauth", Secret("n-1"), "login in auth.json", "nous:oauth"),)}


def test_how_every_provider_stands() -> None:
    found = {standing.profile.name: standing for standing in overview(CONFIG, STORED)}
    assert len(found) >= 38
    assert found["deepseek"].key == "DEEPSEEK_API_KEY in .env"
    assert found["deepseek"].address == "https://api.deepseek.com/v1"
    assert found["nous"].key == "login in auth.json"
    assert found["custom:lab"].ready
    assert found["demo"].ready
    assert "OPENROUTER_API_KEY" in found["openrouter"].lacking
    assert "hermes auth login openai-codex" in found["openai-codex"].lacking
    assert "needs an address" in found["azure-foundry"].lacking
    assert "sk-ds-1" not in repr(found)


def test_named_endpoints_come_last_and_are_found_by_their_names() -> None:
    assert [p.name for p in all_providers(CONFIG)][-2:] == ["custom:lab", "custom:openrouter"]
    lab = find_provider("Lab", CONFIG)
    assert lab is not None
    assert (lab.name, lab.display_name) == ("custom:lab", "The lab")
    assert find_provider("custom:nobody", CONFIG) is None


def test_a_named_endpoint_that_a_bundled_name_hides() -> None:
    names = [profile.name for profile in all_providers(CONFIG)]
    assert shadowed(CONFIG, names) == ["openrouter"]
