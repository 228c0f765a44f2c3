"""Each profile against what is known of its provider."""

from typing import Any

import pytest

from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.providers.directory import directory_of
from hermes_core.providers.profile import ProviderProfile, first_match
from hermes_core.providers.registry import BUNDLED, Catalogue
from hermes_core.providers.resolution import Request, resolve
from tests.hermes_core.providers.facts import Wire, facts, wires
from tests.hermes_core.providers.test_resolution import HOME

KNOWN = {profile.name: profile for profile in Catalogue(BUNDLED).all()}
OWN = {"demo"}
MODES = {"chat_completions", "codex_responses", "anthropic_messages"}


def by_name(value: Any) -> str:
    return str(value["id"]) if isinstance(value, dict) else value.name


def test_every_provider_that_is_known_has_a_folder_and_no_folder_is_unknown() -> None:
    assert set(KNOWN) - OWN == {fact["id"] for fact in facts()}
    assert len(KNOWN) >= 35


@pytest.mark.parametrize("fact", facts(), ids=by_name)
def test_address_variables_and_aliases(fact: dict[str, Any]) -> None:
    profile = KNOWN[fact["id"]]
    address = profile.base_url.replace("{region}", "us-east-1") if profile.base_url else None
    assert address == fact["base_url"]
    assert profile.base_url_env == fact["url_variable"]
    assert list(profile.key_envs) == fact["key_variables"]
    assert set(fact["aliases"]) <= set(profile.aliases)


@pytest.mark.parametrize("fact", facts(), ids=by_name)
def test_the_format(fact: dict[str, Any]) -> None:
    profile = KNOWN[fact["id"]]
    if "by model" in fact["api_mode"]:
        assert profile.mode_rules
    else:
        assert (profile.api_mode, profile.mode_rules) == (fact["api_mode"], ())


@pytest.mark.parametrize("wire", wires(), ids=by_name)
def test_the_format_and_header_of_a_model(wire: Wire) -> None:
    config = Config(home=HOME)
    request = Request(wire.provider, wire.model, wire.base_url, Secret("sk-1"))
    found = resolve(request, config, directory_of(KNOWN.values()))
    assert (found.api_mode, found.auth) == (wire.api_mode, wire.auth)


@pytest.mark.parametrize("profile", KNOWN.values(), ids=by_name)
def test_no_variable_is_both_of_an_address_and_of_a_key(profile: ProviderProfile) -> None:
    assert not set(profile.url_envs) & set(profile.key_envs)
    assert all("URL" not in name for name in profile.key_envs)


@pytest.mark.parametrize("profile", KNOWN.values(), ids=by_name)
def test_every_rule_can_be_reached(profile: ProviderProfile) -> None:
    for rules in (profile.mode_rules, profile.compat_rules, profile.url_rules):
        patterns = [pattern for pattern, _ in rules]
        assert len(set(patterns)) == len(patterns)
        assert "*" not in patterns[:-1]


@pytest.mark.parametrize("profile", KNOWN.values(), ids=by_name)
def test_no_header_poses_as_another_program(profile: ProviderProfile) -> None:
    text = " ".join(f"{name} {value}" for name, value in profile.headers).lower()
    names = {name.lower() for name, _ in profile.headers}
    assert not names & {"user-agent", "originator", "copilot-integration-id", "x-app"}
    assert not [word for word in ("vscode", "codex", "claude", "cli/") if word in text]


def test_a_pattern_is_matched_whole_and_in_any_case() -> None:
    rules = (("gpt-5-mini*", 1), ("GPT-[5-9]*", 2), ("*", 3))
    assert [first_match(rules, id_) for id_ in ("gpt-5-mini", "GPT-5.4", "my-gpt-5")] == [1, 2, 3]
    assert first_match(rules[:1], "x") is None


def test_the_endings_of_the_legacy_service_are_told() -> None:
    assert [name for name, profile in KNOWN.items() if profile.legacy] == ["qwen-oauth"]


def test_the_modes_are_three() -> None:
    used = {mode for profile in KNOWN.values() for _, mode in profile.mode_rules}
    assert used | {profile.api_mode for profile in KNOWN.values()} == MODES
