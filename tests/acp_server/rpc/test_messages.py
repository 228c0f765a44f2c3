import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_server.rpc.errors import INVALID_REQUEST, PARSE_ERROR
from acp_server.rpc.messages import InvalidMessage, check_id, decode, encode


@pytest.mark.parametrize(
    "line",
    [
        b"{nope",
        b"",
        b'{"a": "\xff\xfe"}',
        b'{"a": "caf\xc3"}',
        b'{"x": NaN}',
        b'{"x": -Infinity}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"id": ' + b"9" * 5_000 + b"}",
        b'{"a": 1} {"b": 2}',
        b'{"a": 1\xef\xbb\xbf}',
    ],
    ids=lambda line: repr(line[:20]),
)
def test_what_is_not_json_is_a_parse_error(line: bytes) -> None:
    with pytest.raises(InvalidMessage) as caught:
        decode(line)
    assert caught.value.code == PARSE_ERROR
    assert caught.value.id is None
    assert len(caught.value.message) < 120
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    "line", [b"42", b'"text"', b"null", b"true", b"[]", b'[{"jsonrpc": "2.0"}]']
)
def test_batches_and_bare_values_are_invalid(line: bytes) -> None:
    with pytest.raises(InvalidMessage) as caught:
        decode(line)
    assert caught.value.code == INVALID_REQUEST


def test_odd_but_valid_json_is_read() -> None:
    line = b' {"lone": "\\ud800", "nul": "\\u0000\\u001b", "big": 1e999} \r'
    assert decode(line) == {"lone": "\ud800", "nul": "\0\x1b", "big": float("inf")}


@pytest.mark.parametrize("kind", [bytes, bytearray])
def test_a_byte_order_mark_before_a_line_is_passed_over(kind: type[bytes | bytearray]) -> None:
    assert decode(kind(b'\xef\xbb\xbf{"a": "\xef\xbb\xbf"}\r')) == {"a": "\ufeff"}


def test_an_integer_of_400_digits_is_kept() -> None:
    number = int("7" * 400)
    assert check_id(decode(b'{"id": ' + b"7" * 400 + b"}")) == number
    assert json.loads(encode({"id": number})) == {"id": number}


def test_a_bytearray_gives_back_its_memory() -> None:
    line = bytearray(b'{"a": 1}')
    assert decode(line) == {"a": 1}
    assert line == b""


@pytest.mark.parametrize("msg_id", ["a", "", 0, -1, 1.5, None, 2**70])
def test_possible_ids(msg_id: object) -> None:
    assert check_id({"id": msg_id}) == msg_id


@pytest.mark.parametrize("msg_id", [True, [], {}, float("inf")])
def test_impossible_ids(msg_id: object) -> None:
    with pytest.raises(InvalidMessage) as caught:
        check_id({"id": msg_id})
    assert caught.value.code == INVALID_REQUEST


def test_a_line_is_utf8_with_one_newline() -> None:
    line = encode({"text": "a\nb é 😀"})
    assert line == '{"text":"a\\nb é 😀"}\n'.encode()


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@settings(deadline=None)
@given(st.dictionaries(st.text(), JSON_VALUES, max_size=4))
def test_what_was_encoded_is_one_line_and_is_read_again(message: dict[str, Any]) -> None:
    line = encode(message)
    assert line.count(b"\n") == 1
    assert encode(decode(line)) == line


def test_surrogates_are_made_safe() -> None:
    line = encode({"text": "a\ud800b \ud83d\ude00 \udc00"})
    assert json.loads(line) == {"text": "a\ufffdb 😀 \ufffd"}


def test_numbers_that_json_does_not_know_become_null() -> None:
    line = encode({"a": [float("nan"), (float("inf"), 1.5)], "b": {"c": -float("inf")}})
    assert json.loads(line) == {"a": [None, [None, 1.5]], "b": {"c": None}}


def test_what_cannot_be_encoded_raises() -> None:
    with pytest.raises(TypeError):
        encode({"a": object()})
