"""The fake provider keeps its own promises."""

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest

from tests.fakes.provider import Cut, FakeProvider, Reply, Text, Wait, fail, say

Post = Callable[[FakeProvider], http.client.HTTPResponse]


@pytest.fixture
def post() -> Iterator[Post]:
    """Return a function that sends a request; what it opens is closed at the end."""
    with ExitStack() as opened:

        def send(provider: FakeProvider) -> http.client.HTTPResponse:
            connection = http.client.HTTPConnection("127.0.0.1", provider.port, timeout=30)
            opened.callback(connection.close)
            connection.request("POST", "/v1/chat/completions", json.dumps({"messages": []}))
            response = connection.getresponse()
            opened.callback(response.close)
            return response

        yield send


def test_a_request_too_many_fails_the_block(post: Post) -> None:
    def serve() -> None:
        with FakeProvider() as provider:
            provider.script(say("one"))
            assert post(provider).status == 200
            assert post(provider).status == 500

    with pytest.raises(AssertionError, match="1 requests too many"):
        serve()


def test_a_handler_answers_by_the_request(post: Post) -> None:
    with FakeProvider(lambda request: fail(418, request.path)) as provider:
        response = post(provider)
        assert (response.status, b"/v1/chat/completions" in response.read()) == (418, True)
        assert provider.wait_for_request(1).body == {"messages": []}


def test_a_held_reply_goes_on_when_its_event_is_set(post: Post) -> None:
    gate = threading.Event()
    with FakeProvider() as provider:
        provider.script(Reply([Text("a"), Wait(gate), Text("b")]))
        response = post(provider)
        assert b'"a"' in response.readline()
        gate.set()
        assert b'"b"' in response.read()
        assert provider.requests[0].answered.wait(30)


def test_a_cut_breaks_the_connection(post: Post) -> None:
    with FakeProvider() as provider:
        provider.script(Reply([Text("a"), Cut()]))
        with pytest.raises(http.client.IncompleteRead):
            post(provider).read()


@pytest.mark.parametrize(
    ("path", "mark"),
    [
        ("/v1/chat/completions", b"chat.completion.chunk"),
        ("/openai/responses?api-version=1", b"response.completed"),
        ("/anthropic/v1/messages", b"message_stop"),
        ("/model/m/invoke-with-response-stream", b":event-type"),
    ],
)
def test_the_path_decides_the_format(path: str, mark: bytes) -> None:
    with FakeProvider() as provider:
        provider.script(say("hi"))
        connection = http.client.HTTPConnection("127.0.0.1", provider.port, timeout=30)
        with closing(connection):
            connection.request("POST", path, json.dumps({"model": "m"}))
            assert mark in connection.getresponse().read()


def test_leaving_the_block_ends_held_replies(post: Post) -> None:
    with FakeProvider() as provider:
        provider.script(Reply([Text("a"), Wait(threading.Event())]))
        response = post(provider)
        response.readline()
    with pytest.raises((http.client.HTTPException, OSError)):
        response.read()
