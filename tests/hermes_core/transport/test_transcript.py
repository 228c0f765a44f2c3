"""A conversation as one text, and an agent's text as an answer with calls."""

import json
from typing import Any

import pytest

from hermes_core.transport.transcript import Sieve, to_prompt

CALL = '<tool_call>{"name": "patch", "arguments": {"path": "a"}}</tool_call>'


def sifted(*texts: str) -> list[dict[str, Any]]:
    sieve = Sieve()
    return [delta for text in texts for delta in sieve.feed(text)] + list(sieve.end())


def text_of(deltas: list[dict[str, Any]]) -> str:
    return "".join(delta.get("content", "") for delta in deltas)


def calls_of(deltas: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    calls = [call for delta in deltas for call in delta.get("tool_calls", [])]
    assert [call["index"] for call in calls] == list(range(len(calls)))
    assert len({call["id"] for call in calls}) == len(calls)
    return [(c["function"]["name"], json.loads(c["function"]["arguments"])) for c in calls]


def test_text_passes_as_it_comes() -> None:
    assert sifted("Hel", "lo") == [{"content": "Hel"}, {"content": "lo"}]


@pytest.mark.parametrize("cut", range(1, len(CALL) + 6))
def test_a_call_is_found_wherever_it_is_cut(cut: int) -> None:
    whole = f"Look.{CALL}"
    deltas = sifted(whole[:cut], whole[cut:])
    assert text_of(deltas) == "Look."
    assert calls_of(deltas) == [("patch", {"path": "a"})]


def test_several_calls_and_the_space_between_them() -> None:
    deltas = sifted(f"{CALL}\n\n{CALL}\n")
    assert text_of(deltas) == ""
    assert len(calls_of(deltas)) == 2


@pytest.mark.parametrize(
    "text", ["a < b", "<tool", "<tool_call>no json</tool_call>", "<tool_call>{1", "<tool_calls>"]
)
def test_what_only_looks_like_a_call_is_text(text: str) -> None:
    deltas = sifted(text)
    assert text_of(deltas) == text
    assert calls_of(deltas) == []


def test_a_call_whose_end_is_missing_counts_if_it_is_whole() -> None:
    assert calls_of(sifted(CALL.removesuffix("</tool_call>"))) == [("patch", {"path": "a"})]


def test_arguments_may_be_text_or_missing() -> None:
    assert calls_of(sifted('<tool_call>{"name": "a", "arguments": "{}"}</tool_call>')) == [
        ("a", {})
    ]
    assert calls_of(sifted('<tool_call>{"name": "a"}</tool_call>')) == [("a", {})]


def test_the_prompt_tells_the_whole_conversation_in_order() -> None:
    function = {"name": "patch", "arguments": '{"path": "ü"}'}
    prompt = to_prompt(
        {
            "messages": [
                {"role": "system", "content": "SYSTEM"},
                {"role": "user", "content": [{"type": "text", "text": "ASK"}, {"type": "image"}]},
                {
                    "role": "assistant",
                    "content": "SURE",
                    "tool_calls": [{"id": "c1", "type": "function", "function": function}],
                },
                {"role": "tool", "tool_call_id": "c1", "content": "DONE"},
            ],
            "tools": [{"type": "function", "function": {"name": "patch", "description": "EDITS"}}],
        }
    )
    places = [prompt.index(word) for word in ("EDITS", "SYSTEM", "ASK", "SURE", "ü", "DONE")]
    assert places == sorted(places)
    assert "c1" in prompt
    assert "left out" in prompt


def test_without_tools_nothing_is_said_of_them() -> None:
    assert "<tool_call>" not in to_prompt({"messages": [{"role": "user", "content": None}]})
