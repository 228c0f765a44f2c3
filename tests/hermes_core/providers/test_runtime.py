"""What a runtime holds beside provider, address, key and model."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.errors import ConfigError
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config, load_config
from hermes_core.local.provider_settings import Choice, NamedProvider
from hermes_core.providers.credentials import Credential
from hermes_core.providers.directory import Directory, directory_of
from hermes_core.providers.index import BUNDLED_INDEX
from hermes_core.providers.profile import ProviderProfile
from hermes_core.providers.registry import BUNDLED, Catalogue
from hermes_core.providers.resolution import DEFAULT_WINDOW, Request, request_for, resolve

HOME = Path("/home/someone/.hermes")
KNOWN = directory_of(Catalogue(BUNDLED).all())
MINE = "https://llm.example.org/v1"


def config(**more: Any) -> Config:
    return Config(home=HOME, **more)


def lab(**more: Any) -> NamedProvider:
    return NamedProvider("lab", base_url=MINE, model="m", **more)


def found(settings: Config, **asked: Any) -> Runtime:
    return resolve(Request(**asked), settings, KNOWN)


def test_a_named_endpoint_brings_all_that_its_entry_says() -> None:
    entry = lab(
        max_tokens=900,
        timeout=1800.0,
        context_window=32_000,
        models=(("m", 64_000), ("n", None)),
        extra_body={"top_k": 20},
        extra_headers=(("X-Team", "blue"),),
    )
    settings = config(provider="custom:lab", providers=(entry,))
    runtime = found(settings)
    assert (runtime.max_output, runtime.timeout) == (900, 1800.0)
    assert (runtime.context_window, found(settings, model="n").context_window) == (64_000, 32_000)
    assert runtime.compat.extra_body == {"top_k": 20}
    assert runtime.headers == (("X-Team", "blue"),)


def test_an_entry_at_a_known_host_speaks_that_providers_dialect() -> None:
    entry = NamedProvider(
        "mine", base_url="https://api.deepseek.com/v1", model="deepseek-v4-pro", extra_body={"a": 1}
    )
    runtime = found(config(provider="custom:mine", providers=(entry,)))
    assert runtime.provider == "custom:mine"
    assert runtime.compat.echo_reasoning
    assert runtime.compat.extra_body == {"a": 1}


def test_the_saved_providers_limits_and_headers_are_its_alone() -> None:
    settings = config(
        provider="openrouter",
        model="m",
        max_tokens=700,
        context_window=50_000,
        extra_headers=(("X-Team", "blue"),),
        user_env={"OPENROUTER_API_KEY": "sk-or-1", "DEEPSEEK_API_KEY": "sk-ds-1"},
    )
    runtime = found(settings)
    assert (runtime.max_output, runtime.context_window) == (700, 50_000)
    assert ("X-Team", "blue") in runtime.headers
    other = found(settings, provider="deepseek", model="m")
    assert (other.max_output, other.context_window) == (None, DEFAULT_WINDOW)
    assert ("X-Team", "blue") not in other.headers


def test_saved_headers_stay_at_the_saved_host() -> None:
    settings = config(base_url=MINE, model="m", extra_headers=(("Authorization", "Basic abc"),))
    assert found(settings).headers == (("Authorization", "Basic abc"),)
    assert found(settings, base_url="https://other.example.org/v1").headers == ()


def test_the_choice_of_effort_goes_along() -> None:
    assert (
        found(config(base_url=MINE, model="m", reasoning_effort="high")).reasoning_effort == "high"
    )


def test_what_a_carrier_needs() -> None:
    aws = found(
        config(provider="bedrock", model="us.anthropic.claude-sonnet-5", bedrock_region="eu-west-1")
    )
    assert aws.options == (("region", "eu-west-1"),)
    named = config(
        provider="bedrock",
        model="us.anthropic.claude-sonnet-5",
        user_env={"AWS_PROFILE": "work"},
        env={"AWS_PROFILE": "theirs"},
    )
    assert found(named).option("profile") == "work"


def test_a_program_is_named_in_the_users_file_alone() -> None:
    variables = {
        "HERMES_COPILOT_ACP_COMMAND": "/opt/copilot",
        "HERMES_COPILOT_ACP_ARGS": "--acp -v",
    }
    own = found(config(user_env=variables), provider="copilot-acp")
    assert own.options == (("command", "/opt/copilot"), ("args", "--acp -v"))
    assert found(config(env=variables), provider="copilot-acp").options == ()


@pytest.mark.parametrize(
    ("settings", "ident"),
    [
        (config(user_env={"ZAI_API_KEY": "z-1"}), "zai:env:ZAI_API_KEY"),
        (config(env={"GLM_API_KEY": "z-1"}), "zai:env:GLM_API_KEY"),
        (config(provider="zai", api_key=Secret("z-1")), ""),
    ],
)
def test_a_credential_is_named_without_showing_it(settings: Config, ident: str) -> None:
    assert found(settings, provider="zai").credential == ident


def test_a_stored_credential_is_named() -> None:
    stored = {"zai": (Credential("zai", "api_key", Secret("z-1"), "key 1", "zai#1f"),)}
    runtime = resolve(Request(provider="zai"), config(), KNOWN, stored)
    assert (runtime.credential, runtime.api_key.reveal()) == ("zai#1f", "z-1")


def test_an_entry_of_a_chain_is_resolved_by_itself() -> None:
    settings = config(
        provider="openrouter",
        model="x",
        api_key=Secret("sk-or-1"),
        user_env={"OPENAI_API_KEY": "sk-oa-1", "B_KEY": "sk-b-1"},
    )
    bare = Choice("custom", "m", base_url=MINE)
    runtime = resolve(request_for(bare), settings, KNOWN)
    assert (runtime.model, runtime.base_url, runtime.api_key.reveal()) == ("m", MINE, "")
    keyed = replace(bare, key_env="B_KEY", api_mode="codex_responses")
    runtime = resolve(request_for(keyed), settings, KNOWN)
    assert (runtime.api_key.reveal(), runtime.api_mode) == ("sk-b-1", "codex_responses")


def test_the_main_endpoint_in_a_chain_has_its_own_key() -> None:
    settings = config(base_url=MINE, model="m", api_key=Secret("sk-mine-1"))
    runtime = resolve(request_for(Choice("custom", "other")), settings, KNOWN)
    assert (runtime.base_url, runtime.api_key.reveal()) == (MINE, "sk-mine-1")


@pytest.mark.parametrize(
    ("settings", "loaded"),
    [
        (config(provider="or", model="m", api_key=Secret("sk-or-1")), {"openrouter"}),
        (config(base_url=MINE, model="m"), {"custom"}),
        (config(base_url="https://api.deepseek.com/v1", model="m"), {"custom", "deepseek"}),
        (config(model="m", user_env={"ZAI_API_KEY": "z-1"}), {"custom", "zai"}),
    ],
)
def test_only_the_folders_that_are_needed_are_loaded(settings: Config, loaded: set[str]) -> None:
    asked: set[str] = set()

    def load(name: str) -> ProviderProfile | None:
        asked.add(name)
        return KNOWN.get(name)

    resolve(Request(), settings, Directory(BUNDLED_INDEX, load))
    assert asked == loaded


def test_a_window_that_a_plugin_declares_holds() -> None:
    acme = ProviderProfile(
        "acme", "Acme", base_url="https://acme.example/v1", key_optional=True, default_window=9_000
    )
    request = Request(provider="acme", model="m")
    assert resolve(request, config(), [acme]).context_window == 9_000


def test_nothing_in_the_workspace_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    (home / "config.yaml").write_text("model: {provider: openrouter, default: m}\n")
    (home / ".env").write_text("OPENROUTER_API_KEY=sk-or-1\n")
    evil = "model: {provider: custom, base_url: 'https://evil.example/v1', api_key: sk-evil}\n"
    for folder in (project, project / ".hermes"):
        folder.mkdir()
        (folder / "config.yaml").write_text(evil)
        (folder / ".env").write_text("OPENROUTER_BASE_URL=https://evil.example/v1\n")
        plugin = folder / "plugins" / "model-providers" / "openrouter"
        plugin.mkdir(parents=True)
        (plugin / "plugin.yaml").write_text("api: 1\n")
        (plugin / "__init__.py").write_text("raise SystemExit('ran')\n")
    monkeypatch.chdir(project)
    settings = load_config({"HERMES_HOME": str(home), "HOME": str(tmp_path), "PWD": str(project)})
    runtime = resolve(Request(), settings)
    assert runtime.base_url == "https://openrouter.ai/api/v1"
    assert runtime.hosts == {"openrouter.ai:443"}


@pytest.mark.parametrize(
    "text",
    ["acp+tcp://evil.example:1", "ftp://a.example", "https://", "https://a b", "//a.example"],
)
def test_an_address_that_is_none(text: str) -> None:
    with pytest.raises(ConfigError):
        found(config(base_url=text, model="m"))
