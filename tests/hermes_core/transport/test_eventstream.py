"""Amazon's frames, whole, in pieces, cut off and damaged."""

import base64
from typing import Any

import pytest

from hermes_core.ground.errors import MalformedResponse
from hermes_core.transport.eventstream import decode
from tests.fakes.messages import frame, frame_of

EVENTS: list[dict[str, Any]] = [{"type": "ping"}, {"type": "x", "text": "ü" * 300}]
BODY = b"".join(map(frame_of, EVENTS))


@pytest.mark.parametrize("size", [1, 2, 11, 12, 13, 100, 10_000])
def test_frames_in_pieces_of_any_size(size: int) -> None:
    pieces = [BODY[at : at + size] for at in range(0, len(BODY), size)]
    assert list(decode(pieces)) == EVENTS


@pytest.mark.parametrize("left", [1, 5, 15, 40])
def test_a_last_frame_that_was_cut_off_is_left_out(left: int) -> None:
    assert list(decode([BODY[:-left]])) == EVENTS[:1]


@pytest.mark.parametrize("at", [0, 5, 9, 20, 60, len(BODY) - 1])
def test_damage_is_told(at: int) -> None:
    damaged = BODY[:at] + bytes([BODY[at] ^ 1]) + BODY[at + 1 :]
    with pytest.raises(MalformedResponse):
        list(decode([damaged]))


def test_what_is_no_such_stream_is_told_with_its_text() -> None:
    with pytest.raises(MalformedResponse, match="Log in"):
        list(decode([b"<html><title>Log in</title></html>"]))


def test_an_empty_body_has_no_events() -> None:
    assert list(decode([])) == []


def test_exceptions_and_errors_are_told_as_errors() -> None:
    exception = {":message-type": "exception", ":exception-type": "throttlingException"}
    error = {":message-type": "error", ":error-code": "InternalFailure", ":error-message": "no"}
    told = list(decode([frame(exception, {"message": "slow"}), frame(error, {})]))
    assert told == [
        {"type": "error", "error": {"type": "throttlingException", "message": "slow"}},
        {"type": "error", "error": {"type": "InternalFailure", "message": "no"}},
    ]


EVENT = {":message-type": "event", ":event-type": "chunk"}


@pytest.mark.parametrize("payload", [{"bytes": "W10="}, {"bytes": ""}, {"other": 1}])
def test_payloads_without_an_object_are_passed_over(payload: Any) -> None:
    assert list(decode([frame(EVENT, payload)])) == []


@pytest.mark.parametrize("payload", [{"bytes": "e30x"}, {"bytes": 7}, [], "text"])
def test_payloads_of_another_shape_are_told(payload: Any) -> None:
    with pytest.raises(MalformedResponse, match="cannot be read"):
        list(decode([frame(EVENT, payload)]))


@pytest.mark.parametrize("depth", [500, 900, 100_000])
def test_an_object_that_nests_too_deep_is_told(depth: int) -> None:
    data = base64.b64encode(b'{"a":' * depth + b"1" + b"}" * depth).decode()
    with pytest.raises(MalformedResponse, match="cannot be read"):
        list(decode([frame(EVENT, {"bytes": data})]))
