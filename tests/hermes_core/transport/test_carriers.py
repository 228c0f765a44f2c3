"""What holds for every carrier: the path, the headers, the key, failures and the environment."""

import json
import threading
from dataclasses import replace
from typing import Any

import pytest

from hermes_core.ground.errors import (
    BadRequest,
    ConfigError,
    ConnectionFailed,
    ContextOverflow,
    MalformedResponse,
    ProviderError,
    RateLimited,
    ServerError,
    StreamCut,
)
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.ground.version import __version__
from hermes_core.transport.carrier import endpoint, open_stream, warm
from hermes_core.transport.network import Network
from tests.fakes.messages import frame, frame_of
from tests.fakes.provider import (
    Call,
    Chunk,
    Cut,
    FakeProvider,
    Raw,
    Reasoning,
    Recorded,
    Reply,
    Text,
    Wait,
    fail,
    say,
)
from tests.hermes_core.transport.conftest import CARRIERS, KEY, carried_at, texts_of

NEVER = threading.Event()
SHORT = Network(idle_timeout=0.2, connect_timeout=5)
BODY = {"model": "some/model:1", "max_tokens": 5, "messages": [{"role": "user", "content": "ü"}]}
PATHS = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "messages": "/v1/messages",
    "bedrock": "/v1/model/some%2Fmodel:1/invoke-with-response-stream",
}
KEYS = ("authorization", "x-api-key", "api-key")


@pytest.fixture(params=CARRIERS)
def carrier(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def runtime(provider: FakeProvider, carrier: str) -> Runtime:
    return carried_at(provider.base_url, carrier)


def ask(runtime: Runtime, network: Network | None = None) -> list[dict[str, Any]]:
    with open_stream(runtime, dict(BODY), interrupt=Interrupt(), network=network) as stream:
        return list(stream)


def said(chunks: list[dict[str, Any]]) -> str:
    return "".join(text for chunk in chunks for text in texts_of(chunk))


def keys_of(request: Recorded) -> dict[str, str]:
    return {name: request.headers[name] for name in KEYS if name in request.headers}


def test_a_request_is_a_post_with_our_headers(
    provider: FakeProvider, runtime: Runtime, carrier: str
) -> None:
    provider.script(say("hi"))
    assert said(ask(runtime)) == "hi"
    request = provider.requests[0]
    assert (request.method, request.path) == ("POST", PATHS[carrier])
    assert request.headers["user-agent"] == f"hermes-editor-agent/{__version__}"
    assert request.headers["host"] == f"127.0.0.1:{provider.port}"
    assert request.headers["content-type"] == "application/json"
    assert keys_of(request) == {"authorization": f"Bearer {KEY}"}
    assert not [name for name in request.headers if name.startswith("x-stainless")]
    assert request.messages[0]["content"] == "ü"
    assert request.body["max_tokens"] == 5


def test_the_address_has_the_carriers_path(carrier: str) -> None:
    runtime = carried_at("https://api.example.org/v1/", carrier)
    if carrier != "bedrock":
        assert endpoint(runtime) == f"https://api.example.org{PATHS[carrier]}"


def test_the_key_is_shown_as_the_runtime_says(provider: FakeProvider, runtime: Runtime) -> None:
    provider.script(say("a"), say("b"), say("c"))
    ask(replace(runtime, auth="x-api-key"))
    ask(replace(runtime, auth="none"))
    ask(replace(runtime, api_key=Secret("")))
    assert [keys_of(request) for request in provider.requests] == [{"x-api-key": KEY}, {}, {}]


def test_the_runtimes_headers_take_the_place_of_ours(
    provider: FakeProvider, runtime: Runtime
) -> None:
    provider.script(say("a"))
    headers = (("user-agent", "mine"), ("X-Title", "t"), ("authorization", "Bearer other"))
    ask(replace(runtime, headers=headers))
    sent = provider.requests[0].headers
    assert (sent["user-agent"], sent["x-title"]) == ("mine", "t")
    assert keys_of(provider.requests[0]) == {"authorization": f"Bearer {KEY}"}


@pytest.mark.parametrize("key", ["sk-one\nsk-two", "sk-…", "sk-one ", "sk-\x7f"])
def test_a_key_that_cannot_be_sent_is_told_and_not_shown(
    provider: FakeProvider, runtime: Runtime, key: str
) -> None:
    with pytest.raises(ConfigError, match="Check the key") as caught:
        ask(replace(runtime, api_key=Secret(key)))
    assert "sk-" not in str(caught.value)
    assert provider.requests == []


def test_a_header_cannot_change_where_or_how_much(provider: FakeProvider, runtime: Runtime) -> None:
    provider.script(say("a"))
    ask(replace(runtime, headers=(("Host", "other"), ("Content-Length", "1"))))
    assert provider.requests[0].headers["host"] == f"127.0.0.1:{provider.port}"
    with pytest.raises(ConfigError, match=r"model\.extra_headers"):
        ask(replace(runtime, headers=(("X Y", "a"),)))


def test_nothing_of_the_environment_reaches_the_endpoint(
    provider: FakeProvider, runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.script(say("a"), say("b"))
    ask(runtime)
    for name in (
        *("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"),
        *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"),
        *("AWS_BEARER_TOKEN_BEDROCK", "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
    ):
        monkeypatch.setenv(name, "stray-export")
    for name in ("OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"):
        stray = (
            "x-stray: stray-export\nauthorization: stray-export\nanthropic-version: stray-export"
        )
        monkeypatch.setenv(name, stray)
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "ANTHROPIC_BEDROCK_BASE_URL"):
        monkeypatch.setenv(name, "https://stray-export.example.org")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    ask(runtime)
    first, second = provider.requests
    assert first.headers == second.headers
    assert first.raw == second.raw
    assert first.path == second.path


def test_a_key_for_another_host_is_not_sent(provider: FakeProvider, carrier: str) -> None:
    runtime = carried_at(provider.base_url, carrier, "api.example.org:443")
    with pytest.raises(ConfigError, match=r"api\.example\.org"):
        ask(runtime)
    assert provider.requests == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_never_followed(
    provider: FakeProvider, runtime: Runtime, status: int
) -> None:
    with FakeProvider() as other:
        provider.script(Reply(status=status, headers={"Location": other.base_url}, body=b""))
        with pytest.raises(BadRequest, match="redirects to"):
            ask(runtime)
        assert other.requests == []
    assert len(provider.requests) == 1


def test_a_refusal_is_told_once_with_what_was_said(
    provider: FakeProvider, runtime: Runtime
) -> None:
    provider.script(fail(429, f"slow down, {KEY}", retry_after="7", request_id="req_9"))
    with pytest.raises(RateLimited, match="slow down") as caught:
        ask(runtime)
    error = caught.value
    assert (error.status, error.retry_after, error.request_id) == (429, 7, "req_9")
    assert KEY not in str(error)
    assert error.__cause__ is None
    assert len(provider.requests) == 1


@pytest.mark.parametrize("status", [408, 409, 500, 503, 529])
def test_nothing_is_tried_again_here(provider: FakeProvider, runtime: Runtime, status: int) -> None:
    provider.script(fail(status))
    with pytest.raises(ProviderError):
        ask(runtime)
    assert len(provider.requests) == 1


def test_an_endless_refusal_does_not_hold_us_up(provider: FakeProvider, runtime: Runtime) -> None:
    provider.script(Reply([Raw(b"x" * 200_000), Cut()], status=503, bare=True))
    with pytest.raises(ServerError):
        ask(runtime)


def test_connections_are_kept(provider: FakeProvider, runtime: Runtime) -> None:
    provider.script(say("a"), fail(400), say("b"))
    assert said(ask(runtime)) == "a"
    with pytest.raises(BadRequest):
        ask(runtime)
    assert said(ask(runtime)) == "b"
    assert len({request.peer for request in provider.requests}) == 1


def test_a_kept_connection_that_was_closed_meanwhile_is_replaced(
    provider: FakeProvider, runtime: Runtime
) -> None:
    provider.script(say("a"), say("b"))
    ask(runtime)
    provider.drop_connections()
    assert said(ask(runtime)) == "b"


def test_every_event_comes_in_order(provider: FakeProvider, runtime: Runtime) -> None:
    words = [f"word{number} " for number in range(500)]
    steps = [Reasoning("hm"), *(Text(word) for word in words), Call("read_file", {"path": "x"})]
    provider.script(Reply(steps))
    chunks = ask(runtime)
    assert said(chunks) == "".join(words)
    whole = json.dumps(chunks)
    assert "read_file" in whole
    assert "hm" in whole


def test_a_broken_connection_has_cut_the_answer(provider: FakeProvider, runtime: Runtime) -> None:
    provider.script(Reply([Text("half"), Cut()]))
    with pytest.raises(StreamCut, match="broke"):
        ask(runtime)


def test_a_body_that_ends_early_yields_no_last_event(
    provider: FakeProvider, runtime: Runtime, carrier: str
) -> None:
    """The end of the body is all that says so; it is the wire format that tells it is too early."""
    if carrier == "bedrock":
        cut = Raw(frame_of({"type": "ping"})[:-3])
    else:
        cut = Raw(b'data: {"type": "response.compl')
    provider.script(Reply([Text("half"), cut], bare=True))
    chunks = ask(runtime)
    assert said(chunks) == "half"
    assert chunks[-1].get("type") not in ("message_stop", "response.completed")
    assert "end" not in chunks[-1]


def test_silence_counts_as_cut_or_failed(provider: FakeProvider, runtime: Runtime) -> None:
    provider.script(Reply([Text("half"), Wait(NEVER)]), Reply(before=NEVER))
    with pytest.raises(StreamCut, match=r"nothing for 0\.2 s"):
        ask(runtime, SHORT)
    with pytest.raises(ConnectionFailed, match=r"nothing for 0\.2 s"):
        ask(runtime, SHORT)
    assert all(request.gone.wait(30) for request in provider.requests)


def test_an_endpoint_may_have_its_own_limit_of_silence(
    provider: FakeProvider, runtime: Runtime
) -> None:
    provider.script(Reply(before=NEVER))
    with pytest.raises(ConnectionFailed, match=r"nothing for 0\.1 s"):
        ask(replace(runtime, timeout=0.1))


def test_an_error_in_the_middle_is_that_error(
    provider: FakeProvider, runtime: Runtime, carrier: str
) -> None:
    error = {"type": "overloaded_error", "message": "Overloaded"}
    provider.script(Reply([Text("a"), Chunk({"type": "error", "error": error})]))
    with pytest.raises(ServerError, match="Overloaded"):
        ask(runtime)


@pytest.mark.parametrize("carrier", ["chat", "responses", "messages"])
@pytest.mark.parametrize(
    ("body", "words"),
    [("<html><title>Log in</title></html>", "web page"), ("", "empty answer"), ('"ok"', "ok")],
)
def test_a_success_that_is_no_answer_is_malformed(
    provider: FakeProvider, runtime: Runtime, body: str, words: str
) -> None:
    provider.script(Reply(body=body))
    with pytest.raises(MalformedResponse, match=words):
        ask(runtime)


@pytest.mark.parametrize("carrier", ["responses"])
@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ({"type": "error", "code": "rate_limit_exceeded", "message": "slow"}, RateLimited),
        ({"type": "response.failed", "response": {"error": {"message": "no"}}}, ServerError),
        ({"type": "response.failed", "response": {"error": None}}, ServerError),
        (
            {
                "type": "response.failed",
                "response": {"error": {"code": "context_length_exceeded", "message": "long"}},
            },
            ContextOverflow,
        ),
    ],
)
def test_a_failed_response_is_an_error(
    provider: FakeProvider, runtime: Runtime, event: dict[str, Any], kind: type[ProviderError]
) -> None:
    provider.script(Reply([Text("a"), Chunk(event)]))
    with pytest.raises(kind):
        ask(runtime)


@pytest.mark.parametrize("carrier", ["responses"])
def test_an_answer_cut_by_its_limit_is_no_error(provider: FakeProvider, runtime: Runtime) -> None:
    event = {"type": "response.incomplete", "response": {"incomplete_details": {"reason": "x"}}}
    provider.script(Reply([Text("a"), Chunk(event), Wait(NEVER)], bare=True))
    assert ask(runtime)[-1]["type"] == "response.incomplete"


@pytest.mark.parametrize("carrier", ["messages"])
def test_messages_are_sent_in_the_version_of_the_format(
    provider: FakeProvider, runtime: Runtime
) -> None:
    provider.script(say("a"), say("b"))
    ask(runtime)
    ask(replace(runtime, headers=(("Anthropic-Version", "2030-01-01"), ("anthropic-beta", "x"))))
    first, second = provider.requests
    assert first.headers["anthropic-version"] == "2023-06-01"
    assert "anthropic-beta" not in first.headers
    assert second.headers["anthropic-version"] == "2030-01-01"
    assert second.headers["anthropic-beta"] == "x"


@pytest.mark.parametrize(
    ("carrier", "suffix", "path"),
    [
        ("messages", "/anthropic", "/v1/anthropic/v1/messages"),
        ("messages", "/anthropic/v1/", "/v1/anthropic/v1/messages"),
        ("messages", "?api-version=2", "/v1/messages?api-version=2"),
        ("responses", "/codex/", "/v1/codex/responses"),
        ("responses", "/openai?api-version=2", "/v1/openai/responses?api-version=2"),
    ],
)
def test_addresses_of_other_shapes(
    provider: FakeProvider, carrier: str, suffix: str, path: str
) -> None:
    runtime = carried_at(provider.base_url + suffix, carrier)
    provider.script(say("a"))
    assert said(ask(runtime)) == "a"
    assert provider.requests[0].path == path
    assert endpoint(runtime).endswith(path)


@pytest.mark.parametrize("carrier", ["bedrock"])
def test_bedrocks_body_has_no_model_but_a_version_and_betas(
    provider: FakeProvider, runtime: Runtime
) -> None:
    provider.script(say("a"))
    ask(replace(runtime, headers=(("anthropic-beta", "one,two"),)))
    request = provider.requests[0]
    assert request.body["anthropic_version"] == "bedrock-2023-05-31"
    assert request.body["anthropic_beta"] == ["one", "two"]
    assert not {"model", "stream"} & set(request.body)
    assert "anthropic-beta" not in request.headers


@pytest.mark.parametrize("carrier", ["bedrock"])
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("throttlingException", RateLimited),
        ("modelStreamErrorException", ServerError),
        ("validationException", BadRequest),
    ],
)
def test_an_exception_frame_is_that_error(
    provider: FakeProvider, runtime: Runtime, name: str, kind: type[ProviderError]
) -> None:
    broken = frame({":message-type": "exception", ":exception-type": name}, {"message": "no more"})
    provider.script(Reply([Text("a"), Raw(broken)]))
    with pytest.raises(kind, match="no more"):
        ask(runtime)


def test_warming_up_opens_nothing(provider: FakeProvider, runtime: Runtime) -> None:
    warm(runtime)
    assert provider.requests == []
