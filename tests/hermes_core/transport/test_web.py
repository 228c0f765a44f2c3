"""Pages of the web: from public addresses alone, pinned, with nothing of the user's."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from hermes_core.ground.errors import Interrupted, ToolError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.transport import web
from hermes_core.transport.web import Page, fetch_page, is_public, place_of

WATCHDOG = 20.0


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.1.2.3",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "192.0.0.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "240.0.0.1",
        "::",
        "::1",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "fd00:ec2::254",
        "ff02::1",
        "fec0::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "2002:a00:1::1",
        "2001:0:7f00:1::1",
        "2001:db8::1",
        "not an address",
    ],
)
def test_an_address_that_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"]
)
def test_an_address_that_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    ("url", "plain", "host"),
    [
        ("https://example.org/a?b=c#d", "https://example.org/a?b=c", "example.org"),
        (" Example.org/a ", "https://Example.org/a", "example.org"),
        ("http://example.org", "http://example.org", "http://example.org"),
        ("https://example.org.:443/", "https://example.org.:443/", "example.org"),
        ("https://93.184.216.34/", "https://93.184.216.34/", "93.184.216.34"),
    ],
)
def test_the_host_is_what_a_person_is_asked_about(url: str, plain: str, host: str) -> None:
    assert place_of(url) == (plain, host)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "file:///etc/passwd",
        "ftp://example.org/",
        "gopher://example.org/",
        "https://user@example.org/",
        "https://user:key@example.org/",
        "https://example.org:8443/",
        "https://example.org:22/",
        "https://localhost/",
        "https://LOCALHOST./",
        "https://a.localhost/",
        "https://metadata.google.internal/",
        "https://router.lan/",
        "https://intranet/",
        "https://127.0.0.1/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0x7f.1/",
        "https://0177.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://169.254.169.254/latest/meta-data/",
        "https://exämple.org/",
        "https://example.org/a b",
        "https://example.org\\@127.0.0.1/",
        "https://example.org%2f@127.0.0.1/",
    ],
)
def test_what_no_tool_may_fetch(url: str) -> None:
    with pytest.raises(ToolError):
        place_of(url)


class Site:
    """A server on loopback under any name; ``answer`` writes each answer."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, dict[str, str]]] = []
        self.answer: Callable[[Any], None] = lambda handler: say(handler, b"hello")
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.seen.append((self.path, dict(self.headers)))
                site.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def url(self, path: str = "/", host: str = "page.example") -> str:
        return f"http://{host}:{self.port}{path}"

    def fetch(self, path: str = "/", **more: Any) -> Page:
        options: dict[str, Any] = {
            "lookup": lambda *_: ["127.0.0.1"],
            "allowed": lambda _: True,
            "timeout": WATCHDOG,
        }
        return fetch_page(self.url(path), **(options | more))


def say(handler: Any, data: bytes, status: int = 200, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    site = Site()
    monkeypatch.setattr(web, "_PORTS", (site.port,))
    yield site
    site.close()


def test_a_page_comes_with_its_type(site: Site) -> None:
    site.answer = lambda h: say(h, b"<p>x", Content_Type="Text/HTML; charset='latin-1'")
    page = site.fetch("/a?b=c")
    assert page == Page(site.url("/a?b=c"), 200, "text/html", "latin-1", b"<p>x")
    path, headers = site.seen[0]
    assert path == "/a?b=c"
    assert headers["Host"] == f"page.example:{site.port}"
    assert set(headers) == {"Host", "User-Agent", "Accept", "Accept-Encoding"}


@pytest.mark.parametrize(
    "addresses", [[], ["127.0.0.1"], ["93.184.216.34", "10.0.0.1"], ["::ffff:127.0.0.1"]]
)
def test_a_name_with_any_address_that_is_not_public_is_refused(
    site: Site, addresses: list[str]
) -> None:
    with pytest.raises(ToolError, match="not on the public internet"):
        site.fetch(lookup=lambda *_: addresses, allowed=is_public)
    assert site.seen == []


def test_a_name_is_looked_up_once(site: Site) -> None:
    asked: list[str] = []

    def lookup(host: str, _port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["192.0.2.1"]

    assert site.fetch(lookup=lookup).data == b"hello"
    assert asked == ["page.example"]


def test_a_name_that_is_not_known(site: Site) -> None:
    def lookup(*_: object) -> list[str]:
        raise OSError(-2, "Name or service not known")

    with pytest.raises(ToolError, match=r"page\.example was not found: Name or service"):
        site.fetch(lookup=lookup)


def test_redirects_within_the_host_are_followed_each_checked_anew(site: Site) -> None:
    looked: list[str] = []

    def answer(handler: Any) -> None:
        if handler.path == "/a":
            say(handler, b"", 302, Location="/b")
        else:
            say(handler, b"there")

    def lookup(host: str, _port: int) -> list[str]:
        looked.append(host)
        return ["127.0.0.1"]

    site.answer = answer
    page = site.fetch("/a", lookup=lookup)
    assert (page.url, page.data) == (site.url("/b"), b"there")
    assert looked == ["page.example", "page.example"]


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("http://other.example:{port}/x", "leads on to another host"),
        ("http://127.0.0.1:{port}/x", "not on the public internet"),
        ("file:///etc/passwd", "no web address"),
        ("http://u:p@page.example:{port}/", "no web address"),
    ],
)
def test_a_redirect_elsewhere_is_not_followed(site: Site, target: str, told: str) -> None:
    site.answer = lambda h: say(h, b"", 301, Location=target.format(port=site.port))
    with pytest.raises(ToolError, match=told):
        site.fetch("/a")
    assert len(site.seen) == 1


def test_redirects_without_end(site: Site) -> None:
    site.answer = lambda h: say(h, b"", 302, Location="/a")
    with pytest.raises(ToolError, match="without end"):
        site.fetch("/a")
    assert len(site.seen) == web.MAX_REDIRECTS + 1


def test_a_long_page_is_cut(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "MAX_BYTES", 3)
    page = site.fetch()
    assert (page.data, page.truncated) == (b"hel", True)


def test_an_error_of_the_server_is_a_page(site: Site) -> None:
    site.answer = lambda h: say(h, b"gone", 410)
    assert site.fetch().status == 410


def test_a_server_that_is_silent_is_given_up(site: Site) -> None:
    go = threading.Event()
    site.answer = lambda h: go.wait(WATCHDOG) and None
    with pytest.raises(ToolError, match="was not there within"):
        site.fetch(timeout=0.05)
    go.set()


def test_an_interrupt_ends_it(site: Site) -> None:
    interrupt, go = Interrupt(), threading.Event()

    def answer(_handler: Any) -> None:
        interrupt.set()
        go.wait(WATCHDOG)

    site.answer = answer
    with pytest.raises(Interrupted):
        site.fetch(interrupt=interrupt)
    go.set()


def test_a_connection_that_is_refused_is_told(site: Site) -> None:
    site.close()
    with pytest.raises(ToolError, match="could not be fetched"):
        site.fetch()
