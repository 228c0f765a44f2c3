"""The prompt cache's marks: never more than four, always at the end of what is stable."""

from typing import Any

import pytest

from hermes_core.ground.messages import Message
from hermes_core.wire.formats import format_for
from tests.golden.cases import Case, runtime_of

FEW: list[Message] = [{"role": "user", "content": "Hi"}]


def marks_in(value: Any) -> int:
    if isinstance(value, dict):
        return ("cache_control" in value) + sum(map(marks_in, value.values()))
    return sum(map(marks_in, value)) if isinstance(value, list) else 0


@pytest.mark.parametrize("mode", ["chat_completions", "anthropic_messages"])
def test_a_long_conversation_has_four_marks(mode: Any) -> None:
    runtime = runtime_of(mode, {"compat": {"cache_markers": True}})
    messages = Case(mode, "own_reasoning").messages * 9
    assert marks_in(format_for(mode).to_request(messages, [], runtime)) == 4
    assert marks_in(format_for(mode).to_request(FEW, [], runtime)) == 1


@pytest.mark.parametrize("mode", ["chat_completions", "codex_responses"])
def test_nothing_is_marked_unasked_where_marks_are_no_part_of_the_format(mode: Any) -> None:
    assert marks_in(format_for(mode).to_request(FEW, [], runtime_of(mode, {}))) == 0


def test_messages_without_text_take_no_mark() -> None:
    runtime = runtime_of("chat_completions", {"compat": {"cache_markers": True}})
    messages = Case("chat_completions", "broken_arguments").messages
    sent = format_for("chat_completions").to_request(messages, [], runtime)["messages"]
    assert sent[2]["content"] is None
    assert [n for n, message in enumerate(sent) if marks_in(message)] == [0, 4, 5, 6]


def test_thinking_takes_no_mark() -> None:
    message: Message = {
        "role": "assistant",
        "content": "ab",
        "reasoning_details": [{"type": "thinking", "thinking": "Hm", "signature": "c2ln"}],
        "reasoning_places": [[2, 0]],
        "origin": "custom|anthropic_messages|some/model",
    }
    runtime = runtime_of("anthropic_messages", {})
    sent = format_for("anthropic_messages").to_request([*FEW, message], [], runtime)["messages"]
    assert [block["type"] for block in sent[1]["content"]] == ["text", "thinking"]
    assert marks_in(sent[1]) == 0
    assert marks_in(sent[0]) == 1


def test_a_conversation_keeps_its_key_and_another_has_another() -> None:
    runtime = runtime_of("codex_responses", {"compat": {"cache_markers": True}})
    to_request = format_for("codex_responses").to_request
    messages = Case("codex_responses", "own_reasoning").messages
    keys = [to_request(messages[:n], [], runtime)["prompt_cache_key"] for n in (2, 4, 7)]
    assert len(set(keys)) == 1
    assert len(keys[0]) <= 64
    assert to_request(FEW, [], runtime)["prompt_cache_key"] != keys[0]
