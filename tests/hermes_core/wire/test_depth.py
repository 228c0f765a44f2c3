"""JSON that nests too deep: a stream that is none, arguments that broke off."""

import json
import time

import pytest

from hermes_core.ground.errors import MalformedResponse
from hermes_core.ground.messages import Message
from hermes_core.ground.runtime import ApiMode
from hermes_core.wire.depth import MAX_DEPTH, too_deep_at
from hermes_core.wire.fold import Fold
from hermes_core.wire.formats import format_for
from hermes_core.wire.pieces import CallPiece
from hermes_core.wire.sse import decode
from tests.golden.cases import API_MODES, runtime_of


def nested(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


@pytest.mark.parametrize(
    "text",
    ["", "{}", nested(MAX_DEPTH), "[[1], " * 50, json.dumps(["{[" * 500]), '{"a": "' + "[" * 500],
)
def test_what_is_not_too_deep(text: str) -> None:
    assert too_deep_at(text) is None


def test_where_it_is_too_deep() -> None:
    assert too_deep_at(nested(MAX_DEPTH + 1)) == len('{"a":') * MAX_DEPTH
    assert too_deep_at('"\\"{" ' + "[" * 500) == len('"\\"{" ') + MAX_DEPTH
    assert too_deep_at("[]" * 5000) is None


def test_it_takes_linear_time() -> None:
    begun = time.monotonic()
    too_deep_at("[" * 200 + '"\\' * 500_000)
    too_deep_at('{"' * 500_000)
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 900, 950, 975, 5000])
@pytest.mark.parametrize("mode", API_MODES)
def test_a_call_with_deep_arguments_can_be_told_and_sent_back(mode: ApiMode, depth: int) -> None:
    fold = Fold()
    fold.add(CallPiece(0, "c1", "read_file", nested(depth)))
    message = fold.message()
    arguments = message["tool_calls"][0]["function"]["arguments"]
    with pytest.raises(ValueError, match="Expecting value"):
        json.loads(arguments)
    runtime = runtime_of(mode, {})
    result: Message = {"role": "tool", "tool_call_id": "c1", "content": "no"}
    json.dumps(format_for(mode).to_request([message, result], [], runtime))


def test_an_event_that_nests_too_deep_is_no_answer() -> None:
    with pytest.raises(MalformedResponse):
        list(decode([f"data: {nested(500)}\n\n".encode()]))
