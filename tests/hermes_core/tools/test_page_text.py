"""Pages of the web as text."""

import sys

import pytest

from hermes_core.ground.errors import ToolError
from hermes_core.tools.page_text import text_of_page

HTML = b"""<html><head><title>T</title><style>p{}</style><script>run()</script></head>
<body><nav>menu</nav><h1>Head</h1><p>One <a href="/two">two</a> &amp; <b>three</b></p>
<ul><li>a</li><li>b</li></ul><div hidden>secret order</div><footer>foot</footer></body></html>"""


def test_html_becomes_markdown() -> None:
    text = text_of_page(HTML, "text/html", "utf-8", "https://example.org/one")
    assert "# Head" in text
    assert "[two](https://example.org/two)" in text
    for gone in ("menu", "foot", "run()", "p{}"):
        assert gone not in text


def test_without_the_library_the_words_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "html_to_markdown", None)
    text = text_of_page(HTML, "text/html", "", "https://example.org/one")
    assert text.splitlines()[:2] == ["T", "Head"]
    assert "One two & three" in text
    for gone in ("menu", "foot", "run()", "p{}"):
        assert gone not in text


def test_json_is_laid_out_and_broken_json_stays() -> None:
    assert '\n "a": "é"\n' in text_of_page('{"a":"é"}'.encode(), "application/json", "", "u")
    assert text_of_page(b"{", "application/vnd.x+json", "", "u") == "{"


@pytest.mark.parametrize(
    ("data", "charset", "text"),
    [
        (b"caf\xe9", "latin-1", "café"),
        (b"caf\xe9", "utf-8", "caf\ufffd"),
        (b"x", "no-such-charset", "x"),
        (b"x", "", "x"),
    ],
)
def test_texts_are_decoded(data: bytes, charset: str, text: str) -> None:
    assert text_of_page(data, "text/plain", charset, "u") == text


@pytest.mark.parametrize(
    ("data", "kind"), [(b"%PDF", "application/pdf"), (b"\x89PNG\0", ""), (b"x", "image/png")]
)
def test_what_is_no_text_is_told(data: bytes, kind: str) -> None:
    with pytest.raises(ToolError, match="is no text"):
        text_of_page(data, kind, "", "https://example.org/a")


def test_html_of_any_depth_is_taken() -> None:
    deep = b"<html>" + b"<div>" * 20_000 + b"words"
    text_of_page(deep, "text/html", "", "https://example.org/")
