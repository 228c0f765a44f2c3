"""What is stored, in the order in which it is used."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.errors import ConfigError
from hermes_core.ground.secrets import MASK, REDACTOR, Secret
from hermes_core.local.config import Config, load_config
from hermes_core.providers.auth_store import AuthStore
from hermes_core.providers.credentials import (
    find,
    load_credentials,
    report,
    rotate,
    shown_by,
)
from hermes_core.providers.resolution import Request, resolve

NOW = 1_800_000_000.0


def now() -> float:
    return NOW


def home(tmp_path: Path, data: Any = None, settings: str = "", **env: str) -> Config:
    folder = tmp_path / ".hermes"
    folder.mkdir(exist_ok=True)
    if data is not None:
        (folder / "auth.json").write_text(json.dumps(data))
        (folder / "auth.json").chmod(0o600)
    (folder / "config.yaml").write_text(settings)
    return load_config({"HERMES_HOME": str(folder), "HOME": str(tmp_path), **env})


def key(name: str, token: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "auth_type": "api_key", "source": "manual", "access_token": token, **more}


def claude(tmp_path: Path, **more: Any) -> None:
    folder = tmp_path / ".claude"
    folder.mkdir(exist_ok=True)
    login = {
        "accessToken": "sk-ant-oat-canary-1",
        "refreshToken": "sk-ant-ort-canary-1",
        "expiresAt": int((NOW + 3600) * 1000),
        **more,
    }
    (folder / ".credentials.json").write_text(json.dumps({"claudeAiOauth": login}))


def ids(config: Config, provider: str) -> list[str]:
    return [c.id for c in load_credentials(config, clock=now).get(provider, ())]


def test_an_empty_home_holds_nothing(tmp_path: Path) -> None:
    assert load_credentials(home(tmp_path)) == {}


def test_keys_come_in_order_of_priority_then_the_login(tmp_path: Path) -> None:
    data = {
        "credential_pool": {
            "nous": [key("bb", "canary-two", priority=1), key("aa", "canary-one", label="work")]
        },
        "providers": {"nous": {"access_token": "canary-login", "expires_at": NOW + 900}},
    }
    found = load_credentials(home(tmp_path, data), clock=now)["nous"]
    assert [(c.id, c.kind, c.token.reveal()) for c in found] == [
        ("nous#aa", "api_key", "canary-one"),
        ("nous#bb", "api_key", "canary-two"),
        ("nous:oauth", "oauth", "canary-login"),
    ]
    assert found[0].source == "work in auth.json"
    assert found[2].expires == NOW + 900


def test_every_token_is_masked_from_then_on(tmp_path: Path) -> None:
    data = {
        "credential_pool": {"zai": [key("a", "canary-masked-1", refresh_token="canary-masked-2")]},
        "providers": {"nous": {"access_token": "canary-masked-3", "refresh_token": "canary-m-4"}},
    }
    found = load_credentials(home(tmp_path, data))
    for name in ("canary-masked-1", "canary-masked-2", "canary-masked-3", "canary-m-4"):
        assert REDACTOR.redact(f"<{name}>") == f"<{MASK}>"
    assert "canary" not in repr(found)


def test_a_broken_shape_is_passed_over(tmp_path: Path) -> None:
    pool = [None, {}, {"id": 5}, {"id": "x"}, "text", key("a", "canary-good")]
    data = {
        "credential_pool": {"zai": pool, "xai": "text", "gmi": {}},
        "providers": {"nous": 7, "x": {}},
    }
    assert set(load_credentials(home(tmp_path, data))) == {"zai"}
    assert load_credentials(home(tmp_path, {"credential_pool": 7, "providers": []})) == {}


def test_entries_that_mirror_a_variable_do_not_count(tmp_path: Path) -> None:
    data = {"credential_pool": {"zai": [key("a", "canary-old", source="env:ZAI_API_KEY")]}}
    assert load_credentials(home(tmp_path, data)) == {}


def test_a_login_that_stands_twice_counts_once(tmp_path: Path) -> None:
    login = {"access_token": "canary-same", "refresh_token": "canary-same-r"}
    entry = {"id": "a", "auth_type": "oauth", "source": "device_code", **login}
    data = {"credential_pool": {"nous": [entry]}, "providers": {"nous": login}}
    assert ids(home(tmp_path, data), "nous") == ["nous#a"]


@pytest.mark.parametrize(
    ("login", "there"),
    [
        ({"expires_at": NOW + 1}, True),
        ({"expires_at": NOW - 1}, False),
        ({"expires_at": NOW - 1, "refresh_token": "r"}, True),
        ({}, True),
    ],
)
def test_what_has_ended_counts_only_if_it_can_be_renewed(
    tmp_path: Path, login: dict[str, Any], there: bool
) -> None:
    data = {"providers": {"nous": {"access_token": "canary-a", **login}}}
    assert (ids(home(tmp_path, data), "nous") == ["nous:oauth"]) is there


def test_an_address_of_a_stranger_is_dropped(tmp_path: Path) -> None:
    for url, kept in (
        ("https://inference-api.nousresearch.com/v1/", "https://inference-api.nousresearch.com/v1"),
        ("https://nousresearch.com.evil.example/v1", None),
        ("http://inference-api.nousresearch.com/v1", None),
        ("https://user@inference-api.nousresearch.com/v1", None),
        ("https://inference-api.nousresearch.com:8443/v1", None),
        ("https://evilnousresearch.com/v1", None),
    ):
        data = {"providers": {"nous": {"access_token": "a", "inference_base_url": url}}}
        (found,) = load_credentials(home(tmp_path, data))["nous"]
        assert found.base_url == kept, url


def test_a_custom_endpoint_keeps_its_whole_name(tmp_path: Path) -> None:
    data = {"credential_pool": {"custom:lab": [key("a", "canary-1"), key("b", "canary-2")]}}
    config = home(tmp_path, data)
    assert ids(config, "custom:lab") == ["custom:lab#a", "custom:lab#b"]
    report(config, "custom:lab#a", "rate_limited", clock=now)
    assert ids(config, "custom:lab") == ["custom:lab#b", "custom:lab#a"]
    following = rotate(config, "custom:lab#b", clock=now)
    assert following is None


# Claude Code


def test_claude_codes_login_is_used_where_it_stands(tmp_path: Path) -> None:
    claude(tmp_path)
    (found,) = load_credentials(home(tmp_path), clock=now)["anthropic"]
    assert (found.kind, found.auth, found.id) == ("oauth", "bearer", "anthropic:claude-code")
    assert found.token == Secret("sk-ant-oat-canary-1")
    assert found.expires == NOW + 3600
    assert ".credentials.json" in found.source
    assert not AuthStore(tmp_path / ".hermes").path.exists()


def test_a_pasted_key_is_chosen_before_claude_codes_login(tmp_path: Path) -> None:
    claude(tmp_path)
    data = {"credential_pool": {"anthropic": [key("a", "sk-ant-api03-canary")]}}
    found = load_credentials(home(tmp_path, data), clock=now)["anthropic"]
    assert [(c.id, c.auth) for c in found] == [
        ("anthropic#a", "x-api-key"),
        ("anthropic:claude-code", "bearer"),
    ]


@pytest.mark.parametrize(
    ("exported", "used"),
    [
        ({"CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat-copied"}, True),
        ({"ANTHROPIC_TOKEN": "sk-ant-oat-copied"}, True),
        ({"ANTHROPIC_API_KEY": "sk-ant-oat-copied"}, True),
        ({"ANTHROPIC_API_KEY": "sk-ant-api03-mine"}, False),
    ],
)
def test_it_yields_to_an_exported_key_but_not_to_a_copied_token(
    tmp_path: Path, exported: dict[str, str], used: bool
) -> None:
    claude(tmp_path)
    assert (ids(home(tmp_path, **exported), "anthropic") != []) is used
    imported = {"providers": {"anthropic": {"source": "claude-code"}}}
    assert ids(home(tmp_path, imported, **exported), "anthropic") == ["anthropic:claude-code"]


def test_whoever_logged_out_of_it_is_asked_no_more(tmp_path: Path) -> None:
    claude(tmp_path)
    data = {"suppressed_sources": {"anthropic": ["claude-code"]}}
    assert load_credentials(home(tmp_path, data)) == {}


def test_a_damaged_file_of_claude_codes_is_passed_over(tmp_path: Path) -> None:
    claude(tmp_path)
    (tmp_path / ".claude" / ".credentials.json").write_text("{")
    assert load_credentials(home(tmp_path)) == {}


def test_claude_codes_own_folder_is_respected(tmp_path: Path) -> None:
    (tmp_path / "moved").mkdir()
    claude(tmp_path / "moved")
    config = home(tmp_path, CLAUDE_CONFIG_DIR=str(tmp_path / "moved" / ".claude"))
    assert ids(config, "anthropic") == ["anthropic:claude-code"]


@pytest.mark.parametrize(
    ("token", "header"),
    [
        ("sk-ant-api03-x", "x-api-key"),
        ("sk-ant-oat01-x", "bearer"),
        ("eyJhbGciOi", "bearer"),
        ("cc-x", "bearer"),
        ("anything", "x-api-key"),
    ],
)
def test_anthropics_tokens_tell_their_header(token: str, header: str) -> None:
    assert shown_by("anthropic", Secret(token)) == header
    assert shown_by("openrouter", Secret(token)) == "bearer"


# Tokens in variables


def test_a_token_that_is_traded_may_stand_in_a_variable(tmp_path: Path) -> None:
    data = {"providers": {"copilot": {"access_token": "gho_canary-stored"}}}
    config = home(tmp_path, data, GH_TOKEN="gho_canary-exported", OTHER_TOKEN="canary-other")
    config = replace(config, user_env={"COPILOT_GITHUB_TOKEN": "gho_canary-saved"})
    found = load_credentials(config, clock=now)["copilot"]
    assert [(c.id, c.ambient, c.expires) for c in found] == [
        ("copilot:env:COPILOT_GITHUB_TOKEN", False, 0.0),
        ("copilot:oauth", False, 0.0),
        ("copilot:env:GH_TOKEN", True, 0.0),
    ]
    assert find(config, "copilot:env:GH_TOKEN") == found[2]
    assert REDACTOR.redact("<gho_canary-exported>") == f"<{MASK}>"


def test_a_login_that_nobody_gave_us_is_no_reason_to_choose_its_provider(tmp_path: Path) -> None:
    claude(tmp_path)
    (found,) = load_credentials(home(tmp_path), clock=now)["anthropic"]
    assert found.ambient
    imported = home(tmp_path, {"providers": {"anthropic": {"source": "claude-code"}}})
    (found,) = load_credentials(imported, clock=now)["anthropic"]
    assert not found.ambient


# The rest


def test_auto_takes_the_login_that_was_made_last(tmp_path: Path) -> None:
    logins = {name: {"access_token": f"canary-{name}"} for name in ("nous", "openai-codex")}
    for last in (*logins, None):
        config = home(tmp_path, {"providers": logins, "active_provider": last})
        runtime = resolve(Request(model="m"), config, credentials=load_credentials(config))
        assert runtime.provider == (last or "nous")


def test_a_file_that_is_refused_is_an_error_that_says_so(tmp_path: Path) -> None:
    config = home(tmp_path)
    (config.home / "auth.json").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match="is a link"):
        load_credentials(config)
