"""``fallback``: the chain in config.yaml, changed with its comments kept."""

from pathlib import Path

import pytest
import yaml

from hermes_core.commands.fallback import chain_text, run_fallback
from hermes_core.ground.errors import ConfigError
from hermes_core.local.config import Config, load_config

TEXT = """\
# mine
fallback_providers:
  - provider: zai  # first
    model: glm-5
  - model: nobody's
  - provider: deepseek
    model: v4  # second
agent:
  max_turns: 9
"""


class Home:
    """A home with a config.yaml."""

    def __init__(self, path: Path, text: str = "") -> None:
        self.path = path
        self.file = path / "config.yaml"
        if text:
            self.file.write_text(text)

    @property
    def config(self) -> Config:
        return load_config({"HERMES_HOME": str(self.path), "HOME": str(self.path)})

    def run(self, text: str) -> str:
        return run_fallback(self.config, text.split())[0]

    @property
    def chain(self) -> list[tuple[str, str]]:
        return [(one.provider, one.model) for one in self.config.fallback_providers]


def test_entries_without_provider_or_model_are_named_and_do_not_count(tmp_path: Path) -> None:
    home = Home(tmp_path, TEXT)
    assert home.chain == [("zai", "glm-5"), ("deepseek", "v4")]
    told = chain_text(home.config)
    assert "1. `glm-5` through `zai`" in told
    assert "2. `v4` through `deepseek`" in told
    assert "no provider" in told


def test_adding_and_removing_keeps_the_rest(tmp_path: Path) -> None:
    home = Home(tmp_path, TEXT)
    said = home.run("add kimi kimi-k3")
    assert "fallback 3" in said
    assert "cannot be used yet" in said
    assert home.chain[-1] == ("kimi-coding", "kimi-k3")
    home.run("remove 2")
    assert home.chain == [("zai", "glm-5"), ("kimi-coding", "kimi-k3")]
    text = home.file.read_text()
    for kept in ("# mine", "# first", "max_turns: 9", "nobody's"):
        assert kept in text
    home.run("rm zai")
    home.run("rm kimi-k3")
    assert home.chain == []


def test_a_chain_is_begun_and_cleared(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert "no fallbacks" in home.run("list")
    home.run("add openrouter a/b")
    assert home.chain == [("openrouter", "a/b")]
    home.run("clear")
    assert home.chain == []
    assert yaml.safe_load(home.file.read_text()) is None


def test_the_old_form_is_a_chain_of_one_and_renewed_at_the_first_change(tmp_path: Path) -> None:
    home = Home(tmp_path, "# old\nfallback_model:\n  provider: zai\n  model: glm-5\n")
    assert home.chain == [("zai", "glm-5")]
    home.run("add deepseek v4")
    data = yaml.safe_load(home.file.read_text())
    assert data == {
        "fallback_providers": [
            {"provider": "zai", "model": "glm-5"},
            {"provider": "deepseek", "model": "v4"},
        ]
    }
    assert home.chain == [("zai", "glm-5"), ("deepseek", "v4")]
    assert "# old" in home.file.read_text()


@pytest.mark.parametrize(
    "words",
    ["add", "add zai", "add nobody m", "add zai glm-5", "remove 0", "remove 9", "remove x", "what"],
)
def test_what_cannot_be_done_is_explained_and_changes_nothing(words: str, tmp_path: Path) -> None:
    home = Home(tmp_path, TEXT)
    with pytest.raises(ConfigError):
        home.run(words)
    assert home.file.read_text() == TEXT


def test_one_of_two_endpoints_of_a_model_can_be_taken_out(tmp_path: Path) -> None:
    entries = [
        {"provider": "custom", "model": "m", "base_url": f"http://127.0.0.1:{port}/v1"}
        for port in (8001, 8002)
    ]
    home = Home(tmp_path, yaml.safe_dump({"fallback_providers": entries}))
    home.run("remove 1")
    assert yaml.safe_load(home.file.read_text()) == {"fallback_providers": entries[1:]}


@pytest.mark.parametrize("chain", ["openrouter", 5, {"provider": "demo", "model": "m"}])
def test_a_chain_that_is_no_list_is_left_to_its_owner(chain: object, tmp_path: Path) -> None:
    old = {"provider": "demo", "model": "old"}
    text = yaml.safe_dump({"fallback_providers": chain, "fallback_model": old})
    home = Home(tmp_path, text)
    with pytest.raises(ConfigError, match="cannot be changed safely"):
        home.run("add demo m2")
    assert home.file.read_text() == text


def test_a_named_endpoint_stands_there_once_in_any_case_of_letters(tmp_path: Path) -> None:
    settings = {
        "providers": {"Lab": {"base_url": "http://127.0.0.1:8001/v1"}},
        "fallback_providers": [{"provider": "CUSTOM:LAB", "model": "m"}],
    }
    with pytest.raises(ConfigError, match="already"):
        Home(tmp_path, yaml.safe_dump(settings)).run("add lab m")
