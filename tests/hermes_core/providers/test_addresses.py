"""What is refused as an address, and how a person finds the place where it stands."""

from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.errors import ConfigError
from hermes_core.ground.secrets import Secret
from hermes_core.local.config import Config
from hermes_core.local.provider_settings import NamedProvider
from hermes_core.providers.resolution import Request, resolve

HOME = Path("/home/someone/.hermes")


def refusal(request: Request | None = None, **settings: Any) -> str:
    config = Config(home=HOME, model="m", **settings)
    with pytest.raises(ConfigError) as caught:
        resolve(request or Request(), config)
    return str(caught.value)


@pytest.mark.parametrize("url", ["localhost:8765/v1", "http://", "https:///v1", "/v1"])
def test_what_is_no_address_is_said_with_the_place_where_it_stands(url: str) -> None:
    what = f"{url!r} is no address of an endpoint. Begin it with https://, or with http:// on"
    entry = NamedProvider("lab", base_url=url)
    assert refusal(base_url=url).startswith(f"model.base_url in config.yaml: {what}")
    file = {"OPENAI_BASE_URL": url}
    assert refusal(user_env=file).startswith(f"OPENAI_BASE_URL in .env: {what}")
    exported = refusal(provider="lmstudio", env={"LM_BASE_URL": url})
    assert exported.startswith(f"LM_BASE_URL in the environment: {what}")
    named = refusal(provider="custom:lab", providers=(entry,))
    assert named.startswith(f"custom:lab in config.yaml: {what}")
    assert refusal(Request(base_url=url)).startswith(what)


@pytest.mark.parametrize("end", ["/v1?x=1", "/v1/chat/completions?key=abcdef", "/v1#a", "?", "#"])
def test_a_query_or_a_fragment_is_refused_and_not_repeated(end: str) -> None:
    said = refusal(base_url=f"http://host{end}", api_key=Secret("sk-1234567890"))
    assert said.startswith("model.base_url in config.yaml: The endpoint's address holds a query")
    assert "abcdef" not in said
