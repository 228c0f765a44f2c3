"""``model``: searching the models of a provider, and saving a choice."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from hermes_core.commands.model import offer, offer_text, read_words, save_model
from hermes_core.ground.errors import ConfigError, NoCredentials
from hermes_core.local.config import Config, load_config
from hermes_core.local.provider_settings import NamedProvider
from tests.fakes.provider import FakeProvider, Reply

LIST = '{"data": [{"id": "big/coder", "context_length": 9000}, {"id": "small/chat"}]}'


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as provider:
        yield provider


def settings(home: Path, text: str = "", **variables: str) -> Config:
    (home / "config.yaml").write_text(text)
    (home / ".env").write_text("".join(f"{k}={v}\n" for k, v in variables.items()))
    return load_config({"HERMES_HOME": str(home), "HOME": str(home)})


def saved(home: Path) -> dict[str, object]:
    data: dict[str, object] = yaml.safe_load((home / "config.yaml").read_text())
    return data


def test_models_are_searched_by_words(tmp_path: Path, provider: FakeProvider) -> None:
    entry = NamedProvider("lab", base_url=provider.base_url)
    config = replace(settings(tmp_path), providers=(entry,))
    provider.script(Reply(body=LIST))
    found = offer(config, "custom:lab", "BIG cod")
    assert [one.id for one in found.models] == ["big/coder"]
    assert offer_text(found) == "- `big/coder`: 9,000 tokens"
    assert "No model of custom:lab that fits" in offer_text(offer(config, "custom:lab", "none"))


def test_a_provider_that_cannot_be_asked_offers_what_its_profile_names(tmp_path: Path) -> None:
    entry = NamedProvider("lab", base_url="http://127.0.0.1:1/v1")
    config = replace(settings(tmp_path), providers=(entry,))
    assert "cannot be reached" in offer(config, "custom:lab").note


def test_a_choice_is_saved_and_comments_stay(tmp_path: Path) -> None:
    text = "# mine\nmodel:\n  provider: zai # old\n  default: glm\n  context_length: 5000\n"
    config = settings(tmp_path, text, OPENROUTER_API_KEY="sk-or-0123456789abcdef")
    said = save_model(config, "openrouter", "a/b")
    assert "`a/b` through `openrouter`" in said
    assert saved(tmp_path) == {"model": {"provider": "openrouter", "default": "a/b"}}
    assert "# mine" in (tmp_path / "config.yaml").read_text()
    assert (tmp_path / "config.yaml.orig").read_text() == text


def test_an_endpoint_of_the_users_own_is_kept_under_a_name(tmp_path: Path) -> None:
    text = (
        "model:\n  provider: custom\n  default: q\n  base_url: https://llm.example/v1\n"
        "  api_key: key-of-the-endpoint\n"
    )
    config = settings(tmp_path, text, OPENROUTER_API_KEY="sk-or-0123456789abcdef")
    assert "custom:llm.example" in save_model(config, "openrouter", "a/b")
    assert saved(tmp_path) == {
        "model": {"provider": "openrouter", "default": "a/b"},
        "providers": {
            "llm.example": {
                "base_url": "https://llm.example/v1",
                "api_key": "key-of-the-endpoint",
                "model": "q",
            }
        },
    }
    again = load_config({"HERMES_HOME": str(tmp_path), "HOME": str(tmp_path)})
    save_model(again, "custom:llm.example", "q2")
    assert saved(tmp_path)["model"] == {"provider": "custom:llm.example", "default": "q2"}


def test_another_model_of_the_same_endpoint_keeps_its_address(tmp_path: Path) -> None:
    text = "model:\n  provider: custom\n  default: q\n  base_url: http://127.0.0.1:1/v1\n"
    save_model(settings(tmp_path, text), None, "q2")
    assert (tmp_path / "config.yaml").read_text() == text.replace("default: q", 'default: "q2"')


def test_the_short_form_becomes_the_long_one(tmp_path: Path) -> None:
    config = settings(tmp_path, "model: q\n", OPENROUTER_API_KEY="sk-or-0123456789abcdef")
    save_model(config, "openrouter", "a/b")
    assert saved(tmp_path) == {"model": {"default": "a/b", "provider": "openrouter"}}


def test_the_old_form_of_a_fallback_is_renewed_at_the_first_save(tmp_path: Path) -> None:
    text = "fallback_model: {provider: zai, model: glm-5}\n"
    config = settings(tmp_path, text, OPENROUTER_API_KEY="sk-or-0123456789abcdef")
    save_model(config, "openrouter", "a/b")
    assert saved(tmp_path) == {
        "model": {"provider": "openrouter", "default": "a/b"},
        "fallback_providers": [{"provider": "zai", "model": "glm-5"}],
    }


def test_what_cannot_be_used_is_not_saved(tmp_path: Path) -> None:
    config = settings(tmp_path, "# empty\n")
    with pytest.raises(NoCredentials):
        save_model(config, "zai", "glm")
    with pytest.raises(ConfigError):
        save_model(config, "nobody", "glm")
    assert (tmp_path / "config.yaml").read_text() == "# empty\n"


def test_words_are_parted_from_the_provider() -> None:
    assert read_words(["a", "--provider", "p", "b"]) == (["a", "b"], "p")
    assert read_words([]) == ([], None)
