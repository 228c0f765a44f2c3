"""How an endpoint is reached: what the environment may and may not change."""

from pathlib import Path

import pytest

from hermes_core.ground.errors import ConfigError
from hermes_core.local.config import Config
from hermes_core.transport.network import network_for

URL = "https://api.example.org/v1"
PROXY = {"HTTPS_PROXY": "http://proxy.local:3128"}


def config(env: dict[str, str], **own: str) -> Config:
    return Config(home=Path("/nonexistent"), env=env, user_env=own, api_timeout=7)


def test_the_idle_limit_is_the_configured_one() -> None:
    assert network_for(config({}), URL).idle_timeout == 7


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])
def test_a_proxy_is_taken_from_the_usual_variables(name: str) -> None:
    assert network_for(config({name: "proxy:3128"}), URL).proxy == "http://proxy:3128"


@pytest.mark.parametrize(
    "excluded",
    [
        "*",
        "example.org",
        ".example.org",
        "*.example.org",
        "api.example.org",
        "a,API.example.org:443",
    ],
)
def test_an_excluded_host_is_reached_directly(excluded: str) -> None:
    assert network_for(config({**PROXY, "NO_PROXY": excluded}), URL).proxy is None


@pytest.mark.parametrize("excluded", ["", "org.example", "xample.org", "other.org"])
def test_others_go_through_the_proxy(excluded: str) -> None:
    assert network_for(config({**PROXY, "NO_PROXY": excluded}), URL).proxy == PROXY["HTTPS_PROXY"]


@pytest.mark.parametrize(
    "url",
    ["http://192.168.1.2/v1", "https://127.0.0.1:1/v1", "http://localhost/v1", "scripted://x"],
)
def test_what_is_near_or_not_encrypted_never_goes_through_a_proxy(url: str) -> None:
    assert network_for(config(PROXY), url).proxy is None


def test_a_proxy_that_is_not_spoken_is_refused() -> None:
    with pytest.raises(ConfigError, match="NO_PROXY"):
        network_for(config({"ALL_PROXY": "socks5://proxy:1080"}), URL)


def test_certificates_come_from_the_users_own_file_alone() -> None:
    assert network_for(config({"SSL_CERT_FILE": "/theirs.pem"}), URL).ca_file is None
    assert network_for(config({}, SSL_CERT_FILE="/mine.pem"), URL).ca_file == "/mine.pem"


@pytest.mark.parametrize(
    "proxy", ["http://[", "http://proxy:port", "http://", "://", "http://a b:1", "http://pröxy:1"]
)
def test_what_is_no_address_of_a_proxy_is_told(proxy: str) -> None:
    with pytest.raises(ConfigError, match="HTTPS_PROXY"):
        network_for(config({"HTTPS_PROXY": proxy}), URL)
