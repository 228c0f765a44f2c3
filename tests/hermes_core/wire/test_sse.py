"""Events from bytes: what the recorded cases of the format do not show."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core.ground.errors import MalformedResponse
from hermes_core.wire import sse
from hermes_core.wire.sse import END, decode


def events(*chunks: bytes) -> list[dict[str, Any]]:
    return list(decode(chunks))


def test_done_ends_the_stream_whatever_follows() -> None:
    found = events(b'data: {"a": 1}\n\ndata: [DONE]\n\ndata: {"b": 2}\n\n')
    assert found == [{"a": 1}, END]
    assert found[-1] is END


def test_the_body_is_not_read_past_its_end() -> None:
    def body() -> Any:
        yield b"data: [DONE]\n"
        raise AssertionError("read on")

    assert list(decode(body())) == [END]


def test_an_event_comes_before_its_blank_line() -> None:
    def body() -> Any:
        yield b'data: {"a": 1}\n'
        raise AssertionError("waited for more")

    assert next(decode(body())) == {"a": 1}


def test_a_named_error_event_is_an_error() -> None:
    assert events(b'event: error\ndata: {"message": "no"}\n\n') == [{"error": {"message": "no"}}]
    assert events(b'event: error\n\ndata: {"message": "no"}\n\n') == [{"message": "no"}]
    assert events(b'event: error\ndata: {"error": "no"}\n\n') == [{"error": "no"}]


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert events(b'data: {"a": "\xff\xfe"}\n\n') == [{"a": "\ufffd\ufffd"}]


def test_raw_control_characters_in_a_string_are_kept() -> None:
    assert events(b'data: {"a": "b\tc"}\n\n') == [{"a": "b\tc"}]


def test_a_document_that_is_no_stream_is_one_event() -> None:
    assert events(b'{"error": {"message": "no"}}') == [{"error": {"message": "no"}}, END]
    assert events(b'{"a": 1}\n{"b": 2}\n') == [{"a": 1}, {"b": 2}]
    assert events(b'{\n "a": 1\n}\n') == [{"a": 1}, END]


@pytest.mark.parametrize("body", [b"<html>login</html>", b"Bad Gateway", b"[1, 2]", b"17", b""])
def test_a_body_without_events_is_named_in_the_error(body: bytes) -> None:
    with pytest.raises(MalformedResponse) as caught:
        events(body)
    assert str(caught.value) == body.decode()


def test_an_event_nested_too_deep_is_malformed() -> None:
    with pytest.raises(MalformedResponse):
        events(b'data: {"a":' + b"[" * 100_000 + b"\n\n", b'data: {"b": 1}\n\n')


@pytest.mark.parametrize("chunk", [b'data: {"a": "' + b"x" * 60_000, b"stray " * 10_000 + b"\n"])
def test_what_does_not_end_is_given_up(chunk: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MAX_EVENT", 1_000_000)
    sent = []

    def body() -> Any:
        while len(sent) < 1_000:
            sent.append(1)
            yield chunk

    with pytest.raises(MalformedResponse):
        list(decode(body()))
    assert len(sent) < 30


def test_a_large_event_in_small_pieces_is_read_in_one_go() -> None:
    body = b"data: " + json.dumps({"a": "x" * 1_000_000}).encode() + b"\n\n"
    pieces = [body[start : start + 1000] for start in range(0, len(body), 1000)]
    assert events(*pieces) == [{"a": "x" * 1_000_000}]


@given(st.lists(st.text()), st.sampled_from(["\n", "\r", "\r\n"]), st.integers(1, 40))
def test_any_split_gives_the_same_events(texts: list[str], newline: str, size: int) -> None:
    body = "".join(
        f"data: {json.dumps({'t': text}, ensure_ascii=False)}{newline}{newline}"
        for text in texts
        if not any(0xD800 <= ord(sign) <= 0xDFFF for sign in text)
    )
    data = (body + f"data: [DONE]{newline}{newline}").encode()
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    assert events(*pieces) == events(data)
    assert events(data)[-1] is END
