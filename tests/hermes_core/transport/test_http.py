"""The HTTP carrier against a real server on loopback."""

import base64
import gzip
import json
import socket
import threading
import time
import zlib
from typing import Any

import pytest

from hermes_core.ground.errors import (
    ConfigError,
    ConnectionFailed,
    MalformedResponse,
    RateLimited,
    ServerError,
    StreamCut,
)
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.version import __version__
from hermes_core.transport.carrier import open_stream, warm
from hermes_core.transport.network import Network
from hermes_core.wire.sse import END
from tests.fakes.provider import (
    Chunk,
    Cut,
    FakeProvider,
    Raw,
    Reply,
    Text,
    Wait,
    fail,
    say,
)
from tests.hermes_core.transport.conftest import KEY, Ask, runtime_at

SHORT = Network(idle_timeout=0.2, connect_timeout=5)


def texts(chunks: list[dict[str, Any]]) -> str:
    choices = (choice for chunk in chunks for choice in chunk.get("choices", []))
    return "".join(choice["delta"].get("content", "") for choice in choices)


def test_a_request_is_a_post_with_our_headers(ask: Ask, provider: FakeProvider) -> None:
    provider.script(say("hi"))
    ask(messages=[{"role": "user", "content": "grüße \N{GRINNING FACE}"}])
    request = provider.requests[0]
    assert (request.method, request.path) == ("POST", "/v1/chat/completions")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["user-agent"] == f"hermes-editor-agent/{__version__}"
    assert request.headers["host"] == f"127.0.0.1:{provider.port}"
    assert request.headers["content-type"] == "application/json"
    assert request.messages[0]["content"] == "grüße \N{GRINNING FACE}"
    assert b"\\u" not in request.raw


def test_without_a_key_nothing_is_authorised(provider: FakeProvider) -> None:
    runtime = Runtime("custom", "m", "chat_completions", provider.base_url, type(SECRET)(""))
    provider.script(say("hi"))
    with open_stream(runtime, {"messages": []}, interrupt=Interrupt()) as stream:
        list(stream)
    assert "authorization" not in provider.requests[0].headers


SECRET = runtime_at("http://127.0.0.1:1/v1").api_key


def test_the_chunks_come_in_order_and_the_end_last(ask: Ask, provider: FakeProvider) -> None:
    provider.script(say("a", "b", "c"))
    chunks = ask()
    assert texts(chunks) == "abc"
    assert chunks[-1] is END


def test_a_long_steady_stream_comes_whole(ask: Ask, provider: FakeProvider) -> None:
    words = [f"word{number} " for number in range(3000)]
    provider.script(say(*words))
    assert texts(ask()) == "".join(words)


def test_connections_are_kept(ask: Ask, provider: FakeProvider) -> None:
    provider.script(say("a"), fail(400), say("b"), Reply(body="<html>"), say("c"))
    ask()
    with pytest.raises(Exception, match="refused the request"):
        ask()
    ask()
    with pytest.raises(MalformedResponse):
        ask()
    ask()
    assert len({request.peer for request in provider.requests}) == 1


def test_calls_at_the_same_time_do_not_wait_for_each_other(
    ask: Ask, provider: FakeProvider
) -> None:
    gate = threading.Event()
    provider.script(Reply([Text("slow"), Wait(gate)]), say("fast"))
    found: list[str] = []
    slow = threading.Thread(target=lambda: found.append(texts(ask())))
    slow.start()
    provider.wait_for_request(1)
    assert texts(ask()) == "fast"
    gate.set()
    slow.join(30)
    assert found == ["slow"]


def test_a_kept_connection_that_was_closed_meanwhile_is_replaced(
    ask: Ask, provider: FakeProvider
) -> None:
    provider.script(say("a"), say("b"))
    ask()
    provider.drop_connections()
    assert texts(ask()) == "b"


def test_a_kept_connection_that_closes_on_the_request_is_tried_once_more(
    ask: Ask, provider: FakeProvider
) -> None:
    provider.script(say("a"), Reply(wire=b""), say("b"))
    ask()
    assert texts(ask()) == "b"
    assert len(provider.requests) == 3


def test_a_new_connection_that_closes_on_the_request_has_failed(
    ask: Ask, provider: FakeProvider
) -> None:
    provider.script(Reply(wire=b""))
    with pytest.raises(ConnectionFailed, match="without an answer"):
        ask()


def test_an_answer_that_is_no_http_has_failed(ask: Ask, provider: FakeProvider) -> None:
    provider.script(Reply(wire=b"SSH-2.0-OpenSSH_9.2\r\n"))
    with pytest.raises(ConnectionFailed):
        ask()
    alert_of_tls = b"\x15\x03\x01\x00\x02\x02\x16"
    provider.script(Reply(wire=alert_of_tls))
    with pytest.raises(ConnectionFailed, match="not in proper HTTP"):
        ask()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_never_followed(ask: Ask, provider: FakeProvider, status: int) -> None:
    with FakeProvider() as other:
        to = f"{other.base_url}/chat/completions"
        provider.script(Reply(status=status, headers={"Location": to}, body=b""))
        with pytest.raises(Exception, match="redirects to"):
            ask()
        assert other.requests == []


def test_a_key_for_another_host_is_not_sent(provider: FakeProvider) -> None:
    runtime = runtime_at(provider.base_url, "api.example.org:443")
    with (
        pytest.raises(ConfigError, match=r"api\.example\.org"),
        open_stream(runtime, {}, interrupt=Interrupt()),
    ):
        pass
    assert provider.requests == []


def test_an_error_status_is_told_with_what_the_provider_said(
    ask: Ask, provider: FakeProvider
) -> None:
    provider.script(fail(429, "slow down", retry_after="7"))
    with pytest.raises(RateLimited, match="slow down") as caught:
        ask()
    assert caught.value.retry_after == 7


def test_an_error_body_that_never_ends_does_not_hold_us_up(
    ask: Ask, provider: FakeProvider
) -> None:
    provider.script(Reply([Raw(b"x" * 200_000), Cut()], status=503))
    with pytest.raises(ServerError):
        ask()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<html><title>Log in</title></html>", "web page"),
        ("", "empty answer"),
        ("it works", "it works"),
        ('"ok"', "ok"),
    ],
)
def test_a_success_that_is_no_answer_is_malformed(
    ask: Ask, provider: FakeProvider, body: str, words: str
) -> None:
    provider.script(Reply(body=body))
    with pytest.raises(MalformedResponse, match=words):
        ask()


def test_a_success_that_holds_an_error_is_that_error(ask: Ask, provider: FakeProvider) -> None:
    provider.script(Reply(body={"error": {"message": "busy", "code": 429}}))
    with pytest.raises(RateLimited, match="busy"):
        ask()


def test_an_error_in_the_middle_of_a_stream_is_that_error(ask: Ask, provider: FakeProvider) -> None:
    provider.script(Reply([Text("a"), Chunk({"error": {"message": "gone", "code": 502}})]))
    with pytest.raises(ServerError, match="gone"):
        ask()


def deflate(data: bytes) -> bytes:
    return zlib.compress(data)


@pytest.mark.parametrize(("coding", "encode"), [("gzip", gzip.compress), ("deflate", deflate)])
def test_a_compressed_body_is_read(
    ask: Ask, provider: FakeProvider, coding: str, encode: Any
) -> None:
    chunk = {"choices": [{"delta": {"content": "small"}, "finish_reason": "stop"}]}
    body = encode(f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode())
    provider.script(Reply(body=body, headers={"Content-Encoding": coding}))
    assert texts(ask()) == "small"


@pytest.mark.parametrize(("coding", "body"), [("gzip", b"no gzip"), ("br", b"data: {}")])
def test_a_body_that_cannot_be_unpacked_is_malformed(
    ask: Ask, provider: FakeProvider, coding: str, body: bytes
) -> None:
    provider.script(Reply(body=body, headers={"Content-Encoding": coding}))
    with pytest.raises(MalformedResponse):
        ask()


def test_a_connection_that_breaks_in_the_answer_has_cut_the_stream(
    ask: Ask, provider: FakeProvider
) -> None:
    provider.script(Reply([Text("half"), Cut()]))
    with pytest.raises(StreamCut, match=rf"127\.0\.0\.1:{provider.port} broke"):
        ask()


def test_silence_in_the_answer_counts_as_cut(ask: Ask, provider: FakeProvider) -> None:
    provider.script(Reply([Text("half"), Wait(threading.Event())]))
    with pytest.raises(StreamCut, match=r"nothing for 0\.2 s"):
        ask(network=SHORT)
    assert provider.requests[0].gone.wait(30)


def test_silence_instead_of_an_answer_has_failed(ask: Ask, provider: FakeProvider) -> None:
    provider.script(Reply(before=threading.Event()))
    with pytest.raises(ConnectionFailed, match=r"nothing for 0\.2 s"):
        ask(network=SHORT)


def test_comments_keep_a_slow_answer_alive(provider: FakeProvider, runtime: Runtime) -> None:
    """The answer takes longer than the limit of silence, but is never silent for so long."""
    limit = 2.0
    gates = [threading.Event() for _ in range(6)]
    steps = [step for gate in gates for step in (Raw(b": still here\n\n"), Wait(gate))]
    provider.script(Reply([*steps, Text("done")]))
    closed = iter(gates)

    def dawdle() -> None:
        gate = next(closed, None)
        if gate is not None:
            gate.set()
            time.sleep(limit / 5)

    started = time.monotonic()
    with open_stream(
        runtime,
        {"messages": []},
        interrupt=Interrupt(),
        network=Network(idle_timeout=limit),
        before_wait=dawdle,
    ) as stream:
        assert texts(list(stream)) == "done"
    assert time.monotonic() - started > limit


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_closed_port_is_told_as_such() -> None:
    runtime = runtime_at(f"http://127.0.0.1:{free_port()}/v1")
    with (
        pytest.raises(ConnectionFailed, match="cannot be reached: connection refused") as caught,
        open_stream(runtime, {}, interrupt=Interrupt()),
    ):
        pass
    assert KEY not in str(caught.value)


def test_an_unknown_host_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    def look_up(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    runtime = runtime_at("http://models.example.org:80/v1", plain_http=True)
    with (
        pytest.raises(ConnectionFailed, match=r"models\.example\.org:80 cannot be reached: name"),
        open_stream(runtime, {}, interrupt=Interrupt()),
    ):
        pass


def test_tls_to_a_server_without_it_is_told_as_such(provider: FakeProvider) -> None:
    runtime = runtime_at(f"https://127.0.0.1:{provider.port}/v1")
    with (
        pytest.raises(ConnectionFailed, match="TLS failed"),
        open_stream(runtime, {}, interrupt=Interrupt(), network=SHORT),
    ):
        pass


def test_a_proxy_that_refuses_is_told_and_sees_no_key(provider: FakeProvider) -> None:
    provider.script(Reply(status=403, body=b"no"))
    runtime = runtime_at("https://api.example.org/v1", "api.example.org:443")
    network = Network(proxy=f"http://me:p%40ss@127.0.0.1:{provider.port}")
    with (
        pytest.raises(ConfigError, match="HTTPS_PROXY"),
        open_stream(runtime, {}, interrupt=Interrupt(), network=network),
    ):
        pass
    request = provider.requests[0]
    assert (request.method, request.path) == ("CONNECT", "api.example.org:443")
    assert base64.b64decode(request.headers["proxy-authorization"].split()[1]) == b"me:p@ss"
    assert KEY not in json.dumps(provider.requests[0].headers)


def test_the_address_may_end_in_a_query(provider: FakeProvider) -> None:
    provider.script(say("hi"))
    runtime = runtime_at(f"{provider.base_url}/?api-version=1")
    with open_stream(runtime, {"messages": []}, interrupt=Interrupt()) as stream:
        list(stream)
    assert provider.requests[0].path == "/v1/chat/completions?api-version=1"


def test_what_is_no_character_does_not_stop_a_request(ask: Ask, provider: FakeProvider) -> None:
    provider.script(say("hi"))
    ask(messages=[{"role": "user", "content": "a\ud800b"}])
    assert provider.requests[0].messages[0]["content"] == "a?b"


def test_warming_up_opens_nothing(provider: FakeProvider, runtime: Runtime) -> None:
    warm(runtime)
    warm(runtime_at("https://api.example.org/v1", "api.example.org:443"))
    assert provider.requests == []
