"""Every key that there is, with every address from every source: none goes to a host not its own.

Whose host is whose comes from ``tests/data/providers.json``.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from hermes_core.ground.errors import ConfigError, NoCredentials
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.local.provider_settings import NamedProvider
from hermes_core.providers.credentials import Credential
from hermes_core.providers.directory import directory_of
from hermes_core.providers.registry import BUNDLED, Catalogue
from hermes_core.providers.resolution import Request, resolve
from hermes_core.transport import guard
from tests.hermes_core.providers.facts import facts
from tests.hermes_core.providers.test_resolution import HOME

KNOWN = directory_of(Catalogue(BUNDLED).all())
FACTS = {fact["id"]: fact for fact in facts()}
ELSEWHERE = ("https://evil.example/v1", "http://127.0.0.1:8080/v1", "https://openrouter.ai:444/v1")
BOUND = {"openrouter", "ai-gateway", "openai-api", "openai-codex", "copilot", "ollama-cloud"}
ROAMING = {"custom", "lmstudio", "ollama", "azure-foundry"}
SOURCES = ("given", "lent", "saved", "file", "exported")

VARIABLES = {name: f"canary-{name}" for fact in facts() for name in fact["key_variables"]}
STORED = {
    name: tuple(
        Credential(name, kind, Secret(f"stored-{kind}-{name}"), "a test", f"{name}#{kind}")
        for kind in ("oauth", "api_key")
    )
    for name in FACTS
}


def addresses() -> Iterator[str]:
    for fact in facts():
        yield from (url for url in (fact["base_url"], *fact.get("alternates", ())) if url)
    yield from ELSEWHERE


def host_of(url: str) -> str:
    return guard.host_of(url)


def hosts_of(name: str) -> set[str]:
    urls = (FACTS[name]["base_url"], *FACTS[name].get("alternates", ()))
    return {host_of(url) for url in urls if url and url.startswith("http")}


NAMES_OF_HOSTS = {host.partition(":")[0] for one in FACTS for host in hosts_of(one)} - {"127.0.0.1"}


def attempts(name: str, source: str) -> Iterator[tuple[str, Request, dict[str, Any]]]:
    variable = FACTS[name]["url_variable"]
    for url in addresses():
        request = Request(provider=name, model="anthropic.claude-sonnet-5")
        more: dict[str, Any] = {}
        if source in ("given", "lent"):
            request = replace(request, base_url=url, main=source == "given")
        elif source == "saved":
            more = {"provider": name, "base_url": url}
        elif variable:
            more = {"user_env" if source == "file" else "env": {variable: url}}
        yield url, request, more


def resolved(request: Request, keys: str, more: dict[str, Any], stored: bool) -> Runtime | None:
    settings = {"env": {}, "user_env": {}, **more}
    settings[keys] = {**settings[keys], **VARIABLES}
    try:
        return resolve(request, Config(home=HOME, **settings), KNOWN, STORED if stored else {})
    except ConfigError:
        return None


def may_go(key: str, name: str, runtime: Runtime, source: str) -> bool:
    """Tell by the rules, not by the code, whether ``key`` may be where it went."""
    host = host_of(runtime.base_url)
    owners = [one for one in FACTS if key.removeprefix("canary-") in FACTS[one]["key_variables"]]
    owners += [one for one in FACTS if key in (f"stored-oauth-{one}", f"stored-api_key-{one}")]
    if any(host in hosts_of(one) for one in owners):
        return True
    if (
        source in ("exported", "lent")
        or name not in owners
        or host.partition(":")[0] in NAMES_OF_HOSTS
    ):
        return False
    is_login = key.startswith("stored-oauth")
    return not is_login and (name in ROAMING or (source == "file" and name not in BOUND))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", [name for name in FACTS if name != "copilot-acp"])
def test_no_key_goes_to_a_host_not_its_own(name: str, source: str) -> None:
    seen = 0
    for url, request, more in attempts(name, source):
        for keys, stored in (("user_env", False), ("env", False), ("env", True)):
            runtime = resolved(request, keys, more, stored)
            if runtime is None or not runtime.api_key:
                continue
            seen += 1
            key = runtime.api_key.reveal()
            assert runtime.hosts == {host_of(runtime.base_url)}
            assert may_go(key, name, runtime, source), (url, runtime.base_url, key)
    assert seen or name in ROAMING | {"openai-codex", "minimax-oauth"}


LAB = NamedProvider(
    "lab",
    base_url="https://lab.example/v1",
    key_env="LAB_KEY",
    extra_headers=(("X-Team", "canary-header"),),
)
WITH_KEY = replace(LAB, key_env=None, api_key=Secret("canary-lab"))
PASTED = {"custom:lab": (Credential("custom:lab", "api_key", Secret("canary-lab"), "a", "lab#1"),)}


@pytest.mark.parametrize("main", [True, False])
@pytest.mark.parametrize("entry", [LAB, WITH_KEY, replace(LAB, key_env=None)], ids=str)
@pytest.mark.parametrize(
    ("url", "goes"),
    [
        ("https://lab.example/v1", True),
        ("https://lab.example/other/v1", True),
        ("https://lab.example:8443/v1", False),
        ("http://lab.example:443/v1", False),
        ("https://evil.example/v1", False),
        ("https://api.openai.com/v1", False),
        ("http://127.0.0.1:8080/v1", False),
    ],
)
def test_what_belongs_to_a_named_endpoint_stays_at_its_host(
    entry: NamedProvider, main: bool, url: str, goes: bool
) -> None:
    config = Config(home=HOME, user_env={"LAB_KEY": "canary-lab"}, providers=(entry,))
    request = Request(provider="custom:lab", model="m", base_url=url, main=main)
    runtime = resolve(request, config, KNOWN, PASTED)
    assert runtime.api_key.reveal() == ("canary-lab" if goes else "")
    assert ("canary-header" in str(runtime.headers)) is goes
    assert runtime.provider == "custom:lab"


def test_a_chains_entry_uses_the_address_that_the_user_saved_with_its_provider() -> None:
    saved = Config(
        home=HOME,
        user_env={"AZURE_FOUNDRY_API_KEY": "canary-azure"},
        provider="azure-foundry",
        base_url="https://mine.openai.azure.com/openai/v1",
    )
    lent = Request(provider="azure-foundry", model="gpt-5-mini", main=False)
    assert resolve(lent, saved, KNOWN, {}).api_key.reveal() == "canary-azure"
    with pytest.raises(NoCredentials, match="api_key beside that base_url"):
        resolve(replace(lent, base_url="https://evil.example"), saved, KNOWN, {})


def test_plain_http_is_not_the_providers_own_host() -> None:
    saved = Config(
        home=HOME,
        user_env={"OPENROUTER_API_KEY": "canary-openrouter"},
        provider="openrouter",
        base_url="http://openrouter.ai:443/api/v1",
    )
    with pytest.raises(NoCredentials):
        resolve(Request(model="m"), saved, KNOWN, {})
