"""Small requests: keys and bodies only where they belong, bounded, and ended at once."""

import gzip
import json
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs

import pytest

from hermes_core.ground.errors import (
    AuthFailed,
    BadRequest,
    ConfigError,
    ConnectionFailed,
    Interrupted,
    MalformedResponse,
    ProviderError,
    RateLimited,
    ServerError,
)
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.secrets import Secret
from hermes_core.transport import fetch
from hermes_core.transport.fetch import Binding, fetch_json
from tests.fakes.provider import FakeProvider, Raw, Reply, Wait
from tests.hermes_core.transport.conftest import KEY, runtime_at

NEVER = threading.Event()


@pytest.fixture
def binding(provider: FakeProvider) -> Binding:
    return Binding("acme", Secret(KEY), frozenset({f"127.0.0.1:{provider.port}"}))


@pytest.fixture
def url(provider: FakeProvider) -> Iterator[str]:
    return f"{provider.base_url}/models"


def test_a_list_is_fetched_with_the_key(provider: FakeProvider, binding: Binding, url: str) -> None:
    provider.script(Reply(body={"data": [1]}, headers={"X-Total": "1"}))
    status, headers, data = fetch_json(url, binding=binding)
    assert (status, headers["x-total"], data) == (200, "1", {"data": [1]})
    request = provider.requests[0]
    assert (request.method, request.path, request.raw) == ("GET", "/v1/models", b"")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["accept"] == "application/json"
    assert "content-length" not in request.headers


@pytest.mark.parametrize(
    ("scheme", "name", "value"),
    [
        ("x-api-key", "x-api-key", KEY),
        ("token", "authorization", f"token {KEY}"),
        ("bearer", "authorization", f"Bearer {KEY}"),
        ("none", None, None),
    ],
)
def test_the_key_is_shown_as_the_binding_says(
    provider: FakeProvider, url: str, scheme: Any, name: str | None, value: str | None
) -> None:
    provider.script(Reply(body={}))
    hosts = frozenset({f"127.0.0.1:{provider.port}"})
    fetch_json(url, binding=Binding("acme", Secret(KEY), hosts, auth=scheme))
    headers = provider.requests[0].headers
    shown = {key: headers[key] for key in ("authorization", "x-api-key") if key in headers}
    assert shown == ({} if name is None else {name: value})


def test_a_runtime_is_a_binding_too(provider: FakeProvider, url: str) -> None:
    provider.script(Reply(body={}))
    runtime = runtime_at(provider.base_url, auth="x-api-key", headers=(("X-Mine", "1"),))
    fetch_json(url, binding=runtime)
    headers = provider.requests[0].headers
    assert (headers["x-api-key"], headers["x-mine"]) == (KEY, "1")


def test_own_headers_take_the_place_of_ours(provider: FakeProvider, url: str) -> None:
    provider.script(Reply(body={}))
    fetch_json(url, binding=Binding("acme", headers=(("accept", "text/x"), ("User-Agent", "me"))))
    headers = provider.requests[0].headers
    assert (headers["accept"], headers["user-agent"]) == ("text/x", "me")


def test_json_and_forms_are_sent(provider: FakeProvider, binding: Binding, url: str) -> None:
    provider.script(Reply(body={}), Reply(body={}))
    fetch_json(url, binding=binding, method="POST", data={"a": "ü&="})
    fetch_json(url, binding=binding, method="POST", data={"a": "ü&=", "b": 1}, form=True)
    as_json, as_form = provider.requests
    assert (as_json.headers["content-type"], as_json.body) == ("application/json", {"a": "ü&="})
    assert as_form.headers["content-type"] == "application/x-www-form-urlencoded"
    assert parse_qs(as_form.raw.decode()) == {"a": ["ü&="], "b": ["1"]}


def test_neither_key_nor_body_goes_to_another_host(provider: FakeProvider, url: str) -> None:
    elsewhere = frozenset({"auth.example.org:443"})
    with pytest.raises(ConfigError, match=r"auth\.example\.org"):
        fetch_json(url, binding=Binding("acme", Secret(KEY), elsewhere))
    with pytest.raises(ConfigError, match=r"auth\.example\.org"):
        fetch_json(
            url, binding=Binding("acme", hosts=elsewhere), method="POST", data={"refresh": "x"}
        )
    with pytest.raises(ConfigError, match="no host"):
        fetch_json(url, binding=Binding("acme"), method="POST", data={"refresh": "x"})
    assert provider.requests == []


def test_plain_http_is_for_loopback_alone() -> None:
    with pytest.raises(ConfigError, match="without TLS"):
        fetch_json("http://models.example.org/list", binding=Binding("acme"))


def test_a_redirect_is_not_followed(provider: FakeProvider, binding: Binding, url: str) -> None:
    with FakeProvider() as other:
        provider.script(Reply(status=307, headers={"Location": other.base_url}, body=b""))
        with pytest.raises(BadRequest, match="redirects to"):
            fetch_json(url, binding=binding)
        assert other.requests == []


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, BadRequest),
        (401, AuthFailed),
        (404, BadRequest),
        (413, BadRequest),
        (429, RateLimited),
        (503, ServerError),
    ],
)
def test_a_refusal_is_raised_with_what_was_said(
    provider: FakeProvider, binding: Binding, url: str, status: int, kind: type[ProviderError]
) -> None:
    body = {"error": "invalid_grant", "error_description": f"no such grant: {KEY}"}
    provider.script(Reply(status=status, body=body))
    with pytest.raises(kind) as caught:
        fetch_json(url, binding=binding)
    assert type(caught.value) is kind
    assert caught.value.status == status
    assert "acme" in str(caught.value)
    assert KEY not in str(caught.value)


def test_a_refusal_that_is_expected_is_returned(
    provider: FakeProvider, binding: Binding, url: str
) -> None:
    pending = {"error": "authorization_pending"}
    provider.script(Reply(status=400, body=pending), Reply(status=403, body=b"<html>"))
    assert fetch_json(url, binding=binding, accept=(400, 403)).data == pending
    assert fetch_json(url, binding=binding, accept=(400, 403)).data is None


def test_packed_and_marked_bodies_are_read(
    provider: FakeProvider, binding: Binding, url: str
) -> None:
    packed = gzip.compress(json.dumps({"a": 1}).encode())
    provider.script(
        Reply(body=packed, headers={"Content-Encoding": "gzip"}),
        Reply(body=b'\xef\xbb\xbf{"a": 2}'),
        Reply(status=204, body=b""),
    )
    assert [fetch_json(url, binding=binding).data for _ in range(3)] == [{"a": 1}, {"a": 2}, None]


def test_a_page_in_place_of_json_is_told(
    provider: FakeProvider, binding: Binding, url: str
) -> None:
    provider.script(Reply(body="<html><title>Log in</title></html>"))
    with pytest.raises(MalformedResponse, match="web page"):
        fetch_json(url, binding=binding)


def test_a_body_has_a_bound(
    provider: FakeProvider, binding: Binding, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "MAX_BODY", 100_000)
    provider.script(Reply([Raw(b"1" * 200_000), Wait(NEVER)]))
    with pytest.raises(MalformedResponse, match="bytes"):
        fetch_json(url, binding=binding, method="POST", data={})
    assert provider.requests[0].gone.wait(20)


def test_all_of_it_has_a_time_limit(provider: FakeProvider, binding: Binding, url: str) -> None:
    provider.script(Reply(before=NEVER), Reply([Raw(b"{"), Wait(NEVER)]))
    for number in range(2):
        with pytest.raises(ConnectionFailed, match=r"within 0\.2 s"):
            fetch_json(url, binding=binding, method="POST", data={}, timeout=0.2)
        assert provider.requests[number].gone.wait(20)


@pytest.mark.parametrize("reply", [Reply(before=NEVER), Reply([Raw(b"{"), Wait(NEVER)])])
def test_an_interrupt_ends_it(
    provider: FakeProvider, binding: Binding, url: str, reply: Reply
) -> None:
    provider.script(reply)
    interrupt = Interrupt()
    raised: list[BaseException] = []

    def work() -> None:
        try:
            fetch_json(url, binding=binding, method="POST", data={}, interrupt=interrupt)
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    request = provider.wait_for_request(1)
    interrupt.set()
    thread.join(20)
    assert [type(error) for error in raised] == [Interrupted]
    assert request.gone.wait(20)


def test_an_interrupt_that_came_first_sends_nothing(
    provider: FakeProvider, binding: Binding, url: str
) -> None:
    interrupt = Interrupt()
    interrupt.set()
    with pytest.raises(Interrupted):
        fetch_json(url, binding=binding, interrupt=interrupt)
    assert provider.requests == []


def test_a_post_is_never_sent_twice(provider: FakeProvider, binding: Binding, url: str) -> None:
    provider.script(Reply(body={}), Reply(wire=b""))
    fetch_json(url, binding=binding)
    with pytest.raises(ConnectionFailed, match="without an answer"):
        fetch_json(url, binding=binding, method="POST", data={})
    assert len(provider.requests) == 2


def test_the_connection_is_kept(provider: FakeProvider, binding: Binding, url: str) -> None:
    provider.script(*(Reply(body={}) for _ in range(3)))
    for _ in range(3):
        fetch_json(url, binding=binding)
    assert len({request.peer for request in provider.requests}) == 1
