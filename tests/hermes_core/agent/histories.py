"""Histories of any origin, and what the three wires accept, told apart from the code under test."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from hermes_core.ground.messages import Message
from hermes_core.ground.runtime import ApiMode, Runtime
from hermes_core.ground.secrets import Secret
from hermes_core.wire.formats import format_for
from tests.hermes_core.agent.doubles import assert_alternating

MODES: tuple[ApiMode, ...] = ("chat_completions", "anthropic_messages", "codex_responses")

_TEXT = st.sampled_from(["", " ", "a", "b\n\nc", "\ud800"])
_ID = st.sampled_from(["", " ", "1", "2", "2-2", None, 7])
_JUNK = st.sampled_from([None, 0, "x", [], {}, [None], {"x": 1}])
_ARGUMENTS = st.sampled_from(["{}", '{"path": "a"}', "{broken", "", None, {"path": "a"}, 3])
_NAME = st.sampled_from(["look", "no such tool", "", None])
_PART = st.one_of(
    _JUNK,
    _TEXT.map(lambda text: {"type": "text", "text": text}),
    st.just({"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}),
)
_CALL = st.one_of(
    _JUNK,
    st.fixed_dictionaries(
        {"function": st.fixed_dictionaries({"name": _NAME, "arguments": _ARGUMENTS})},
        optional={"id": _ID, "type": st.just("function")},
    ),
)
_CONTENT = st.one_of(_TEXT, _JUNK, st.lists(_PART, max_size=3))
_REASONING = {
    "reasoning": st.one_of(_TEXT, _JUNK),
    "finish_reason": st.sampled_from(["stop", "length", "content_filter", None]),
}
_USER = st.fixed_dictionaries({"role": st.just("user")}, optional={"content": _CONTENT})
_ASSISTANT = st.fixed_dictionaries(
    {"role": st.just("assistant")},
    optional={
        "content": _CONTENT,
        "tool_calls": st.one_of(_JUNK, st.lists(_CALL, max_size=3)),
        **_REASONING,
    },
)
_TOOL = st.fixed_dictionaries(
    {"role": st.just("tool")}, optional={"tool_call_id": _ID, "content": _CONTENT}
)

RAW = st.one_of(
    _USER,
    _ASSISTANT,
    _TOOL,
    _JUNK,
    st.fixed_dictionaries({"role": st.sampled_from(["system", "developer", None])}),
)
"""One message as anybody may hand it in."""


def requests_of(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return the body of the request in each of the three formats, in the order of ``MODES``."""
    return [
        format_for(mode).to_request(
            messages, [], Runtime("p", "m", mode, "https://p.example", Secret(""))
        )
        for mode in MODES
    ]


def assert_chat_accepts(request: dict[str, Any]) -> None:
    messages = request["messages"]
    assert_alternating(messages)
    _assert_unique([call["id"] for m in messages for call in m.get("tool_calls", ())])
    assert all(m["content"] is not None or m.get("tool_calls") for m in messages)


def assert_messages_accepts(request: dict[str, Any]) -> None:
    turns = request["messages"]
    assert [turn["role"] for turn in turns[::2]] == ["user"] * len(turns[::2])
    assert [turn["role"] for turn in turns[1::2]] == ["assistant"] * len(turns[1::2])
    used: list[str] = []
    waiting: list[str] = []
    for turn in turns:
        assert turn["content"]
        assert all(block.get("text", "x").strip() for block in turn["content"])
        answered = [b["tool_use_id"] for b in turn["content"] if b["type"] == "tool_result"]
        assert sorted(answered) == sorted(waiting)
        waiting = [b["id"] for b in turn["content"] if b["type"] == "tool_use"]
        used += waiting
    assert waiting == []
    _assert_unique(used)


def assert_responses_accepts(request: dict[str, Any]) -> None:
    items = request["input"]
    called = [item["call_id"] for item in items if item.get("type") == "function_call"]
    answered = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
    _assert_unique(called)
    assert sorted(called) == sorted(answered)
    waiting: set[str] = set()
    for item in items:
        kind = item.get("type", "message")
        if kind == "function_call":
            waiting.add(item["call_id"])
        elif kind == "function_call_output":
            waiting.remove(item["call_id"])
        elif item.get("role") == "user":
            assert not waiting


def _assert_unique(ids: Sequence[str]) -> None:
    assert all(one.strip() for one in ids)
    assert len(set(ids)) == len(ids)
