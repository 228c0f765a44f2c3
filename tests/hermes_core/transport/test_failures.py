"""Statuses and error bodies to the error that fits, said in one line without a key."""

import email.utils
import json
import time
from dataclasses import replace
from typing import Any

import pytest

from hermes_core.ground.errors import (
    AuthFailed,
    BadRequest,
    ConnectionFailed,
    ContextOverflow,
    MalformedResponse,
    ModelNotFound,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Refused,
    ServerError,
    StaleReasoning,
    TokenExpired,
    UpstreamLimited,
)
from hermes_core.ground.runtime import Auth, Runtime
from hermes_core.ground.secrets import REDACTOR, Secret
from hermes_core.transport.error_bodies import said_in
from hermes_core.transport.failures import from_chunk, from_status, malformed
from tests.hermes_core.transport.conftest import KEY, runtime_at

RUNTIME = runtime_at("https://api.example.org/v1")


def without_key(**more: Any) -> Runtime:
    return replace(RUNTIME, api_key=Secret(""), **more)


def test_a_missing_key_is_not_called_refused() -> None:
    found = from_status(without_key(), 401, {}, b"")
    assert str(found) == "custom wants a key, and none was sent (401)."
    assert found.advice.startswith("Put its key into .env, or set model.api_key")
    assert type(found) is AuthFailed


def test_a_key_that_was_withheld_is_named_with_the_reason() -> None:
    why = "LM_API_KEY in .env is not sent, since the address is LM_BASE_URL in the environment"
    found = from_status(without_key(withheld=why), 401, {}, b"")
    assert str(found) == f"custom wants a key, and none was sent (401). {why}."
    assert found.advice.startswith("If you trust the address, put it into .env or config.yaml")


@pytest.mark.parametrize("auth", ["aws", "process"])
def test_what_logs_in_by_itself_is_refused(auth: Auth) -> None:
    found = from_status(without_key(auth=auth), 401, {}, b"")
    assert "refused the credential" in str(found)
    assert found.advice == ""


def error(status: int, message: Any = "", **headers: str) -> ProviderError:
    body = message if isinstance(message, bytes) else json.dumps({"error": {"message": message}})
    data = body if isinstance(body, bytes) else body.encode()
    return from_status(RUNTIME, status, {k.replace("_", "-"): v for k, v in headers.items()}, data)


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "temperature is not supported", BadRequest),
        (400, "This model's maximum context length is 8192 tokens", ContextOverflow),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", ContextOverflow),
        (400, "the request exceeds the available context size", ContextOverflow),
        (400, "Invalid `signature` in thinking block", StaleReasoning),
        (400, "code: invalid_encrypted_content", StaleReasoning),
        (400, "Function call is missing a thought_signature", StaleReasoning),
        (400, "some/model is not a valid model ID", ModelNotFound),
        (400, "blocked by content_policy", Refused),
        (401, "Incorrect API key provided", AuthFailed),
        (401, "code: token_expired", TokenExpired),
        (401, "token_expired: invalid_encrypted_content", StaleReasoning),
        (400, "token_expired", BadRequest),
        (402, "Insufficient credits", QuotaExhausted),
        (403, "forbidden", AuthFailed),
        (403, "Input flagged by moderation", Refused),
        (404, "no such model", ModelNotFound),
        (404, b"", ModelNotFound),
        (405, "method", BadRequest),
        (408, "timeout", ConnectionFailed),
        (409, "conflict", ServerError),
        (413, "too large", ContextOverflow),
        (422, "field required", BadRequest),
        (429, "slow down", RateLimited),
        (429, "Rate limit: too many tokens per minute", RateLimited),
        (429, "You exceeded your current quota, check your plan and billing", QuotaExhausted),
        (500, "oops", ServerError),
        (500, "context length exceeded", ContextOverflow),
        (502, b"<html><head><title>502 Bad Gateway</title>", ServerError),
        (503, b"", ServerError),
        (529, "overloaded", ServerError),
        (301, b"", BadRequest),
    ],
)
def test_each_status_has_its_class(status: int, message: Any, kind: type[ProviderError]) -> None:
    found = error(status, message)
    assert type(found) is kind
    assert found.status == status
    assert (found.provider, found.model) == ("custom", "some/model")
    assert "\n" not in str(found)
    assert str(found).endswith((".", "!", "?"))


@pytest.mark.parametrize(
    ("metadata", "kind"),
    [
        ({"provider_name": "Chutes", "raw": "m is temporarily rate-limited"}, UpstreamLimited),
        ({"provider_name": "OpenAI", "raw": "check your plan and billing"}, UpstreamLimited),
        ({"provider_name": None, "headers": {"X-RateLimit-Limit": "50"}}, RateLimited),
        ({"provider_name": " "}, RateLimited),
        ("provider_name", RateLimited),
    ],
)
def test_a_limit_of_who_serves_a_model_behind_an_aggregator(
    metadata: Any, kind: type[ProviderError]
) -> None:
    said = {"error": {"message": "Provider returned error", "code": 429, "metadata": metadata}}
    found = error(429, json.dumps(said).encode())
    assert type(found) is kind
    assert type(from_chunk(RUNTIME, said)) is kind
    assert "named_upstream" not in str(found)


def test_a_page_of_a_firewall_is_no_verdict_on_the_key() -> None:
    found = error(403, b"\n<!DOCTYPE html><title>Attention Required!</title>")
    assert type(found) is BadRequest
    assert "a web page (Attention Required!)" in str(found)
    assert "the key was not judged" in found.advice


def test_a_redirect_is_explained_and_not_followed() -> None:
    assert "https://elsewhere.org/v1" in str(error(302, b"", location="https://elsewhere.org/v1"))
    REDACTOR.register(Secret(KEY))
    assert KEY not in str(error(302, b"", location=f"https://elsewhere.org/v1?key={KEY}"))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "2"}, 2),
        ({"retry_after": "3600"}, 3600),
        ({"retry_after": "1.5"}, 1.5),
        ({"retry_after_ms": "250", "retry_after": "9"}, 0.25),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "-5"}, None),
        ({"retry_after": "nan"}, None),
        ({"retry_after": "inf"}, None),
        ({"retry_after": ""}, None),
        ({"retry_after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({}, None),
    ],
)
def test_the_wait_that_is_asked_for(headers: dict[str, str], seconds: float | None) -> None:
    assert error(429, "slow", **headers).retry_after == seconds


def test_the_wait_may_be_a_date() -> None:
    moment = email.utils.formatdate(time.time() + 100, usegmt=True)
    wait = error(429, "slow", retry_after=moment).retry_after
    assert wait is not None
    assert 60 < wait <= 100


def test_the_wait_may_stand_in_the_body() -> None:
    said = {"error": {"type": "usage_limit_reached", "message": "over", "resets_in_seconds": 77}}
    found = error(429, json.dumps(said).encode())
    assert (type(found), found.retry_after) == (QuotaExhausted, 77)
    odd = error(429, b'{"error": ["resets_in_seconds"]}')
    assert (type(odd), odd.retry_after) == (RateLimited, None)


def test_the_request_id_is_kept() -> None:
    assert error(500, "oops", x_request_id="req_1").request_id == "req_1"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": {"message": "no", "code": 7}}', "no"),
        (b'{"error": "no"}', "no"),
        (b'{"message": "no"}', "no"),
        (b'{"detail": "no"}', "no"),
        (b'{"detail": [{"loc": ["body"], "msg": "no"}]}', "no"),
        (b'[{"error": {"message": "no"}}]', "no"),
        (b'{"error": {"message": "{\\"error\\": {\\"message\\": \\"no\\"}}"}}', "no"),
        (
            b'{"error": {"message": "Provider returned error", "metadata": {"raw": "no"}}}',
            "Provider returned error: no",
        ),
        (b"<html><title>No\n entry</title></html>", "No entry"),
        (b"<html></html>", "without a title"),
        (b"plain  no\n", "plain no"),
        (b"\x1b[31mno\x00", "[31mno"),
        (b"", ""),
        (b"{}", ""),
        (b"null", ""),
        (b'{"error": {"message": null}}', ""),
        (b'{"error": {"message": {"message": {"message": {"message": {"message": 1}}}}}}', ""),
        (b"[" * 100_000, "[" * 299 + "\u2026"),
    ],
)
def test_the_message_is_found_however_it_is_wrapped(body: bytes, said: str) -> None:
    assert said_in(body)[0] == said


def test_a_message_is_short_and_holds_no_key() -> None:
    REDACTOR.register(Secret(KEY))
    text = str(error(401, f"Incorrect API key provided: {KEY}. " + "x" * 1000))
    assert KEY not in text
    assert len(text) < 450


@pytest.mark.parametrize(
    ("chunk", "kind"),
    [
        ({"error": {"message": "no", "code": 429}}, RateLimited),
        ({"error": {"message": "no", "code": "502"}, "choices": []}, ServerError),
        ({"error": {"message": "no", "type": "overloaded_error"}}, ServerError),
        ({"error": {"message": "no", "code": "rate_limit_exceeded"}}, RateLimited),
        ({"error": {"message": "no", "code": "context_length_exceeded"}}, ContextOverflow),
        ({"error": {"message": "no", "type": "invalid_request_error"}}, BadRequest),
        ({"error": {"message": "no", "type": "insufficient_quota"}}, QuotaExhausted),
        ({"error": {"message": "no", "type": "authentication_error"}}, AuthFailed),
        ({"error": "no"}, ServerError),
        ({"object": "error", "message": "no", "code": 400}, BadRequest),
        ({"detail": "no"}, ServerError),
        ({"code": 404, "message": "no"}, ModelNotFound),
        ({"type": "error", "error": {"type": "api_error", "message": "no"}}, ServerError),
        ({"type": "error", "error": {"type": "billing_error", "message": "no"}}, QuotaExhausted),
        (
            {"type": "error", "error": {"type": "request_too_large", "message": "no"}},
            ContextOverflow,
        ),
        ({"type": "error", "code": "server_error", "message": "no"}, ServerError),
        ({"type": "error", "code": "invalid_encrypted_content", "message": "no"}, StaleReasoning),
        (
            {"type": "response.failed", "response": {"error": {"code": "x", "message": "no"}}},
            ServerError,
        ),
        (
            {"type": "error", "error": {"type": "accessDeniedException", "message": "no"}},
            AuthFailed,
        ),
    ],
)
def test_an_error_inside_a_stream_has_its_class(
    chunk: dict[str, Any], kind: type[ProviderError]
) -> None:
    found = from_chunk(RUNTIME, chunk)
    assert type(found) is kind
    assert "no" in str(found)


@pytest.mark.parametrize(
    "chunk",
    [{"choices": [], "error": None}, {"id": "x"}, {"usage": {}}, {"choices": [], "detail": 1}],
)
def test_other_chunks_are_no_errors(chunk: dict[str, Any]) -> None:
    assert from_chunk(RUNTIME, chunk) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty answer"),
        ("<!DOCTYPE html><title>Sign in</title>", "web page (Sign in)"),
        ("something else", "something else"),
    ],
)
def test_a_body_that_is_no_answer_is_described(text: str, words: str) -> None:
    found = malformed(RUNTIME, text)
    assert type(found) is MalformedResponse
    assert words in str(found)
