"""A secret that the provider repeats is masked, wherever its pieces are cut."""

import pytest

from hermes_core.ground.secrets import MASK, REDACTOR, Secret
from hermes_core.ground.usage import Usage
from hermes_core.model.masking import masked
from hermes_core.wire.pieces import (
    CallPiece,
    Piece,
    ReasoningPiece,
    ReasoningRecord,
    TextPiece,
    UsagePiece,
)
from tests.fakes.canaries import canary, forms_of

KEY = canary("masking")
CALL = CallPiece(0, "c", "f", "{}")


@pytest.fixture(autouse=True)
def known() -> None:
    REDACTOR.register(Secret(KEY))


def told(*pieces: Piece, kind: type[TextPiece] | type[ReasoningPiece] = TextPiece) -> str:
    return "".join(piece.text for piece in masked(pieces) if isinstance(piece, kind))


@pytest.mark.parametrize("kind", [TextPiece, ReasoningPiece])
@pytest.mark.parametrize("cut", range(len(KEY) + 1))
def test_a_cut_anywhere(kind: type[TextPiece] | type[ReasoningPiece], cut: int) -> None:
    pieces = [kind("It is " + KEY[:cut]), kind(KEY[cut:] + ".")]
    assert told(*pieces, kind=kind) == f"It is {MASK}."


def test_one_sign_at_a_time_with_counts_between() -> None:
    pieces: list[Piece] = []
    for sign in f"<{KEY}><{KEY}>":
        pieces += [TextPiece(sign), UsagePiece(Usage())]
    assert told(*pieces) == f"<{MASK}><{MASK}>"
    assert sum(isinstance(piece, UsagePiece) for piece in masked(pieces)) == len(pieces) // 2


def test_its_other_forms() -> None:
    from urllib.parse import quote

    form = quote(KEY, safe="")
    assert form.encode() in forms_of(KEY)
    assert told(TextPiece(form[:9]), TextPiece(form[9:])) == MASK


def test_what_only_begins_like_one_is_told_in_order() -> None:
    pieces = [TextPiece("see cnr"), TextPiece("s, cnry"), ReasoningPiece("hm cn"), CALL]
    pieces += [TextPiece("the end: c")]
    assert list(masked(pieces)) == [
        TextPiece("see "),
        TextPiece("cnrs, "),
        TextPiece("cnry"),
        ReasoningPiece("hm "),
        ReasoningPiece("cn"),
        CALL,
        TextPiece("the end: "),
        TextPiece("c"),
    ]


def test_records_keep_their_shape() -> None:
    record = {"type": "thinking", "parts": [f"a {KEY}", 1, None], "signature": "abc"}
    (piece,) = masked([ReasoningRecord(record, placed=True)])
    expected = {"type": "thinking", "parts": [f"a {MASK}", 1, None], "signature": "abc"}
    assert piece == ReasoningRecord(expected, placed=True)


def test_arguments_are_not_touched() -> None:
    call = CallPiece(0, "c", "write_file", KEY)
    assert list(masked([call])) == [call]
