"""Which provider, address, key and model come out: one table, no network, no files."""

from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.errors import ConfigError
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.providers.profile import ProviderProfile
from hermes_core.providers.registry import BUNDLED, Catalogue
from hermes_core.providers.resolution import DEFAULT_WINDOW, Request, resolve
from tests.hermes_core.providers.resolution_more_rows import ROWS
from tests.hermes_core.providers.resolution_rows import MINE, Row

HOME = Path("/home/someone/.hermes")
BUNDLED_ONLY = Catalogue(BUNDLED).all()


def config_of(row: Row) -> Config:
    saved = dict(row.saved)
    return Config(
        home=HOME,
        api_key=Secret(saved.pop("api_key", "")),
        env=row.env,
        user_env=row.file,
        **saved,
    )


def resolved(row: Row) -> Runtime:
    asked: dict[str, Any] = dict(row.ask)
    key = asked.pop("api_key", None)
    request = Request(api_key=Secret(key) if key else None, **asked)
    stored = {name: tuple(credentials) for name, credentials in row.stored.items()}
    return resolve(request, config_of(row), BUNDLED_ONLY, stored)


@pytest.mark.parametrize("row", [row for row in ROWS if row.want], ids=lambda row: row.name)
def test_what_is_used(row: Row) -> None:
    found = resolved(row)
    key = found.api_key.reveal()
    assert (found.provider, found.base_url, key, found.model) == row.want
    assert not row.mode or found.api_mode == row.mode
    assert not row.auth or found.auth == row.auth
    assert row.trail in "\n".join(found.source)


@pytest.mark.parametrize("row", [row for row in ROWS if row.error], ids=lambda row: row.name)
def test_what_is_refused(row: Row) -> None:
    with pytest.raises(ConfigError) as caught:
        resolved(row)
    assert type(caught.value) is row.kind
    assert row.error in str(caught.value)


WITHHELD = "LM_API_KEY in .env is not sent, since the address is LM_BASE_URL in the environment"


@pytest.mark.parametrize(("file", "withheld"), [({"LM_API_KEY": "lm-key-1"}, WITHHELD), ({}, "")])
def test_a_key_that_is_withheld_is_named(file: dict[str, str], withheld: str) -> None:
    config = Config(
        home=HOME, provider="lmstudio", model="m", user_env=file, env={"LM_BASE_URL": MINE}
    )
    found = resolve(Request(), config, BUNDLED_ONLY)
    assert (found.api_key.reveal(), found.withheld) == ("", withheld)
    assert f"key: {withheld or 'none'}" in found.source


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_no_key_shows_in_a_text(row: Row) -> None:
    keys = [v for v in (*row.file.values(), *row.env.values()) if v.startswith(("sk-", "lm-"))]
    keys += [str(row.saved.get("api_key", ""))]
    keys += [one.token.reveal() for those in row.stored.values() for one in those]
    try:
        found = resolved(row)
        text = repr(found)
    except ConfigError as error:
        text = str(error)
    assert not [key for key in keys if key and key in text]


@pytest.mark.parametrize("row", [row for row in ROWS if row.want], ids=lambda row: row.name)
def test_a_key_names_the_one_host_it_may_go_to(row: Row) -> None:
    found = resolved(row)
    host = found.base_url.split("/")[2]
    port = "" if ":" in host else ":443" if found.base_url.startswith("https") else ":80"
    assert found.hosts == (frozenset({host + port}) if found.api_key else frozenset())


def test_the_trail_tells_where_each_value_came_from() -> None:
    row = next(row for row in ROWS if row.name.startswith("a saved endpoint without a key gets"))
    assert resolved(row).source == (
        "provider custom: model.base_url in config.yaml",
        f"address {MINE}: model.base_url in config.yaml",
        "key: OPENAI_API_KEY in .env",
        "model m: model.default in config.yaml",
        "format chat_completions: custom's",
    )


def test_the_window_is_that_of_the_saved_model_alone() -> None:
    config = Config(home=HOME, base_url=MINE, model="m", context_window=32_000)
    assert resolve(Request(), config, BUNDLED_ONLY).context_window == 32_000
    other = resolve(Request(model="other"), config, BUNDLED_ONLY)
    assert other.context_window == DEFAULT_WINDOW


def test_a_new_provider_needs_no_new_rule() -> None:
    acme = ProviderProfile("acme", "Acme", base_url="https://acme.example/v1", key_envs=("ACME",))
    config = Config(home=HOME, model="m", user_env={"ACME": "sk-acme"})
    found = resolve(Request(), config, [*BUNDLED_ONLY, acme])
    assert (found.provider, found.hosts) == ("acme", frozenset({"acme.example:443"}))


def test_there_are_enough_rows() -> None:
    assert len(ROWS) >= 150
    assert len({row.name for row in ROWS}) == len(ROWS)
