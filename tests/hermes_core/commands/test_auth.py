"""``hermes auth``: what is stored, taken over and forgotten."""

import json
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes_core.commands.auth import (
    key_refusal,
    log_out,
    provider_named,
    status,
    store_key,
    store_login,
    way_in,
)
from hermes_core.commands.auth_imports import import_login
from hermes_core.ground.errors import ConfigError, NoCredentials
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.secrets import MASK, REDACTOR, Secret
from hermes_core.local.config import Config, load_config
from hermes_core.providers.auth_store import AuthStore
from hermes_core.providers.credentials import load_credentials, report
from hermes_core.providers.grants import Grant

NOW = 1_800_000_000.0
KEY = "sk-or-v1-canary-pasted-key"


def home(tmp_path: Path, settings: str = "", **env: str) -> Config:
    folder = tmp_path / ".hermes"
    folder.mkdir(exist_ok=True)
    (folder / "config.yaml").write_text(settings)
    return load_config({"HERMES_HOME": str(folder), "HOME": str(tmp_path), **env})


def stored(config: Config) -> dict[str, Any]:
    return AuthStore(config.home).read()


def put(path: Path, data: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data))


def ids(config: Config, provider: str) -> list[str]:
    return [c.id for c in load_credentials(config, clock=lambda: NOW).get(provider, ())]


# Keys


def test_a_pasted_key_is_stored_and_told_without_itself(tmp_path: Path) -> None:
    config = home(tmp_path)
    told = store_key(config, "openrouter", f" {KEY}\n", "work")
    assert "canary" not in told
    (found,) = load_credentials(config)["openrouter"]
    assert (found.token, found.source) == (Secret(KEY), "work in auth.json")
    assert found.id in told
    assert REDACTOR.redact(f"<{KEY}>") == f"<{MASK}>"
    assert "active_provider" not in stored(config)


def test_a_key_may_end_as_base64_does(tmp_path: Path) -> None:
    config = home(tmp_path)
    store_key(config, "openrouter", "CANARY0123==")
    assert load_credentials(config)["openrouter"][0].token == Secret("CANARY0123==")


def test_a_second_key_comes_after_the_first_and_the_same_one_only_once(tmp_path: Path) -> None:
    config = home(tmp_path)
    for key in (KEY, f"{KEY}-2", KEY):
        store_key(config, "openrouter", key)
    tokens = [c.token.reveal() for c in load_credentials(config)["openrouter"]]
    assert tokens == [KEY, f"{KEY}-2"]


def test_pasting_a_key_again_ends_its_rest(tmp_path: Path) -> None:
    config = home(tmp_path)
    store_key(config, "openrouter", KEY)
    (name,) = ids(config, "openrouter")
    report(config, name, "dead")
    assert ids(config, "openrouter") == []
    store_key(config, "openrouter", KEY)
    assert ids(config, "openrouter") == [name]


@pytest.mark.parametrize(
    "key",
    [
        "",
        "short",
        "two words canary",
        "canary-\x00-canary",
        "canärykey",
        '"canary-quoted"',
        "'canary-quoted'",
        "OPENROUTER_API_KEY=canary-key",
    ],
)
def test_what_is_no_key_is_refused_without_being_shown(tmp_path: Path, key: str) -> None:
    config = home(tmp_path)
    with pytest.raises(ConfigError, match="no key for openrouter") as caught:
        store_key(config, "openrouter", key)
    assert not key or key not in str(caught.value)
    assert not AuthStore(config.home).path.exists()


@pytest.mark.parametrize(
    "provider", ["bedrock", "copilot-acp", "openai-codex", "minimax-oauth", "demo", "ollama"]
)
def test_some_providers_take_no_key(tmp_path: Path, provider: str) -> None:
    config = home(tmp_path)
    assert key_refusal(config, provider)
    with pytest.raises(ConfigError):
        store_key(config, provider, KEY)


def test_a_token_of_githubs_becomes_the_login_of_copilot(tmp_path: Path) -> None:
    config = home(tmp_path)
    store_key(config, "copilot", "gho_canary-github-token")
    assert ids(config, "copilot") == ["copilot:oauth"]
    with pytest.raises(ConfigError, match="classic tokens"):
        store_key(config, "copilot", "ghp_canary-github-token")


def test_a_named_endpoint_keeps_its_name(tmp_path: Path) -> None:
    config = home(tmp_path, "providers: {Lab: {base_url: 'https://lab.example/v1'}}")
    assert provider_named(config, "custom:lab") == "custom:Lab"
    assert provider_named(config, "lab") == "custom:Lab"
    assert key_refusal(config, "custom:Lab") is None
    store_key(config, "custom:Lab", KEY)
    assert list(load_credentials(config)) == ["custom:Lab"]


def test_names_are_found_by_alias_and_unknown_ones_told(tmp_path: Path) -> None:
    config = home(tmp_path)
    assert provider_named(config, " OR ") == "openrouter"
    with pytest.raises(ConfigError, match="no provider 'nobody'"):
        provider_named(config, "nobody")


def test_a_login_is_begun_where_that_is_the_way_in(tmp_path: Path) -> None:
    config = home(tmp_path)
    begun = {name for name in ("nous", "copilot", "openai-codex") if way_in(config, name)}
    assert begun == {"nous", "copilot", "openai-codex"}
    assert way_in(config, "anthropic") is None
    assert way_in(config, "openrouter") is None


# Logins


def test_a_login_takes_the_place_of_an_older_one_and_becomes_the_active(tmp_path: Path) -> None:
    config = home(tmp_path)
    store_login(config, "nous", Grant(Secret("canary-a"), Secret("canary-r"), expires=NOW + 60))
    report(config, "nous:oauth", "dead")
    assert ids(config, "nous") == ["nous:oauth"]
    told = store_login(
        config, "nous", Grant(Secret("canary-b"), Secret("canary-r"), client_id="me")
    )
    assert "canary" not in told
    data = stored(config)
    assert data["active_provider"] == "nous"
    assert data["providers"]["nous"]["client_id"] == "me"
    assert data["credential_pool"] == {}
    assert "expires_at" not in data["providers"]["nous"]


# Imports


def test_codexs_login_is_copied(tmp_path: Path) -> None:
    config = home(tmp_path)
    with pytest.raises(NoCredentials, match="codex login"):
        import_login(config, "openai-codex", Interrupt())
    tokens = {"access_token": "canary-a", "refresh_token": "canary-r", "account_id": "x"}
    put(
        tmp_path / ".codex" / "auth.json",
        {"tokens": tokens, "last_refresh": "2027-01-01T00:00:00Z"},
    )
    told = import_login(config, "openai-codex", Interrupt())
    assert "canary" not in told
    state = stored(config)["providers"]["openai-codex"]
    assert state["tokens"] == {"access_token": "canary-a", "refresh_token": "canary-r"}
    assert state["source"] == "codex"
    assert ids(config, "openai-codex") == ["openai-codex:oauth"]


def test_codexs_own_folder_is_respected(tmp_path: Path) -> None:
    put(tmp_path / "moved" / "auth.json", {"tokens": {"access_token": "canary-moved"}})
    config = home(tmp_path, CODEX_HOME=str(tmp_path / "moved"))
    import_login(config, "openai-codex", Interrupt())
    assert load_credentials(config)["openai-codex"][0].token == Secret("canary-moved")


def test_claude_codes_login_is_used_in_its_place(tmp_path: Path) -> None:
    config = home(tmp_path)
    with pytest.raises(NoCredentials, match="Claude Code"):
        import_login(config, "anthropic", Interrupt())
    login = {"accessToken": "canary-a", "refreshToken": "canary-r", "expiresAt": 1000 * (NOW + 60)}
    put(tmp_path / ".claude" / ".credentials.json", {"claudeAiOauth": login})
    assert log_out(config, "anthropic")[0].startswith("Claude Code's login is left alone")
    assert ids(config, "anthropic") == []
    import_login(config, "anthropic", Interrupt())
    assert ids(config, "anthropic") == ["anthropic:claude-code"]
    assert "canary" not in AuthStore(config.home).path.read_text()


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("exit 1", "not logged in"),
        ("echo; exit 0", "not logged in"),
        ("echo ghp_canary-classic", "classic tokens"),
    ],
)
def test_a_gh_that_has_no_fitting_token(tmp_path: Path, script: str, words: str) -> None:
    config = with_gh(tmp_path, script)
    with pytest.raises(ConfigError, match=words):
        import_login(config, "copilot", Interrupt())
    assert not AuthStore(config.home).path.exists()


def test_the_token_of_gh_is_copied(tmp_path: Path) -> None:
    config = with_gh(tmp_path, '[ "$1 $2" = "auth token" ] && echo gho_canary-from-gh')
    told = import_login(config, "copilot", Interrupt())
    assert "canary" not in told
    assert stored(config)["providers"]["copilot"]["access_token"] == "gho_canary-from-gh"
    assert REDACTOR.redact("<gho_canary-from-gh>") == f"<{MASK}>"


def test_without_gh_it_says_so(tmp_path: Path) -> None:
    config = home(tmp_path, PATH=str(tmp_path))
    with pytest.raises(NoCredentials, match="not on the PATH"):
        import_login(config, "copilot", Interrupt())


def test_qwens_login_is_copied_with_a_warning(tmp_path: Path) -> None:
    put(tmp_path / ".qwen" / "oauth_creds.json", {"access_token": "canary-q", "expiry_date": 1})
    config = home(tmp_path)
    assert "ended" in import_login(config, "qwen-oauth", Interrupt())


def test_other_providers_have_no_import(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="imports for anthropic"):
        import_login(home(tmp_path), "openrouter", Interrupt())


@pytest.mark.parametrize("text", ["{", "[]", ""])
def test_a_damaged_login_of_another_program_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / ".codex" / "auth.json"
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(ConfigError, match="damaged"):
        import_login(home(tmp_path), "openai-codex", Interrupt())


def test_another_programs_folder_in_place_of_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / ".codex" / "auth.json").mkdir(parents=True)
    with pytest.raises(ConfigError, match="not a file of your own"):
        import_login(home(tmp_path), "openai-codex", Interrupt())


# Logging out


def test_logging_out_forgets_one_provider_alone(tmp_path: Path) -> None:
    config = home(tmp_path)
    store_key(config, "openrouter", KEY)
    store_key(config, "nous", f"{KEY}-nous")
    store_login(config, "nous", Grant(Secret("canary-a"), Secret("")))
    assert log_out(config, "nous") == [
        "Forgotten: pasted in auth.json.",
        "Forgotten: login in auth.json.",
        "nous is not told: its tokens serve until they end. To end them now, take the access back "
        "on its own page.",
    ]
    data = stored(config)
    assert list(data["credential_pool"]) == ["openrouter"]
    assert data["providers"] == {}
    assert data["active_provider"] is None
    assert log_out(config, "nous") == ["Nothing is stored for nous."]


def test_logging_out_names_the_variables_that_remain(tmp_path: Path) -> None:
    config = home(tmp_path, OPENROUTER_API_KEY=KEY, GH_TOKEN="gho_canary-env")
    assert (
        log_out(config, "openrouter")[-1] == "OPENROUTER_API_KEY is still set in the environment."
    )
    assert log_out(config, "copilot") == [
        "Nothing is stored for copilot.",
        "GH_TOKEN is still set in the environment.",
    ]
    saved = replace(config, user_env={"OPENROUTER_API_KEY": KEY})
    assert log_out(saved, "openrouter")[-1].endswith(".env.")
    assert not AuthStore(config.home).path.exists()


def test_logging_out_names_the_copy_of_another_programs_file(tmp_path: Path) -> None:
    config = home(tmp_path)
    put(AuthStore(config.home).path, {"providers": {"nous": {"access_token": "canary-a"}}})
    assert ".orig" in log_out(config, "nous")[-1]


# Status


def test_the_status_tells_everything_but_the_keys(tmp_path: Path) -> None:
    config = home(tmp_path)
    store_key(config, "openrouter", KEY)
    store_key(config, "openrouter", f"{KEY}-2")
    store_login(config, "nous", Grant(Secret("canary-a"), Secret("canary-r"), expires=NOW + 60))
    first, second = ids(config, "openrouter")
    report(config, first, "rate_limited", NOW + 600, clock=lambda: NOW)
    report(config, second, "dead", clock=lambda: NOW)
    rows, notices = status(config, clock=lambda: NOW)
    states = {row.name: (row.state.split(" 20")[0], row.usable) for row in rows}
    assert states == {
        first: ("rests until", False),
        second: ("over, log in again", False),
        "nous:oauth": ("expires", True),
    }
    assert "canary" not in repr(rows)
    assert notices == []
    later, _ = status(config, clock=lambda: NOW + 100)
    assert later[0].state == "renewed at the next use"


def test_the_status_tells_what_was_put_right(tmp_path: Path) -> None:
    config = home(tmp_path)
    store_key(config, "openrouter", KEY)
    AuthStore(config.home).path.chmod(0o640)
    _, notices = status(config)
    assert "could be read by other users" in notices[0]
    assert stat.S_IMODE(AuthStore(config.home).path.stat().st_mode) == 0o600


def with_gh(tmp_path: Path, script: str) -> Config:
    program = tmp_path / "bin" / "gh"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return home(tmp_path, PATH=f"{program.parent}:/usr/bin:/bin")
