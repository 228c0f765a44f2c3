"""The accumulator: what the recorded cases do not show."""

import pytest

from hermes_core.ground.usage import Usage
from hermes_core.wire.fold import Fold
from hermes_core.wire.pieces import (
    CallPiece,
    FinishPiece,
    Piece,
    ReasoningPiece,
    TextPiece,
    UsagePiece,
)


def fold_of(*pieces: Piece) -> Fold:
    fold = Fold()
    for piece in pieces:
        fold.add(piece)
    return fold


@pytest.mark.parametrize(
    ("reason", "has_call", "said"),
    [
        ("stop", False, "stop"),
        ("stop", True, "tool_calls"),
        ("tool_calls", False, "stop"),
        ("end_turn", False, "stop"),
        ("eos", True, "tool_calls"),
        ("length", False, "length"),
        ("MAX_TOKENS", True, "length"),
        ("content_filter", False, "content_filter"),
        ("SAFETY", False, "content_filter"),
    ],
)
def test_the_finish_reason_is_one_of_four(reason: str, has_call: bool, said: str) -> None:
    fold = fold_of(TextPiece("a"), FinishPiece(reason))
    if has_call:
        fold.add(CallPiece(0, "call_1", "f", "{}"))
    assert fold.message().get("finish_reason") == said


def test_a_late_id_and_name_are_taken() -> None:
    fold = fold_of(CallPiece(0, "", "", '{"a":'), CallPiece(0, "late", "f", "1}"))
    assert fold.message().get("tool_calls") == [
        {"id": "late", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
    ]


def test_a_call_that_never_became_one_is_left_out() -> None:
    assert "tool_calls" not in fold_of(CallPiece(0, "call_1", "", "")).message()


def test_the_size_counts_all_that_is_kept() -> None:
    fold = fold_of(TextPiece("abc"), ReasoningPiece("de"), CallPiece(0, "call_1", "f", "{}"))
    assert fold.size == 7


def test_cut_short_drops_calls_that_are_not_whole() -> None:
    fold = fold_of(
        TextPiece("abc"), CallPiece(0, "one", "f", '{"a": 1}'), CallPiece(1, "two", "f", '{"a')
    )
    fold.cut_short()
    message = fold.message()
    assert message.get("finish_reason") == "length"
    assert [call["id"] for call in message.get("tool_calls", [])] == ["one"]


def test_the_last_usage_counts() -> None:
    assert Fold().usage is None
    assert fold_of(UsagePiece(Usage(1, 1)), UsagePiece(Usage(5, 2))).usage == Usage(5, 2)
