"""The chat completions format, case by case from recorded files.

A case is a folder: ``messages.json``, ``tools.json`` and, where it differs from the default,
``runtime.json`` give ``request.json``; the body in ``stream.txt`` gives ``result.json``.
"""

import itertools
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.errors import HermesError
from hermes_core.ground.messages import Message
from hermes_core.ground.runtime import Compat, Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.wire.chat_completions import parse, to_request
from hermes_core.wire.fold import Fold
from hermes_core.wire.pieces import Piece, ReasoningPiece, TextPiece
from hermes_core.wire.sse import decode

CASES = sorted(p for p in (Path(__file__).parents[2] / "golden/chat_completions").iterdir())


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def runtime_of(case: Path) -> Runtime:
    special = load(case / "runtime.json") if (case / "runtime.json").exists() else {}
    compat = Compat(**special.pop("compat", {}))
    return Runtime(
        provider="custom",
        model="some/model",
        api_mode="chat_completions",
        base_url="https://example.org/v1",
        api_key=Secret("sk-not-to-be-sent"),
        compat=compat,
        **special,
    )


def outcome(body: bytes, size: int | None = None) -> dict[str, Any]:
    """Return what comes of a body that arrives in pieces of ``size`` bytes."""
    step = size or max(len(body), 1)
    pieces = (body[start : start + step] for start in range(0, len(body), step))
    fold = Fold()
    try:
        for piece in parse(decode(pieces)):
            fold.add(piece)
    except HermesError as error:
        return {"error": type(error).__name__}
    usage = fold.usage
    counts = usage and [usage.input, usage.output, usage.cached, usage.reasoning]
    return {"message": fold.message(), "usage": counts}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_request_is_as_recorded(case: Path) -> None:
    request = to_request(load(case / "messages.json"), load(case / "tools.json"), runtime_of(case))
    recorded = load(case / "request.json")
    assert request == recorded
    assert list(request) == list(recorded)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_answer_is_as_recorded(case: Path) -> None:
    assert outcome((case / "stream.txt").read_bytes()) == load(case / "result.json")


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_it_does_not_matter_where_the_network_splits(case: Path, size: int) -> None:
    assert outcome((case / "stream.txt").read_bytes(), size) == load(case / "result.json")


def test_there_are_cases() -> None:
    assert len(CASES) >= 12
    for case in CASES:
        names = {path.name for path in case.iterdir()} - {"runtime.json"}
        assert names == {
            "messages.json",
            "tools.json",
            "request.json",
            "stream.txt",
            "result.json",
        }


def test_a_request_begins_with_the_bytes_of_the_shorter_conversation() -> None:
    case = next(case for case in CASES if case.name == "history_with_reasoning_records")
    messages, tools = load(case / "messages.json"), load(case / "tools.json")
    sent = [
        json.dumps(to_request(messages[:end], tools, runtime_of(case)), separators=(",", ":"))
        for end in range(1, len(messages) + 1)
    ]
    for shorter, longer in itertools.pairwise(sent):
        assert longer.startswith(shorter.removesuffix("]}"))


def test_the_given_messages_are_not_changed() -> None:
    case = next(case for case in CASES if case.name == "history")
    messages = load(case / "messages.json")
    to_request(messages, load(case / "tools.json"), runtime_of(case))
    assert messages == load(case / "messages.json")


def test_nothing_sent_holds_a_lone_surrogate() -> None:
    tools = [{"type": "function", "function": {"name": "f", "description": "\udc00", "\ud800": 1}}]
    messages: list[Message] = [
        {"role": "user", "content": [{"type": "text", "text": "a\ud800"}]},
        {"role": "tool", "tool_call_id": "\udfff", "content": "\ud83d\ude00"},
    ]
    request = to_request(messages, tools, runtime_of(CASES[0]))
    text = json.dumps(request, ensure_ascii=False)
    assert text.encode("utf-8")
    assert "\N{GRINNING FACE}" in text


def test_reasoning_of_stale_messages_is_left_out() -> None:
    case = next(case for case in CASES if case.name == "history_with_reasoning_as_text")
    messages = load(case / "messages.json")
    sent = to_request(messages, [], runtime_of(case), stale=3)["messages"]
    assert sent[2]["reasoning_content"] == " "
    assert sent[5]["reasoning_content"] == "Clear."


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
