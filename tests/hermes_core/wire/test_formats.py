"""All formats: what the recorded cases do not show."""

import re
from collections.abc import Iterator
from typing import Any, get_args

import pytest

from hermes_core.ground.errors import HermesError, StreamCut
from hermes_core.ground.reasoning import EFFORT, NO_REASONING, Reasoning
from hermes_core.ground.runtime import ApiMode, Compat, Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.wire.formats import efforts_of, format_for
from hermes_core.wire.pieces import CallPiece, FinishPiece, TextPiece
from hermes_core.wire.sse import decode
from tests.golden.cases import API_MODES, CASES, CONVERSATIONS, Case


@pytest.mark.parametrize("mode", get_args(ApiMode))
def test_every_mode_has_a_format(mode: ApiMode) -> None:
    assert callable(format_for(mode).parse)
    assert callable(format_for(mode).to_request)


@pytest.mark.parametrize("mode", API_MODES)
def test_text_is_told_as_it_arrives(mode: Any) -> None:
    taken = 0

    def chunks() -> Iterator[dict[str, Any]]:
        nonlocal taken
        for chunk in decode([Case(mode, "a_question").stream]):
            taken += 1
            yield chunk

    pieces = format_for(mode).parse(chunks())
    told = [next(pieces)]
    while not isinstance(told[-1], TextPiece):
        told.append(next(pieces))
    assert told[-1] == TextPiece("Hel")
    before = taken
    assert next(pieces) == TextPiece("lo")
    assert taken == before + 1


@pytest.mark.parametrize("mode", API_MODES)
def test_a_call_is_told_before_its_arguments_are_whole(mode: Any) -> None:
    pieces = list(format_for(mode).parse(decode([Case(mode, "a_call").stream])))
    calls = [piece for piece in pieces if isinstance(piece, CallPiece)]
    assert calls[0].name == "read_file"
    assert calls[0].arguments == ""
    assert len([piece for piece in calls if piece.name]) == 1


@pytest.mark.parametrize("name", CONVERSATIONS)
@pytest.mark.parametrize("mode", API_MODES)
def test_an_answer_that_is_cut_anywhere_is_never_a_whole_one(mode: Any, name: str) -> None:
    chunks = list(decode([Case(mode, name).stream]))
    wire = format_for(mode)
    for end in range(len(chunks)):
        pieces = []
        try:
            pieces.extend(wire.parse(iter(chunks[:end])))
        except HermesError:
            continue
        assert any(isinstance(piece, FinishPiece) for piece in pieces), f"cut at {end}"


@pytest.mark.parametrize("mode", API_MODES)
def test_a_connection_that_breaks_after_the_end_has_lost_nothing(mode: Any) -> None:
    whole = list(decode([Case(mode, "a_question").stream]))

    def broken(length: int) -> Iterator[dict[str, Any]]:
        yield from whole[:length]
        raise StreamCut("The connection broke.")

    pieces = list(format_for(mode).parse(broken(len(whole))))
    assert any(isinstance(piece, FinishPiece) for piece in pieces)
    with pytest.raises(StreamCut):
        list(format_for(mode).parse(broken(3)))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_nothing_in_a_stream_makes_the_parser_fall_over(case: Case) -> None:
    """Every value of a recorded stream, one at a time, is replaced by what nobody expects."""
    body = case.stream.decode("utf-8", "replace")
    values = re.findall(r'(?<=":)(?:"[^"]*"|-?\d+|null|true|false|\[\]|\{\})', body)
    for value in sorted(set(values)):
        for odd in ("null", "7", '"x"', "[null]", '{"y":[]}', "-1.5"):
            spoiled = body.replace(f'":{value}', f'":{odd}', 1)
            try:
                list(case.wire.parse(decode([spoiled.encode("utf-8", "replace")])))
            except HermesError:
                continue


@pytest.mark.parametrize(
    ("told", "effort", "levels"),
    [
        (None, None, ()),
        (NO_REASONING, None, ()),
        (Reasoning(on={"x": EFFORT}), None, ("low", "medium", "high")),
        (Reasoning(on={"x": EFFORT}, off={"x": 0}, efforts=(("max", 9),)), None, ("none", "max")),
        (None, "high", ("none", "minimal", "low", "medium", "high")),
    ],
)
def test_the_efforts_of_a_model_are_those_that_its_endpoint_knows(
    told: Reasoning | None, effort: str | None, levels: tuple[str, ...]
) -> None:
    runtime = Runtime(
        "x",
        "m",
        "chat_completions",
        "http://x",
        Secret(""),
        compat=Compat(reasoning=told),
        reasoning_effort=effort,
    )
    assert efforts_of(runtime) == levels
