"""Every wire format, case by case from recorded files: one table for all of them."""

import itertools
import json
from typing import Any

import pytest

from hermes_core.wire.origin import origin_of
from tests.golden.cases import (
    API_MODES,
    CASES,
    CONVERSATIONS,
    FILES,
    Case,
    outcome,
)

_ITEMS = {
    "chat_completions": "messages",
    "codex_responses": "input",
    "anthropic_messages": "messages",
}
_OPAQUE = ("reasoning_details", "reasoning_places")

per_case = pytest.mark.parametrize("case", CASES, ids=str)


@per_case
def test_the_request_is_as_recorded(case: Case) -> None:
    request = case.request()
    recorded = case.load("request.json")
    assert request == recorded
    assert list(request) == list(recorded)


@per_case
def test_the_answer_is_as_recorded(case: Case) -> None:
    assert outcome(case.wire, case.stream) == case.load("result.json")


@per_case
def test_it_does_not_matter_where_the_network_splits(case: Case) -> None:
    recorded = case.load("result.json")
    for size in (1, 2, 3, 7, 64):
        assert outcome(case.wire, case.stream, size) == recorded


@per_case
def test_a_case_is_whole(case: Case) -> None:
    names = {path.name for path in case.folder.iterdir()} - {"runtime.json"}
    assert names == FILES


@per_case
def test_the_given_messages_are_not_changed(case: Case) -> None:
    messages, tools = case.messages, case.tools
    case.wire.to_request(messages, tools, case.runtime)
    assert messages == case.messages
    assert tools == case.tools


@per_case
def test_what_is_sent_can_be_encoded_and_holds_no_key_of_ours(case: Case) -> None:
    text = json.dumps(case.request(), ensure_ascii=False, allow_nan=False)
    assert text.encode("utf-8")
    for ours in ("sk-not-to-be-sent", "finish_reason", "reasoning_places", '"origin"'):
        assert ours not in text
    assert origin_of(case.runtime) not in text


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_conversation_is_the_same_in_every_format(name: str) -> None:
    first, *others = [Case(mode, name) for mode in API_MODES]
    for other in others:
        assert _visible(other.load("messages.json")) == _visible(first.load("messages.json"))
        assert other.tools == first.tools
        assert other.settings == first.settings
        answers = [case.load("result.json").get("message") for case in (first, other)]
        assert _visible(answers[:1]) == _visible(answers[1:])


@pytest.mark.parametrize("mode", API_MODES)
@pytest.mark.parametrize("name", ["own_reasoning", "own_reasoning_as_text", "answers_to_calls"])
def test_a_request_begins_with_what_the_shorter_conversation_sent(mode: Any, name: str) -> None:
    case = Case(mode, name)
    ends = [n for n, m in enumerate(case.messages, 1) if m["role"] != "tool"]
    sent = [
        _without_marks(case.wire.to_request(case.messages[:end], case.tools, case.runtime))
        for end in ends
    ]
    key = _ITEMS[mode]
    for shorter, longer in itertools.pairwise(sent):
        assert longer[key][: len(shorter[key])] == shorter[key]
        assert {**longer, key: None} == {**shorter, key: None}
        assert list(longer)[-1] == key


def _visible(messages: Any) -> Any:
    return [m and {k: v for k, v in m.items() if k not in _OPAQUE} for m in messages]


def _without_marks(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_marks(item) for k, item in value.items() if k != "cache_control"}
    if isinstance(value, list):
        return [_without_marks(item) for item in value]
    return value
