"""Reasoning goes back to its maker alone."""

import json
from dataclasses import replace
from typing import Any

import pytest

from hermes_core.wire.origin import origin_of
from tests.golden.cases import API_MODES, Case

SEALS = ("b3BhcXVl", "c2ln", "Two files.", "Done.")


def sent_by(case: Case, **changes: Any) -> str:
    runtime = replace(case.runtime, **changes)
    return json.dumps(case.wire.to_request(case.messages, case.tools, runtime))


@pytest.mark.parametrize("mode", API_MODES)
@pytest.mark.parametrize("change", [{"provider": "another"}, {"model": "another"}])
def test_nobody_else_gets_any_of_it(mode: Any, change: dict[str, str]) -> None:
    case = Case(mode, "own_reasoning")
    assert any(seal in sent_by(case) for seal in SEALS)
    assert not any(seal in sent_by(case, **change) for seal in SEALS)


@pytest.mark.parametrize("mode", API_MODES)
@pytest.mark.parametrize("other", API_MODES)
def test_another_format_gets_none_of_it(mode: Any, other: Any) -> None:
    case, there = Case(mode, "own_reasoning"), Case(other, "own_reasoning")
    request = there.wire.to_request(case.messages, case.tools, there.runtime)
    assert any(seal in json.dumps(request) for seal in SEALS) == (mode == other)


def test_a_blank_stands_for_anothers_reasoning_where_it_is_demanded() -> None:
    case = Case("chat_completions", "own_reasoning_as_text")
    runtime = replace(case.runtime, provider="another")
    sent = case.wire.to_request(case.messages, case.tools, runtime)["messages"]
    assert [message.get("reasoning_content") for message in sent if "tool_calls" in message] == [
        " "
    ]
    assert "reasoning_content" not in sent[5]


def test_after_a_return_it_is_sent_again() -> None:
    case = Case("anthropic_messages", "own_reasoning")
    before = sent_by(case)
    sent_by(case, provider="another")
    assert sent_by(case) == before


def test_an_origin_tells_provider_format_and_model() -> None:
    origins = {origin_of(Case(mode, "a_question").runtime) for mode in API_MODES}
    assert len(origins) == 3
