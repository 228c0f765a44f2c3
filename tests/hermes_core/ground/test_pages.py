"""Where a person may be sent, and what the host is called."""

import pytest

from hermes_core.ground.pages import LONGEST, host_of_page, page_refusal
from hermes_core.ground.secrets import REDACTOR, Secret


@pytest.mark.parametrize(
    "url",
    [
        *("https://a.example", "https://a.example:8443/x?y=z#w", "https://xn--pypal-4ve.com/"),
        *("http://127.0.0.1:8080/x", "http://localhost/x", "http://[::1]/", "HTTPS://a.example/"),
    ],
)
def test_pages_that_may_be_opened(url: str) -> None:
    assert page_refusal(url) is None


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://a.example/", "not https"),
        ("http://127.0.0.1.evil.example/", "not https"),
        ("ftp://a.example/", "not https"),
        ("file:///etc/passwd", "no address"),
        ("javascript:alert(1)", "no address"),
        ("//a.example/", "not https"),
        ("https://", "no address"),
        ("https://a.example:99999/", "no address"),
        ("https://[::1/", "no address"),
        ("", "no address"),
        ("https://bank.example@evil.example/", "name of a user"),
        ("https://me:word@a.example/", "name of a user"),
        ("https://a.example\\@evil.example/", "characters"),
        ("https://a.example/a b", "characters"),
        ("https://a.example/\n", "characters"),
        ("https://a.example/\u202egpj", "characters"),
        ("https://p\u0430ypal.example/", "characters"),
        ("https://a.example/" + "x" * LONGEST, "longer"),
        ("https://a.example/?k=sk-abcdefghijklmnop0123", "holds a key"),
    ],
)
def test_pages_that_may_not(url: str, why: str) -> None:
    assert why in (page_refusal(url) or "")


def test_a_key_of_ours_is_not_sent_anywhere() -> None:
    REDACTOR.register(Secret("canary-of-the-pages"))
    assert page_refusal("https://a.example/canary-of-the-pages") == "it holds a key"


def test_the_host_is_told_with_what_is_odd_about_it() -> None:
    assert host_of_page("https://a.example:8443/x") == "a.example:8443"
    assert "another script" in host_of_page("https://www.xn--pypal-4ve.com/")
