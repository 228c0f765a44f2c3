"""A key reaches only the hosts that it names, and only under TLS where that matters."""

import pytest

from hermes_core.ground.errors import ConfigError
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.transport import guard

KEY = "sk-test-0123456789abcdef"


def runtime(*hosts: str, key: str = KEY, plain: bool = False) -> Runtime:
    return Runtime(
        "custom",
        "m",
        "chat_completions",
        "",
        Secret(key),
        hosts=frozenset(hosts),
        plain_http=plain,
    )


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.org/v1",
        "https://api.example.org:443/v1",
        "https://API.Example.org/other",
        "https://api.example.org",
    ],
)
def test_the_key_goes_to_its_host(url: str) -> None:
    guard.check(runtime("api.example.org:443"), url)


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.org/v1",
        "https://api.example.org.evil.org/v1",
        "https://evil-api.example.org/v1",
        "https://api.example.org:8443/v1",
        "http://api.example.org/v1",
        "https://example.org/v1",
        "https://evil.org/?https://api.example.org",
        "https://evil.org\\@api.example.org/v1",
        "https://127.0.0.1/v1",
    ],
)
def test_the_key_goes_nowhere_else(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        guard.check(runtime("api.example.org:443", plain=True), url)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org",
        "example.org/v1",
        "https://",
        "https://user:pass@example.org/v1",
        "https://user@example.org/v1",
        "https://exa mple.org/v1",
        "https://example.org\r\nHost: evil",
        "https://example.org:99999/v1",
        "https://example.org:0/v1",
        "https://example.org/v1#part",
        "file:///etc/passwd",
        "//example.org/v1",
        "https://[::1/v1",
        "https://b\u00fccher.example/v1",
        "https://example.org\u3002evil.org/v1",
        "",
    ],
)
def test_what_is_no_plain_address_is_refused(url: str) -> None:
    with pytest.raises(ConfigError):
        guard.check(runtime(key=""), url)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "127.8.8.8", "a.localhost"])
def test_plain_http_to_this_machine_needs_no_leave(host: str) -> None:
    guard.check(runtime(key=""), f"http://{host}:1234/v1")


@pytest.mark.parametrize(
    "host", ["example.org", "192.168.1.2", "localhost.example.org", "0.0.0.0", "127.0.0.1.nip.io"]
)
def test_plain_http_elsewhere_needs_the_users_word(host: str) -> None:
    with pytest.raises(ConfigError, match="without TLS"):
        guard.check(runtime(key=""), f"http://{host}:1234/v1")
    guard.check(runtime(key="", plain=True), f"http://{host}:1234/v1")


def test_without_a_key_any_host_may_be_asked() -> None:
    guard.check(runtime(key=""), "https://example.org/v1")


def test_the_port_is_always_part_of_the_host() -> None:
    assert guard.host_of("https://Example.org/v1") == "example.org:443"
    assert guard.host_of("http://example.org/v1") == "example.org:80"
    assert guard.host_of("http://[::1]:8080/v1") == "::1:8080"
