"""The chat completions format: what the recorded cases do not show."""

import itertools
import json
from collections.abc import Iterable
from typing import Any

import pytest

from hermes_core.ground.messages import Message
from hermes_core.wire.chat_completions import parse, to_request
from hermes_core.wire.pieces import Piece, ReasoningPiece, TextPiece
from tests.golden.cases import Case, runtime_of

PLAIN = runtime_of("chat_completions", {})


def test_a_request_begins_with_the_bytes_of_the_shorter_conversation() -> None:
    case = Case("chat_completions", "history_with_reasoning_records")
    sent = [
        json.dumps(to_request(case.messages[:end], case.tools, PLAIN), separators=(",", ":"))
        for end in range(1, len(case.messages) + 1)
    ]
    for shorter, longer in itertools.pairwise(sent):
        assert longer.startswith(shorter.removesuffix("]}"))


def test_nothing_sent_holds_a_lone_surrogate() -> None:
    tools = [{"type": "function", "function": {"name": "f", "description": "\udc00", "\ud800": 1}}]
    messages: list[Message] = [
        {"role": "user", "content": [{"type": "text", "text": "a\ud800"}]},
        {"role": "tool", "tool_call_id": "\udfff", "content": "\ud83d\ude00"},
    ]
    request = to_request(messages, tools, PLAIN)
    text = json.dumps(request, ensure_ascii=False)
    assert text.encode("utf-8")
    assert "\N{GRINNING FACE}" in text


def pieces_of(chunks: Iterable[dict[str, Any]]) -> list[Piece]:
    return list(parse(chunks))


def test_text_is_told_as_it_arrives() -> None:
    def chunks() -> Iterable[dict[str, Any]]:
        for text in ("a", "b"):
            arrived.append(text)
            yield {"choices": [{"delta": {"content": text}}]}
        yield {"choices": [{"delta": {}, "finish_reason": "stop"}]}

    arrived: list[str] = []
    stream = parse(chunks())
    assert next(stream) == TextPiece("a")
    assert arrived == ["a"]


@pytest.mark.parametrize("opening", ["<think>", "<thinking>", "<reasoning>", " \n<thought>"])
def test_an_answer_that_only_thinks_has_no_text(opening: str) -> None:
    pieces = pieces_of(
        [{"choices": [{"delta": {"content": opening + "deep</th"}, "finish_reason": "length"}]}]
    )
    thought = "".join(piece.text for piece in pieces if isinstance(piece, ReasoningPiece))
    assert thought == "deep</th"
    assert not any(isinstance(piece, TextPiece) for piece in pieces)


@pytest.mark.parametrize("text", ["<", "<thi", "<thinks>", "a<think>b</think>", "<b>bold</b>"])
def test_what_only_looks_like_a_tag_stays_text(text: str) -> None:
    pieces = pieces_of(
        [{"choices": [{"delta": {"content": sign}}]} for sign in text]
        + [{"choices": [{"delta": {}, "finish_reason": "stop"}]}]
    )
    assert "".join(p.text for p in pieces if isinstance(p, TextPiece)) == text
